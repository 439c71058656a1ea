/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of stedc: cuda.twisted (twisted.cuh), which leaves some matrices to cuda.dc.
 *
 * Row cuda.dc of stedc: eigenvectors of symmetric tridiagonal matrices by divide and conquer.  Leaves of at most 8 by
 * QL (ql.cuh), four to a block; then a level after the other, up to order 32 merge_small.cuh, beyond merge.cuh.
 * Values alone, and matrices up to order 32: the row of steqr.
 *
 * launches  4, one per level up to order 32, 3 up to order 64, 7 per level beyond, for chunks of as many matrices as
 *           have 2 GB of scratch memory; one less where no matrix is larger than 64
 * takes     s and d, vectors of all four types, any n and any rows of Z, uniform and variable
 * reads     d, e, z (MULTIPLY); writes d, e, z, info; scratch: 3 n^2 real numbers per matrix, and with MULTIPLY twice Z
 * accuracy  |T - Z W Z^T| and orthogonality < 30 n eps
 */
#include "batched/tridiagonal/cuda/dc.cuh"
#include "batched/tridiagonal/cuda/merge_small.cuh"
#include "batched/tridiagonal/cuda/ql.cuh"
#include "batched/tridiagonal/cuda/stedc_twisted.cuh"

namespace batched_cuda::tridiagonal
{
namespace
{

constexpr int most_leaf = 8, leaves_together = 4, leaf_threads = 32 + 32 * leaves_together;

/* grid: a block for leaves_together leaves; block: the warp of their iterations, and one for each leaf's vectors. */
template <class R> __global__ void __launch_bounds__(leaf_threads) stedc_leaves(conquest<R> c, int *failures, int level)
{
  __shared__ R diagonals[leaves_together][7 * most_leaf], vectors[leaves_together][most_leaf * most_leaf];
  __shared__ qr_room<R> rooms[leaves_together];
  __shared__ int orders[leaves_together];
  __shared__ bool converged[leaves_together];
  const int64_t leaves = c.count << level;
  const int own = (int)threadIdx.x / 32 - 1, i = threadIdx.x % 32;
  for (int64_t first = (int64_t)blockIdx.x * leaves_together; first < leaves;
       first += (int64_t)gridDim.x * leaves_together) {
    const int64_t leaf = first + own, b = leaf >> level;
    const bool there = own >= 0 && leaf < leaves;
    const int p = (int)(leaf & (((int64_t)1 << level) - 1)), n = there ? c.orders[b] : 0;
    const int begin = (int)((int64_t)n * p >> level), end = (int)((int64_t)n * (p + 1) >> level), m = end - begin;
    const int64_t at = b * c.n + begin;
    if (own >= 0) {
      const qr_room<R> room = room_at(diagonals[own], vectors[own], m);
      if (i == 0) rooms[own] = room, orders[own] = m;
      if (i < m) {
        R mine = c.d[at + i];
        if (i == 0 && begin > 0) mine -= fabs(c.e[at - 1]);
        if (i == m - 1 && end < n) mine -= fabs(c.e[at + m - 1]);
        room.d[i] = mine;
        if (i < m - 1) room.e[i] = c.e[at + i];
        for (int j = 0; j < m; j++) room.v[i + j * m] = i == j;
      }
    }
    __syncthreads();
    iterate_ql_leaves<leaves_together>(rooms, orders, converged);
    if (own >= 0 && i < m) {
      const qr_room<R> &room = rooms[own];
      R *const v = c.matrix(c.v, b) + begin + (int64_t)begin * c.n;
      c.d[at + i] = room.d[i];
      if (i < m - 1) c.e[at + i] = converged[own] ? R(0) : room.e[i];
      if (i < m - 1 && !converged[own] && room.e[i] != 0) atomicAdd(failures + b, 1);
      for (int j = 0; j < m; j++) v[i + (int64_t)j * c.n] = room.v[i + j * m];
    }
    __syncthreads();
  }
}

/* Values in order, e, info, and the places of the vectors. */
template <class R>
__device__ __forceinline__ void order(const conquest<R> &c, const conquest_state<R> &s, const batch<R> &ds,
                                      const batch<R> &es, int64_t b, int *info)
{
  if (threadIdx.x == 0) info[b] = s.scales[b] != 0 ? s.failures[b] : ds.length(b);
  store_values(c, s, ds, es, b, false);
  __syncthreads();
}

template <class R>
__global__ void __launch_bounds__(deflate_threads)
  stedc_order(conquest<R> c, conquest_state<R> s, batch<R> ds, batch<R> es, int *info)
{
  for (int64_t b = blockIdx.x; b < c.count; b += gridDim.x) order(c, s, ds, es, b, info);
}

/* The vectors in their places: to Z, or, where Z is to be multiplied by them (`kept`), to t.  A block per 64 rows; up
 * to order 64 it puts the values in order, too. */
template <class T>
__global__ void __launch_bounds__(256)
  stedc_store(conquest<real_of<T>> c, conquest_state<real_of<T>> s, batch<real_of<T>> ds, batch<real_of<T>> es,
              batch<T> z, bool kept, int pieces, int *info)
{
  using R = real_of<T>;
  for (int64_t unit = blockIdx.x; unit < c.count * pieces; unit += gridDim.x) {
    const int64_t b = unit / pieces;
    const int n = ds.length(b), first = (int)(unit - b * pieces) * row_piece;
    if (pieces == 1) order(c, s, ds, es, b, info);
    if (first >= n) continue;
    const bool finite = s.scales[b] != 0;
    const int *const place = c.sorted + b * c.n;
    const R *const v = c.matrix(c.v, b);
    R *const t = c.matrix(c.t, b);
    each_element(min(row_piece, n - first), n, [&](int l, int j) {
      const int i = first + l;
      if (kept)
        t[i + (int64_t)place[j] * c.n] = finite ? v[i + (int64_t)j * c.n] : not_a_number<R>();
      else
        z.at(b)[i + place[j] * (int64_t)z.leading(b)] = finite ? make<T>(v[i + (int64_t)j * c.n]) : nan_of<T>();
    });
  }
}

/* Z as real numbers in columns of `ld`, and sizes for its product with the n x n vectors. */
template <class T>
__global__ void __launch_bounds__(256)
  copy_rows(batch<T> z, batch<real_of<T>> ds, real_of<T> *x, int64_t ld, bool back, int *ms, int *ns)
{
  using R = real_of<T>;
  for (int64_t b = blockIdx.x; b < z.count; b += gridDim.x) {
    const int n = ds.length(b);
    const real_rows<R> rows = rows_of(z, b, n > 0);
    R *const own = x + b * ld * ds.m * ds.n;
    each_element(rows.rows, n, [&](int r, int j) {
      R &inside = rows.z[r + j * rows.ld], &copy = own[r + j * ld];
      if (back)
        inside = copy;
      else
        copy = inside;
    });
    if (!back && threadIdx.x == 0) {
      ms[b] = rows.rows;
      ns[b] = n;
    }
  }
}

template <class R> int merge_level(batched_ctx *ctx, const conquest<R> &c, int level)
{
  const int64_t merges = c.count << level;
  if (size_at(c, level) <= 16) return launch(ctx, merge_small<R, 16>, merges, 16 * small_root_lanes, 0, c, level);
  if (size_at(c, level) <= small_merge)
    return launch(ctx, merge_small<R, small_merge>, merges, small_merge * small_root_lanes, 0, c, level);
  const int room = column_room(c, level);
  const size_t columns = (size_t)room * sizeof(merge_column<R>);
  if (size_at(c, level) <= row_piece) {
    const int status = launch(ctx, merge_whole<R>, merges, merge_threads, columns, c, level, room);
    return status ? status : multiply_merges(ctx, c, true, level);
  }
  int status = launch(ctx, merge_deflate<R>, merges, threads_to_order(size_at(c, level)), columns, c, level, room);
  if (!status) status = solve_merges<false>(ctx, c, (R *)nullptr, level);
  return status ? status : merge_vectors(ctx, c, true, level);
}

/* Z = Z t. */
template <class T>
int multiply(batched_ctx *ctx, const conquest<real_of<T>> &c, const batch<real_of<T>> &d, const batch<T> &z,
             real_of<T> *x, int *sizes)
{
  using R = real_of<T>;
  const int64_t ld = (is_complex<T> ? 2 : 1) * (int64_t)z.m, each = ld * c.n;
  R *const y = x + each * c.count;
  int *const ms = sizes, *const ns = sizes + c.count;
  const auto rows = [&](R *at) {
    return batch<R>{at, nullptr, each, c.count, (int)ld, c.n, (int)ld, ms, ns, nullptr, 0, 0};
  };
  const batch<R> t = {c.t, nullptr, (int64_t)c.n * c.n, c.count, c.n, c.n, c.n, ns, ns, nullptr, 0, 0};
  int status = launch(ctx, copy_rows<T>, c.count, 256, 0, z, d, x, ld, false, ms, ns);
  if (!status) status = products::gemm<R>(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, R(1), rows(x), t, R(0), rows(y));
  return status ? status : launch(ctx, copy_rows<T>, c.count, 256, 0, z, d, y, ld, true, ms, ns);
}

template <class R>
size_t lay_out(conquest<R> *c, conquest_state<R> *s, R **x, size_t extra, int **sizes, unsigned char *memory,
               int levels)
{
  allotment m = {memory, 0};
  take_conquest(&m, c, s, levels);
  m.take(x, 2 * (size_t)c->count * extra);
  m.take(sizes, 2 * (size_t)c->count);
  return m.used;
}

template <class T>
int run_chunk(batched_ctx *ctx, const batched_stedc_args &p, const conquest<real_of<T>> &c,
              const conquest_state<real_of<T>> &s, real_of<T> *x, int *sizes, int levels, bool twisted)
{
  using R = real_of<T>;
  const batch<R> d = view<R>(p.d), e = view<R>(p.e);
  const batch<T> z = view<T>(p.z);
  const bool kept = p.job == BATCHED_MULTIPLY;
  int status = launch(ctx, load_diagonals<R>, c.count, 256, 0, c, s, d, e, R(1));
  if (!status && twisted) status = find_twisted(ctx, c);
  if (!status && !twisted)
    status = batched_fill_zero(ctx, c.v, (size_t)c.count * (size_t)c.n * (size_t)c.n * sizeof(R));
  if (!status)
    status = launch(ctx, stedc_leaves<R>, ceil_div(c.count << levels, leaves_together), leaf_threads, 0, c, s.failures,
                    levels);
  for (int level = levels - 1; !status && level >= 0; level--) status = merge_level(ctx, c, level);
  const int pieces = (int)ceil_div(c.n, row_piece);
  if (!status && pieces > 1)
    status = launch(ctx, stedc_order<R>, c.count, threads_to_order(c.n), 0, c, s, d, e, p.info);
  if (!status) status = launch(ctx, stedc_store<T>, c.count * pieces, 256, 0, c, s, d, e, z, kept, pieces, p.info);
  return !status && kept ? multiply<T>(ctx, c, d, z, x, sizes) : status;
}

/* twisted: first those whose vectors are found without. */
template <class T> int run_dc(batched_ctx *ctx, const batched_stedc_args &p, bool twisted)
{
  using R = real_of<T>;
  conquest<R> c = {};
  conquest_state<R> s;
  R *x;
  int *sizes;
  c.n = batched_vector_bound(&p.d);
  const int levels = levels_for(c.n, most_leaf);
  const size_t extra = p.job == BATCHED_MULTIPLY ? (is_complex<T> ? 2 : 1) * (size_t)p.z.m * (size_t)c.n : 0;
  c.count = 1;
  const int64_t chunk = chunk_of(p.d.count, lay_out(&c, &s, &x, extra, &sizes, nullptr, levels));
  c.count = chunk;
  const size_t bytes = lay_out(&c, &s, &x, extra, &sizes, nullptr, levels);
  auto *const memory = static_cast<unsigned char *>(batched_scratch_push(ctx, bytes));
  if (!memory) return BATCHED_NO_MEMORY;
  int status = BATCHED_SUCCESS;
  for (int64_t first = 0; !status && first < p.d.count; first += chunk) {
    c.count = p.d.count - first < chunk ? p.d.count - first : chunk;
    lay_out(&c, &s, &x, extra, &sizes, memory, levels);
    batched_stedc_args some = p;
    some.d = part_of(p.d, first, c.count);
    some.e = part_of(p.e, first, c.count);
    some.z = part_of(p.z, first, c.count);
    some.info = p.info + first;
    status = run_chunk<T>(ctx, some, c, s, x, sizes, levels, twisted);
  }
  batched_scratch_pop(ctx);
  return status;
}

int dc(batched_ctx *ctx, const batched_stedc_args &p)
{
  if (p.job == BATCHED_VALUES || batched_vector_bound(&p.d) <= small_merge) return run_best(ctx, batched_steqr_op, p);
  return with_type(p.z.type, [&](auto t) { return run_dc<decltype(t)>(ctx, p, false); });
}

bool fits_twisted(const batched_stedc_args &p)
{
  const int n = batched_vector_bound(&p.d);
  return p.job != BATCHED_VALUES && n > 0 && n <= 128 && stedc_twisted_bytes(n) + 8192 <= most_shared();
}

int twisted(batched_ctx *ctx, const batched_stedc_args &p)
{
  return with_type(p.z.type, [&](auto t) { return run_dc<decltype(t)>(ctx, p, true); });
}

} // namespace
} // namespace batched_cuda::tridiagonal

using namespace batched_cuda;
using namespace batched_cuda::tridiagonal;

const batched_variant batched_stedc_cuda[] = {
  row<fits_twisted, batched_by_table, twisted>("cuda.twisted"),
  row<nullptr, nullptr, dc>("cuda.dc"),
  BATCHED_LAST_ROW,
};
