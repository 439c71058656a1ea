/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of bdsdc: cuda.twisted (twisted.cuh), which leaves some matrices to cuda.dc.
 *
 * Row cuda.dc of bdsdc: singular values and vectors of bidiagonal matrices by divide and conquer (Gu, Eisenstat, "A
 * divide-and-conquer algorithm for the bidiagonal SVD", SIAM J. Matrix Anal. Appl. 16, 1995), as LAPACK's bdsdc.
 * Leaves of at most 16 by QR (qr.cuh), four to a block; then a level after the other, merge.cuh, a block per merge.
 *
 * A part is rows and columns begin .. end - 1 of the upper bidiagonal B, with the last row, which couples it to what
 * follows, put to zero where something follows: then the value at its last place is 0, with the unit vector of that row
 * on the left.  With that row (alpha in the first part, beta in the second) two parts are U (diag(d) + e_root z^T) V^T,
 * where root is the first part's last place and z = alpha times V's last row of the first, beta times the first one of
 * the second.  A lower B is the transpose of an upper one.
 *
 * launches  4 to 6, and 10 per level, for chunks of as many matrices as have 2 GB of scratch memory
 * block     256 threads; leaves 160: the warp of the iterations, and a thread for each row of vectors
 * shared    leaves 22 KB in d, 11 KB in s
 * takes     s and d, vectors of all four types, any n, uniform and variable
 * reads     d, e; writes d, e, u, vt, info; scratch: 5 n^2 real numbers per matrix
 * accuracy  |B - U S V^T| and orthogonality < 30 n eps
 */
#include "batched/tridiagonal/cuda/bdsdc_twisted.cuh"
#include "batched/tridiagonal/cuda/dc.cuh"
#include "batched/tridiagonal/cuda/qr.cuh"

namespace batched_cuda::tridiagonal
{
namespace
{

/* Scale of a matrix's largest number: squares of what is left of it in s are no denormal numbers. */
template <class R> constexpr R unit_of = sizeof(R) == 4 ? R(0x1p20) : R(1);

constexpr int most_leaf = 16, leaves_together = 4, leaf_threads = 32 + 2 * most_leaf * leaves_together;

/* The rotations from the right that put the last column to zero where the last row is zero: lower bidiagonal. */
template <class R> __device__ void make_lower(R *d, R *e, int m, const sweep_log<R> &log)
{
  for (int i = 0; i < m - 1; i++) {
    const plane_rotation<R> r = make_rotation(d[i], e[i]);
    d[i] = r.r;
    e[i] = r.s * d[i + 1];
    d[i + 1] = r.c * d[i + 1];
    log.c[i] = r.c;
    log.s[i] = r.s;
  }
}

/* A leaf's memory. */
template <class R> __device__ bdsqr_room<R> leaf_room(R *diagonals, R *vectors)
{
  bdsqr_room<R> room = {diagonals, diagonals + most_leaf, vectors, {}, nullptr};
  for (int i = 0; i < 2; i++) {
    R *const log = diagonals + (2 + 4 * i) * most_leaf;
    room.log[i] = {{log, log + most_leaf}, {log + 2 * most_leaf, log + 3 * most_leaf}};
  }
  return room;
}

/* Leaves by QR, a block for leaves_together of them.  The first m rows of a leaf's vectors are V's, the others U's.
 * couplings: d of the rows put to zero. */
template <class R>
__global__ void __launch_bounds__(leaf_threads)
  bdsdc_leaves(conquest<R> c, R *u, R *couplings, int *failures, int level)
{
  __shared__ R diagonals[leaves_together][10 * most_leaf], vectors[leaves_together][2 * most_leaf * most_leaf];
  __shared__ qr_leaf<R> rooms[leaves_together];
  const int64_t leaves = c.count << level;
  const bool steps = threadIdx.x < 32;
  constexpr int group = 32 / leaves_together;
  const int own = steps ? (int)threadIdx.x / group : ((int)threadIdx.x - 32) / (2 * most_leaf);
  const int r = ((int)threadIdx.x - 32) % (2 * most_leaf);
  for (int64_t first = (int64_t)blockIdx.x * leaves_together; first < leaves;
       first += (int64_t)gridDim.x * leaves_together) {
    const int64_t leaf = first + own, b = leaf >> level;
    const int n = leaf < leaves ? c.orders[b] : 0;
    const part_extent x(n, level, (int)(leaf & (((int64_t)1 << level) - 1)));
    const int m = x.end - x.begin, rows = 2 * m, order = m > 0 && x.end < n ? m - 1 : m;
    const bool followed = order < m;
    const int64_t at = b * c.n + x.begin, corner = x.begin + (int64_t)x.begin * c.n;
    const bdsqr_room<R> room = leaf_room(diagonals[own], vectors[own]);
    if (!steps) {
      if (r == 0) rooms[own] = {room, order, m, rows, followed, true};
      if (r < m) {
        const bool coupling = r == order;
        room.d[r] = coupling ? R(0) : c.d[at + r];
        if (coupling) couplings[at + r] = c.d[at + r];
        if (r < m - 1) room.e[r] = c.e[at + r];
      }
      for (int j = 0; j < m && r < rows; j++) room.v[r + j * rows] = r == j || r == m + j;
    }
    __syncthreads();
    if (steps && threadIdx.x % group == 0 && followed) make_lower(room.d, room.e, m, room.log[0].right);
    __syncthreads();
    if (!steps && r < m && followed) apply_sweep({0, 1, m - 1, false}, room.log[0].right, room.v + r, rows);
    __syncthreads();
    iterate_qr_leaves<2 * most_leaf>(rooms);
    if (!steps && r < rows) {
      const bool converged = rooms[own].converged;
      if (r < m) {
        c.d[at + r] = fabs(room.d[r]);
        if (r < m - 1) c.e[at + r] = converged ? R(0) : room.e[r];
        if (r < order - 1 && !converged && room.e[r] != 0) atomicAdd(failures + b, 1);
      }
      R *const to = (r < m ? c.matrix(c.v, b) : c.matrix(u, b)) + corner + (r < m ? r : r - m);
      for (int j = 0; j < m; j++) {
        const R z = room.v[r + j * rows];
        to[(int64_t)j * c.n] = r < m && room.d[j] < 0 ? -z : z;
      }
    }
    __syncthreads();
  }
}

/* Columns of value 0: of the first part's coupling row, which is kept, and of the second part's, if something follows
 * it (else -1), which is not. */
struct null_columns {
  int root, last;
};

/* z's parts of the two columns of value 0 go to the first of them; a part that is too small is made larger. */
template <class R> __device__ void join_null_columns(int size, null_columns null, R *z, R tol, R *v, int64_t ld)
{
  const R own = z[null.root], other = null.last >= 0 ? z[null.last] : R(0);
  const plane_rotation<R> r = make_rotation(own, other);
  __syncthreads();
  if (null.last >= 0 && fabs(r.r) > tol)
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
      R *const p = v + i + null.root * ld, *const q = v + i + null.last * ld;
      const R x = *p, y = *q;
      *p = r.c * x + r.s * y;
      *q = r.c * y - r.s * x;
    }
  if (threadIdx.x == 0) z[null.root] = fabs(r.r) > tol ? r.r : tol;
}

/* Deflates the columns of a merge, and sets up its products for V (c) and U (l).  shared: `room` columns */
template <class R>
__global__ void __launch_bounds__(merge_threads)
  bdsdc_deflate(conquest<R> c, conquest<R> l, const R *couplings, int level, int room)
{
  __shared__ maximum_of<R> accumulators[merge_threads / 32];
  const int64_t merges = c.count << level;
  for (int64_t merge = blockIdx.x; merge < merges; merge += gridDim.x) {
    const int64_t b = merge >> level;
    const part_extent x(c.orders[b], level, (int)(merge - (b << level)));
    if (!x.is_merge()) {
      if (threadIdx.x == 0) skip_merge(c, merge);
      continue;
    }
    const int size = x.end - x.begin, n1 = x.middle - x.begin;
    const int64_t at = b * c.n + x.begin;
    const null_columns null = {n1 - 1, x.end < c.orders[b] ? size - 1 : -1};
    R *const v = c.matrix(c.v, b), *const d = c.d + at, *const z = c.z + at;
    const R alpha = couplings[b * c.n + x.middle - 1], beta = c.e[b * c.n + x.middle - 1];
    maximum_of<R> most;
    for (int j = threadIdx.x; j < size; j += blockDim.x) {
      const int row = j < n1 ? x.middle - 1 : x.middle;
      z[j] = (j < n1 ? alpha : beta) * v[row + (int64_t)(x.begin + j) * c.n];
      most.add(fabs(d[j]));
    }
    const R largest = merge_block(most, accumulators).result();
    const R tol = 4 * eps_of<R> * fmax(unit_of<R>, largest); /* of the whole matrix */
    __syncthreads();
    if (alpha == 0 && beta == 0) {
      for (int j = threadIdx.x; j < size; j += blockDim.x) c.dropped[at + j] = j;
      if (threadIdx.x == 0) skip_merge(c, merge);
    } else {
      const int held = null.last >= 0 ? 2 : 1; /* they come first in the order: root behind the other */
      merge_column<R> *const columns = columns_of(c, b, x, room);
      join_null_columns(size, null, z, tol, v + x.begin + (int64_t)x.begin * c.n, c.n);
      if (threadIdx.x == 0) {
        d[null.root] = -1;
        if (null.last >= 0) d[null.last] = -2;
      }
      __syncthreads();
      rank_values(size, d, false, c.first + at);
      for (int j = threadIdx.x; j < size; j += blockDim.x)
        columns[c.first[at + j]] = {fmax(d[j], R(0)), z[j], j, j == null.root ? (held == 2 ? 3 : 1) : j < n1 ? 1 : 2};
      __syncthreads();
      if (threadIdx.x == 0) {
        d[null.root] = 0;
        if (null.last >= 0) d[null.last] = 0;
        deflate_in_order(c, at, merge, size - held, tol, R(1), columns + held, columns + held - 1, null.last);
      }
    }
    __syncthreads();
    const int k = c.parts[MERGE_NUMBERS * merge + LEFT_COLUMNS], k1 = c.ks[2 * merge];
    if (threadIdx.x == 0) {
      if (k > 1) c.poles[at + 1] = fmax(c.poles[at + 1], tol / 2);
      place_operands(c, merge, b, k, k1, x);
      place_operands(l, merge, b, k, k1, x);
    }
    shift_second(c, at, k, k1);
    __syncthreads();
  }
}

/* The results: values in descending order, e, info; `lower`: u is V, and vt is U^T. */
template <class T> struct bdsdc_result {
  bool lower;
  batch<real_of<T>> d, e;
  batch<T> u, vt;
  int *info;
};

/* The values, e, info, and the places of the vectors. */
template <class R>
__global__ void __launch_bounds__(256)
  bdsdc_order(conquest<R> c, conquest_state<R> s, batch<R> ds, batch<R> es, int *info)
{
  for (int64_t b = blockIdx.x; b < c.count; b += gridDim.x) {
    const bool finite = s.scales[b] != 0;
    if (threadIdx.x == 0) info[b] = finite ? s.failures[b] : ds.length(b);
    store_values(c, s, ds, es, b, true);
    __syncthreads();
  }
}

/* A block's rows of a matrix of vectors, whose columns are to go to these places. */
template <class R> struct placed_rows {
  int n, first, rows;
  const R *v;
  int64_t ld;
  const int *place;
  bool finite;
};

/* x = these in columns. */
template <class T> __device__ void store_columns(const placed_rows<real_of<T>> &p, const batch<T> &x, int64_t b)
{
  if (x.count == 0) return;
  T *const to = x.at(b) + p.first;
  const int64_t ld_to = x.leading(b);
  each_element(p.rows, p.n, [&](int i, int j) {
    to[i + p.place[j] * ld_to] = p.finite ? make<T>(p.v[p.first + i + j * p.ld]) : nan_of<T>();
  });
}

/* x = these in rows, by way of shared memory: places of neighbours are mostly neighbours. */
template <class T>
__device__ void store_transpose(const placed_rows<real_of<T>> &p, const batch<T> &x, int64_t b,
                                real_of<T> (*tile)[row_piece + 1])
{
  if (x.count == 0) return;
  T *const to = x.at(b) + p.first * (int64_t)x.leading(b);
  const int64_t ld_to = x.leading(b);
  const int lane = threadIdx.x % 32;
  for (int j0 = 0; j0 < p.n; j0 += 32) {
    each_element(p.rows, min(32, p.n - j0), [&](int i, int j) { tile[j][i] = p.v[p.first + i + (j0 + j) * p.ld]; });
    __syncthreads();
    const int place = j0 + lane < p.n ? p.place[j0 + lane] : -1;
    for (int i = threadIdx.x / 32; i < p.rows && place >= 0; i += blockDim.x / 32)
      to[place + i * ld_to] = p.finite ? make<T>(tile[lane][i]) : nan_of<T>();
    __syncthreads();
  }
}

/* A block per 64 rows of U and V. */
template <class T>
__global__ void __launch_bounds__(256)
  bdsdc_store(conquest<real_of<T>> c, const real_of<T> *u, const real_of<T> *scales, batch<real_of<T>> ds, bool lower,
              batch<T> us, batch<T> vts, int pieces)
{
  using R = real_of<T>;
  __shared__ R tile[32][row_piece + 1];
  for (int64_t unit = blockIdx.x; unit < c.count * pieces; unit += gridDim.x) {
    const int64_t b = unit / pieces, own = b * c.n * c.n;
    const bool finite = scales[b] != 0;
    const int n = ds.length(b), first = (int)(unit - b * pieces) * row_piece;
    if (first >= n) continue;
    const R *const v = c.v + own;
    placed_rows<R> p = {n, first, min(row_piece, n - first), lower ? v : u + own, c.n, c.sorted + b * c.n, finite};
    store_columns(p, us, b);
    p.v = lower ? u + own : v;
    store_transpose(p, vts, b, tile);
  }
}

/* `l` is `c` with U's matrices instead of V's; t is common to both. */
template <class R>
size_t lay_out(conquest<R> *c, conquest<R> *l, conquest_state<R> *s, R **couplings, unsigned char *memory, int levels)
{
  const size_t places = (size_t)c->count * (size_t)c->n;
  const size_t operands = 2 * ((size_t)c->count << (levels > 0 ? levels - 1 : 0));
  allotment m = {memory, 0};
  take_conquest(&m, c, s, levels);
  *l = *c;
  m.take(&l->v, places * (size_t)c->n);
  m.take(&l->s, places * (size_t)c->n);
  for (R ***operand : {&l->a, &l->b, &l->c}) m.take(operand, operands);
  m.take(couplings, places);
  return m.used;
}

template <class R>
int merge_level(batched_ctx *ctx, const conquest<R> &c, const conquest<R> &l, const R *couplings, int level)
{
  const int64_t merges = c.count << level;
  const int room = column_room(c, level);
  int status = launch(ctx, bdsdc_deflate<R>, merges, merge_threads, (size_t)room * sizeof(merge_column<R>), c, l,
                      couplings, level, room);
  if (!status) status = solve_merges<true>(ctx, c, l.s, level);
  if (!status) status = merge_vectors(ctx, l, false, level);
  return status ? status : merge_vectors(ctx, c, true, level);
}

template <class T>
int run_chunk(batched_ctx *ctx, const bdsdc_result<T> &g, const conquest<real_of<T>> &c, const conquest<real_of<T>> &l,
              const conquest_state<real_of<T>> &s, real_of<T> *couplings, int levels, bool twisted)
{
  using R = real_of<T>;
  const size_t bytes = (size_t)c.count * (size_t)c.n * (size_t)c.n * sizeof(R);
  const bool clears = levels > 0 && !twisted;
  int status = clears ? batched_fill_zero(ctx, c.v, bytes) : BATCHED_SUCCESS;
  if (!status && clears) status = batched_fill_zero(ctx, l.v, bytes);
  if (!status) status = launch(ctx, load_diagonals<R>, c.count, 256, 0, c, s, g.d, g.e, unit_of<R>);
  if (!status && twisted) status = find_twisted(ctx, c, l.v, unit_of<R>);
  if (!status)
    status = launch(ctx, bdsdc_leaves<R>, ceil_div(c.count << levels, leaves_together), leaf_threads, 0, c, l.v,
                    couplings, s.failures, levels);
  for (int level = levels - 1; !status && level >= 0; level--) status = merge_level(ctx, c, l, couplings, level);
  if (!status) status = launch(ctx, bdsdc_order<R>, c.count, 256, 0, c, s, g.d, g.e, g.info);
  if (status) return status;
  const int pieces = (int)ceil_div(c.n, row_piece);
  return launch(ctx, bdsdc_store<T>, c.count * pieces, 256, 0, c, l.v, s.scales, g.d, g.lower, g.u, g.vt, pieces);
}

/* twisted: first those whose vectors are found without. */
template <class T> int run_dc(batched_ctx *ctx, const batched_bdsdc_args &p, bool twisted)
{
  using R = real_of<T>;
  conquest<R> c = {}, l = {};
  conquest_state<R> s;
  R *couplings;
  c.n = batched_vector_bound(&p.d);
  c.count = 1;
  const int levels = levels_for(c.n, most_leaf);
  const int64_t chunk = chunk_of(p.d.count, lay_out(&c, &l, &s, &couplings, nullptr, levels));
  c.count = chunk;
  const size_t bytes = lay_out(&c, &l, &s, &couplings, nullptr, levels);
  auto *const memory = static_cast<unsigned char *>(batched_scratch_push(ctx, bytes));
  if (!memory) return BATCHED_NO_MEMORY;
  const auto there = [](const batched_matrix &x) { return batched_is_absent(&x) ? batch<T>() : view<T>(x); };
  int status = BATCHED_SUCCESS;
  for (int64_t first = 0; !status && first < p.d.count; first += chunk) {
    c.count = p.d.count - first < chunk ? p.d.count - first : chunk;
    lay_out(&c, &l, &s, &couplings, memory, levels);
    const bdsdc_result<T> g = {p.uplo == BATCHED_LOWER,
                               view<R>(part_of(p.d, first, c.count)),
                               view<R>(part_of(p.e, first, c.count)),
                               there(part_of(p.u, first, c.count)),
                               there(part_of(p.vt, first, c.count)),
                               p.info + first};
    status = run_chunk<T>(ctx, g, c, l, s, couplings, levels, twisted);
  }
  batched_scratch_pop(ctx);
  return status;
}

int dc(batched_ctx *ctx, const batched_bdsdc_args &p)
{
  return with_type(batched_bdsdc_type(&p), [&](auto t) { return run_dc<decltype(t)>(ctx, p, false); });
}

bool fits_twisted(const batched_bdsdc_args &p)
{
  const int n = batched_vector_bound(&p.d);
  return n > 0 && n <= 96 && bdsdc_twisted_bytes(n) + 8192 <= most_shared();
}

int twisted(batched_ctx *ctx, const batched_bdsdc_args &p)
{
  return with_type(batched_bdsdc_type(&p), [&](auto t) { return run_dc<decltype(t)>(ctx, p, true); });
}

} // namespace
} // namespace batched_cuda::tridiagonal

using namespace batched_cuda;
using namespace batched_cuda::tridiagonal;

const batched_variant batched_bdsdc_cuda[] = {
  row<fits_twisted, batched_by_table, twisted>("cuda.twisted"),
  row<nullptr, nullptr, dc>("cuda.dc"),
  BATCHED_LAST_ROW,
};
