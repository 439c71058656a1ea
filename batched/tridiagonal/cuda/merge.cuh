/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A level of divide and conquer: two neighbouring parts of a tridiagonal matrix, whose eigenvalues and vectors are
 * there, become one (Cuppen, Numer. Math. 36, 1981; vectors from recomputed z: Gu, Eisenstat, SIAM J. Matrix Anal.
 * Appl. 16, 1995).  All parts of all matrices are merged by the same launches; sizes stay on the device:
 *
 *   deflate   z, its small elements and close poles; the numbers and positions of what is left
 *   roots     by 8 lanes each: the nearer pole, and the distance from it
 *   weights   z again, a warp for four elements
 *   compose   the small vectors, 8 threads for each
 *   gather    rotations of deflated columns; columns of the two parts, side by side
 *   (gemm)    of the parts' vectors with the small ones
 *   finish    deflated columns behind the others, and the values
 *
 * Up to order 64 a block does all of a merge before the products (bdsdc: roots, weights and compose).
 *
 * grid      of all merges of a level, deflate a block each, the next three a block per 32 roots, elements or vectors,
 *           gather and finish a block per 64 rows
 * block     256 threads; deflate 1024 beyond 512 values
 * shared    deflate: the columns of a merge, up to 1024 of them, 24 bytes each in d (16 in s); of larger merges they
 *           are in scratch memory
 * takes     s and d, parts of any order
 * memory    with k of n columns left: compose writes k^2 numbers, gather reads and writes n^2, the products read as
 *           many as both wrote and write n k, finish moves n (n - k)
 * accuracy  that of stedc and bdsdc: residual and orthogonality < 30 n eps
 * Rows cuda.dc of stedc and bdsdc use these: stedc.cu, bdsdc.cu.
 */
#ifndef BATCHED_TRIDIAGONAL_CUDA_MERGE_CUH
#define BATCHED_TRIDIAGONAL_CUDA_MERGE_CUH

#include "batched/products/cuda/gemm.cuh"
#include "batched/tridiagonal/cuda/logged.cuh"
#include "batched/tridiagonal/cuda/secular.cuh"

namespace batched_cuda::tridiagonal
{

constexpr int merge_threads = 256, deflate_threads = 1024;

/* Memory of a chunk of matrices, all of them of `n` places: matrices v, s and t of order n, and vectors. */
template <class R> struct conquest {
  int n;
  int64_t count;
  R *v, *s, *t, *d, *e, *z, *poles, *weights, *values, *nearest, *offsets, *cosines, *sines;
  int *orders;                                           /* of each matrix */
  int *sorted, *kept, *dropped, *first, *second, *pairs; /* of each place */
  int *parts;                                            /* MERGE_NUMBERS of each merge */
  int *ks, *ms, *ones; /* of each product, two per merge: its inner size, and rows and columns of the result */
  R **a, **b, **c;     /* operands of the products, two per merge */

  __device__ R *matrix(R *x, int64_t i) const
  {
    return x + i * n * n;
  }
};

/* Part `p` of 2^level: elements begin .. end - 1, of two parts of the level below that meet at `middle`. */
struct part_extent {
  int begin, middle, end;

  __device__ part_extent(int n, int level, int p)
      : begin((int)((int64_t)n * p >> level)), middle((int)((int64_t)n * (2 * p + 1) >> (level + 1))),
        end((int)((int64_t)n * (p + 1) >> level))
  {
  }
  __device__ bool is_merge() const
  {
    return begin < middle && middle < end;
  }
};

/* Numbers of a merge, in `parts`: columns that are left, and rotations. */
enum { LEFT_COLUMNS, ROTATIONS, MERGE_NUMBERS };

/* A column in the order of the values: its place, value and element of z, and the parts (1, 2 or both) that it has
 * elements in. */
template <class R> struct merge_column {
  R d, z;
  int place, kind;
};

/* Columns with a small part in z, or beside an equal value, stay eigenvectors (these after a rotation): one lane
 * decides in the order of the values.  The others get their positions among those of the first and of the second part.
 * `root`, where there is one, is kept as the first of them; column `last`, where it is not -1, is dropped. */
template <class R>
__device__ void deflate_in_order(const conquest<R> &c, int64_t at, int64_t merge, int size, R tol, R rho,
                                 const merge_column<R> *columns, const merge_column<R> *root, int last)
{
  int k = 0, k1 = 0, k2 = 0, gone = 0, rotations = 0;
  merge_column<R> before = {0, 0, -1, 0};
  const auto keep = [&](const merge_column<R> &x) {
    c.kept[at + k] = x.place;
    c.poles[at + k] = x.d;
    c.weights[at + k] = x.z;
    c.first[at + k] = x.kind & 1 ? k1++ : -1;
    c.second[at + k] = x.kind & 2 ? k2++ : -1;
    k++;
  };
  if (root) keep(*root);
  for (int i = 0; i < size; i++) {
    merge_column<R> x = columns[i];
    if (rho * fabs(x.z) <= tol) {
      c.dropped[at + gone++] = x.place;
      continue;
    }
    const bool pair = before.place >= 0;
    const R norm2 = x.z * x.z + before.z * before.z;
    if (pair && fabs((x.d - before.d) * x.z * before.z) <= tol * norm2) {
      const R tau = sqrt(norm2), cosine = x.z / tau, sine = -before.z / tau;
      c.cosines[at + rotations] = cosine;
      c.sines[at + rotations] = sine;
      c.pairs[2 * (at + rotations)] = before.place;
      c.pairs[2 * (at + rotations) + 1] = x.place;
      rotations++;
      c.d[at + before.place] = before.d * cosine * cosine + x.d * sine * sine;
      c.dropped[at + gone++] = before.place;
      x = {before.d * sine * sine + x.d * cosine * cosine, tau, x.place, x.kind | before.kind};
    } else if (pair) {
      keep(before);
    }
    before = x;
  }
  if (before.place >= 0) keep(before);
  if (last >= 0) c.dropped[at + gone++] = last;
  c.parts[MERGE_NUMBERS * merge + LEFT_COLUMNS] = k;
  c.parts[MERGE_NUMBERS * merge + ROTATIONS] = rotations;
  c.ks[2 * merge] = k1;
  c.ks[2 * merge + 1] = k2;
}

/* Operands of a merge's two products, and their sizes but for ks. */
template <class R>
__device__ void place_operands(const conquest<R> &c, int64_t merge, int64_t b, int k, int k1, part_extent x)
{
  const int n1 = x.middle - x.begin;
  const int64_t corner = x.begin + (int64_t)x.begin * c.n;
  for (int half = 0; half < 2; half++) {
    const int64_t i = 2 * merge + half;
    c.a[i] = c.matrix(c.t, b) + corner + half * n1;
    c.b[i] = c.matrix(c.s, b) + corner + (half ? (int64_t)k1 * c.n : 0);
    c.c[i] = c.matrix(c.v, b) + corner + half * n1;
    c.ms[i] = half ? x.end - x.middle : n1;
    c.ones[i] = k;
  }
}

/* No merge, or nothing to multiply. */
template <class R> __device__ void skip_merge(const conquest<R> &c, int64_t merge)
{
  for (int i = 0; i < MERGE_NUMBERS; i++) c.parts[MERGE_NUMBERS * merge + i] = 0;
  for (int i = 0; i < 2; i++) c.ms[2 * merge + i] = c.ks[2 * merge + i] = c.ones[2 * merge + i] = 0;
}

/* Columns of a merge that have room in shared memory; of larger ones they lie in `s`, which is not in use yet. */
constexpr int most_shared_columns = 1024;

template <class R>
__device__ merge_column<R> *columns_of(const conquest<R> &c, int64_t b, const part_extent &x, int room)
{
  if (x.end - x.begin <= room) return shared_array<merge_column<R>>();
  return reinterpret_cast<merge_column<R> *>(c.matrix(c.s, b) + (int64_t)x.begin * c.n);
}

/* Second columns lie behind the first ones. */
template <class R> __device__ void shift_second(const conquest<R> &c, int64_t at, int k, int k1)
{
  for (int i = threadIdx.x; i < k; i += blockDim.x)
    if (c.second[at + i] >= 0) c.second[at + i] += k1;
}

/* A block's share of a merge's work: `pieces` of `piece` items each, from item `first` on. */
struct merge_share {
  int64_t merge, b;
  part_extent x;
  int first;

  template <class R>
  __device__ merge_share(const conquest<R> &c, int level, int64_t unit, int pieces, int piece)
      : merge(unit / pieces), b(merge >> level), x(c.orders[b], level, (int)(merge - (b << level))),
        first((int)(unit - merge * pieces) * piece)
  {
  }
};

/* z, which columns stay eigenvectors, and the poles and places of the others; shared: `room` columns. */
template <class R> __device__ void deflate(const conquest<R> &c, const merge_share &w, int room)
{
  __shared__ maximum_of<R> accumulators[deflate_threads / 32];
  const part_extent &x = w.x;
  if (!x.is_merge()) {
    if (threadIdx.x == 0) skip_merge(c, w.merge);
    return;
  }
  const int size = x.end - x.begin, n1 = x.middle - x.begin;
  const int64_t at = w.b * c.n + x.begin;
  R *const v = c.matrix(c.v, w.b), *const d = c.d + at, *const z = c.z + at;
  const R e = c.e[w.b * c.n + x.middle - 1], rho = 2 * fabs(e), half = sqrt(R(0.5));
  maximum_of<R> most_d, most_z;
  for (int j = threadIdx.x; j < size; j += blockDim.x) {
    const int row = j < n1 ? x.middle - 1 : x.middle;
    z[j] = (j >= n1 && e < 0 ? -half : half) * v[row + (int64_t)(x.begin + j) * c.n];
    most_d.add(fabs(d[j]));
    most_z.add(fabs(z[j]));
  }
  const R largest = merge_block(most_d, accumulators).result();
  __syncthreads();
  const R part = merge_block(most_z, accumulators).result(), tol = 4 * eps_of<R> * fmax(largest, part);
  if (rho * part <= tol) { /* nothing couples the parts */
    for (int j = threadIdx.x; j < size; j += blockDim.x) c.dropped[at + j] = j;
    if (threadIdx.x == 0) skip_merge(c, w.merge);
  } else {
    merge_column<R> *const columns = columns_of(c, w.b, x, room);
    rank_values(size, d, false, c.first + at);
    for (int j = threadIdx.x; j < size; j += blockDim.x) columns[c.first[at + j]] = {d[j], z[j], j, j < n1 ? 1 : 2};
    __syncthreads();
    if (threadIdx.x == 0)
      deflate_in_order(c, at, w.merge, size, tol, rho, columns, (const merge_column<R> *)nullptr, -1);
  }
  __syncthreads();
  const int k = c.parts[MERGE_NUMBERS * w.merge + LEFT_COLUMNS], k1 = c.ks[2 * w.merge];
  if (threadIdx.x == 0) place_operands(c, w.merge, w.b, k, k1, x);
  shift_second(c, at, k, k1);
}

template <class R> __global__ void __launch_bounds__(deflate_threads) merge_deflate(conquest<R> c, int level, int room)
{
  for (int64_t merge = blockIdx.x; merge < c.count << level; merge += gridDim.x) {
    deflate(c, {c, level, merge, 1, 0}, room);
    __syncthreads();
  }
}

/* Roots, elements of z, and vectors of a block; lanes of a root, one number for all sizes. */
constexpr int merge_piece = 32, root_lanes = merge_threads / merge_piece;

template <class R, bool squares>
__device__ secular_equation<R, squares> equation_of(const conquest<R> &c, const merge_share &w)
{
  const int64_t at = w.b * c.n + w.x.begin;
  const R rho = squares ? R(1) : w.x.is_merge() ? 2 * fabs(c.e[w.b * c.n + w.x.middle - 1]) : R(0);
  return {c.parts[MERGE_NUMBERS * w.merge + LEFT_COLUMNS],
          c.poles + at,
          c.weights + at,
          rho,
          (int)threadIdx.x % root_lanes,
          root_lanes};
}

/* Roots of diag(poles) + rho z z^T or, with `squares`, of diag(poles) + e_0 z^T with pole 0 = 0: values, and the
 * nearest pole of each root and its offset from it. */
template <class R, bool squares> __device__ __forceinline__ void find_roots(const conquest<R> &c, const merge_share &w)
{
  const secular_equation<R, squares> f = equation_of<R, squares>(c, w);
  const int own = w.first + (int)threadIdx.x / root_lanes, j = own < f.k ? own : f.k - 1;
  if (own - own % (32 / root_lanes) >= f.k) return; /* whole warps */
  const secular_root<R> r = f.root(j, own < f.k);
  if (own >= f.k || f.part > 0) return;
  const R pole = f.d[r.origin];
  const int64_t place = w.b * c.n + w.x.begin + j;
  c.values[place] = pole + (squares && r.x != 0 ? r.x / (pole + sqrt(pole * pole + r.x)) : r.x);
  c.nearest[place] = pole;
  c.offsets[place] = r.x;
}

template <class R, bool squares>
__global__ void __launch_bounds__(merge_threads) merge_roots(conquest<R> c, int level, int pieces)
{
  for (int64_t unit = blockIdx.x; unit < (c.count << level) * pieces; unit += gridDim.x)
    find_roots<R, squares>(c, {c, level, unit, pieces, merge_piece});
}

/* z whose secular equation has these roots. */
template <class R, bool squares>
__device__ __forceinline__ void find_weights(const conquest<R> &c, const merge_share &w)
{
  constexpr int own = merge_piece / (merge_threads / 32); /* elements of a warp */
  using equation = secular_equation<R, squares>;
  const equation f = equation_of<R, squares>(c, w);
  const int first = w.first + (int)threadIdx.x / 32 * own;
  if (first >= f.k) return;
  const int64_t at = w.b * c.n + w.x.begin;
  R product[own], pole[own];
#pragma unroll
  for (int l = 0; l < own; l++) product[l] = 1, pole[l] = f.d[min(first + l, f.k - 1)];
  for (int j = threadIdx.x % 32; j < f.k; j += 32) {
    const R nearest = c.nearest[at + j], offset = c.offsets[at + j], other = f.d[j];
#pragma unroll
    for (int l = 0; l < own; l++) {
      const R gap = equation::difference(pole[l], nearest) - offset;
      product[l] *= j == first + l ? gap : gap * inverse_of(equation::difference(pole[l], other));
    }
  }
#pragma unroll
  for (int l = 0; l < own; l++) {
    for (int half = 16; half > 0; half /= 2) product[l] *= shuffle_xor(product[l], half);
    const int i = first + l;
    if (threadIdx.x % 32 == 0 && i < f.k) c.z[at + i] = copysign(sqrt(fabs(product[l])), f.z[i]);
  }
}

template <class R, bool squares>
__global__ void __launch_bounds__(merge_threads) merge_weights(conquest<R> c, int level, int pieces)
{
  for (int64_t unit = blockIdx.x; unit < (c.count << level) * pieces; unit += gridDim.x)
    find_weights<R, squares>(c, {c, level, unit, pieces, merge_piece});
}

/* Vectors, and with `squares` the left ones to `left`: element (i, j) goes to place (j, first[i]) and (j, second[i]) of
 * s, which is the transpose of what the products take.  A warp has every eighth element of the block's vectors. */
template <class R, bool squares>
__device__ __forceinline__ void compose_vectors(const conquest<R> &c, R *left, const merge_share &w)
{
  constexpr int warps = merge_threads / 32;
  __shared__ R sums[2][warps][32];
  using equation = secular_equation<R, squares>;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int k = c.parts[MERGE_NUMBERS * w.merge + LEFT_COLUMNS], j = w.first + lane;
  if (w.first >= k) return;
  const int64_t at = w.b * c.n + w.x.begin, corner = w.x.begin + (int64_t)w.x.begin * c.n;
  R *const s = c.matrix(c.s, w.b) + corner + j, *const l = squares ? c.matrix(left, w.b) + corner + j : nullptr;
  const R nearest = c.nearest[at + min(j, k - 1)], offset = c.offsets[at + min(j, k - 1)];
  const auto element = [&](int i) {
    return c.z[at + i] * inverse_of(equation::difference(c.poles[at + i], nearest) - offset);
  };
  R sum = 0, sum_left = 0;
#pragma unroll 4
  for (int i = warp; i < k; i += warps) {
    const R t = element(i), y = i == 0 ? R(1) : c.poles[at + i] * t;
    sum += t * t;
    if (squares) sum_left += y * y;
  }
  sums[0][warp][lane] = sum;
  if (squares) sums[1][warp][lane] = sum_left;
  __syncthreads();
  sum = sum_left = 0;
#pragma unroll
  for (int i = 0; i < warps; i++) {
    sum += sums[0][i][lane];
    if (squares) sum_left += sums[1][i][lane];
  }
  const R inverse = 1 / sqrt(sum), inverse_left = squares ? 1 / sqrt(sum_left) : R(0);
#pragma unroll 4
  for (int i = warp; i < k; i += warps) {
    const R t = element(i), x = t * inverse;
    const R y = squares ? (i == 0 ? -inverse_left : c.poles[at + i] * t * inverse_left) : R(0);
    for (const int to : {c.first[at + i], c.second[at + i]})
      if (to >= 0 && j < k) {
        s[(int64_t)to * c.n] = x;
        if (squares) l[(int64_t)to * c.n] = y;
      }
  }
  __syncthreads();
}

template <class R, bool squares>
__global__ void __launch_bounds__(merge_threads) merge_compose(conquest<R> c, R *left, int level, int pieces)
{
  for (int64_t unit = blockIdx.x; unit < (c.count << level) * pieces; unit += gridDim.x)
    compose_vectors<R, squares>(c, left, {c, level, unit, pieces, merge_piece});
}

/* Rows of a block in what moves columns. */
constexpr int row_piece = 64;

/* f(i, j) for so many columns of the block's rows of a part. */
template <class F> __device__ __forceinline__ void each_element_of(const merge_share &w, int columns, F f)
{
  each_element(min(row_piece, w.x.end - w.x.begin - w.first), columns, [&](int i, int j) { f(w.first + i, j); });
}

/* t: columns of v that are left, those of the first part above and those of the second below, and the deflated ones
 * behind, as far as there is a merge. */
template <class R> __device__ __forceinline__ void gather_columns(const conquest<R> &c, const merge_share &w)
{
  const part_extent &x = w.x;
  const int size = x.end - x.begin, n1 = x.middle - x.begin, last = min(size, w.first + row_piece);
  if (!x.is_merge() || w.first >= size) return;
  const int k = c.parts[MERGE_NUMBERS * w.merge + LEFT_COLUMNS], k1 = c.ks[2 * w.merge];
  const int rotations = c.parts[MERGE_NUMBERS * w.merge + ROTATIONS];
  const int64_t at = w.b * c.n + x.begin, corner = x.begin + (int64_t)x.begin * c.n;
  R *const v = c.matrix(c.v, w.b) + corner, *const t = c.matrix(c.t, w.b) + corner;
  for (int r = w.first + (int)threadIdx.x; r < last; r += blockDim.x) {
    for (int i = 0; i < rotations; i++) {
      R *const p = v + r + (int64_t)c.pairs[2 * (at + i)] * c.n, *const q =
                                                                   v + r + (int64_t)c.pairs[2 * (at + i) + 1] * c.n;
      const R cosine = c.cosines[at + i], sine = c.sines[at + i], xp = *p, xq = *q;
      *p = cosine * xp + sine * xq;
      *q = cosine * xq - sine * xp;
    }
  }
  __syncthreads();
  each_element_of(w, size, [&](int r, int j) {
    if (j < k) {
      const int to = r < n1 ? c.first[at + j] : c.second[at + j] - k1;
      if (r < n1 ? to >= 0 : c.second[at + j] >= 0) t[r + (int64_t)to * c.n] = v[r + (int64_t)c.kept[at + j] * c.n];
    } else {
      t[r + (int64_t)j * c.n] = v[r + (int64_t)c.dropped[at + j - k] * c.n];
    }
  });
}

template <class R> __global__ void __launch_bounds__(merge_threads) merge_gather(conquest<R> c, int level, int pieces)
{
  for (int64_t unit = blockIdx.x; unit < (c.count << level) * pieces; unit += gridDim.x) {
    gather_columns(c, {c, level, unit, pieces, row_piece});
    __syncthreads();
  }
}

/* Roots, weights and vectors of a whole merge, of at most row_piece columns. */
template <class R, bool squares>
__device__ __forceinline__ void solve_whole(const conquest<R> &c, R *left, int level, int64_t merge)
{
  constexpr int pieces = row_piece / merge_piece;
  const auto share = [&](int piece) { return merge_share(c, level, merge * pieces + piece, pieces, merge_piece); };
  for (int piece = 0; piece < pieces; piece++) find_roots<R, squares>(c, share(piece));
  __syncthreads();
  for (int piece = 0; piece < pieces; piece++) find_weights<R, squares>(c, share(piece));
  __syncthreads();
  for (int piece = 0; piece < pieces; piece++) compose_vectors<R, squares>(c, left, share(piece));
}

template <class R, bool squares>
__global__ void __launch_bounds__(merge_threads, 4) merge_solve(conquest<R> c, R *left, int level)
{
  for (int64_t merge = blockIdx.x; merge < c.count << level; merge += gridDim.x)
    solve_whole<R, squares>(c, left, level, merge);
}

/* All before the products. */
template <class R> __global__ void __launch_bounds__(merge_threads, 4) merge_whole(conquest<R> c, int level, int room)
{
  for (int64_t merge = blockIdx.x; merge < c.count << level; merge += gridDim.x) {
    const merge_share whole(c, level, merge, 1, row_piece);
    deflate(c, whole, room);
    __syncthreads();
    solve_whole<R, false>(c, (R *)nullptr, level, merge);
    gather_columns(c, whole);
    __syncthreads();
  }
}

/* The values, and the deflated columns from t back to v, behind those of the products. */
template <class R>
__global__ void __launch_bounds__(merge_threads) merge_finish(conquest<R> c, bool with_values, int level, int pieces)
{
  for (int64_t unit = blockIdx.x; unit < (c.count << level) * pieces; unit += gridDim.x) {
    const merge_share w(c, level, unit, pieces, row_piece);
    const int k = c.parts[MERGE_NUMBERS * w.merge + LEFT_COLUMNS], size = w.x.end - w.x.begin;
    if (!w.x.is_merge() || w.first >= size) continue;
    const int64_t at = w.b * c.n + w.x.begin, corner = w.x.begin + (int64_t)w.x.begin * c.n;
    R *const v = c.matrix(c.v, w.b) + corner, *const t = c.matrix(c.t, w.b) + corner;
    if (with_values && w.first == 0) {
      for (int j = k + threadIdx.x; j < size; j += blockDim.x) c.values[at + j] = c.d[at + c.dropped[at + j - k]];
      __syncthreads();
      for (int j = threadIdx.x; j < size; j += blockDim.x) c.d[at + j] = c.values[at + j];
    }
    each_element_of(w, size - k, [&](int r, int i) {
      const int64_t place = r + (int64_t)(k + i) * c.n;
      v[place] = t[place];
    });
    __syncthreads();
  }
}

/* Order of the largest merge of a level. */
template <class R> int size_at(const conquest<R> &c, int level)
{
  return (int)ceil_div(c.n, (int64_t)1 << level);
}

/* Threads of a block that puts so many values in order, each by all others. */
static inline int threads_to_order(int size)
{
  return size > 2 * merge_threads ? deflate_threads : merge_threads;
}

/* Columns of a merge at this level that have room in shared memory. */
template <class R> int column_room(const conquest<R> &c, int level)
{
  const int size = size_at(c, level);
  return size < most_shared_columns ? size : most_shared_columns;
}

template <class R> batch<R> by_pointers(R *const *at, int m, int n, int ld, const int *ms, const int *ns, int64_t count)
{
  return {nullptr, at, 0, count, m, n, ld, ms, ns, nullptr, 0, 0};
}

/* The small vectors of all merges of a level, once they are deflated. */
template <bool squares, class R> int solve_merges(batched_ctx *ctx, const conquest<R> &c, R *left, int level)
{
  const int64_t merges = c.count << level;
  if (size_at(c, level) <= row_piece)
    return launch(ctx, merge_solve<R, squares>, merges, merge_threads, 0, c, left, level);
  const int pieces = (int)ceil_div(size_at(c, level), merge_piece);
  const int64_t blocks = merges * pieces;
  int status = launch(ctx, merge_roots<R, squares>, blocks, merge_threads, 0, c, level, pieces);
  if (!status) status = launch(ctx, merge_weights<R, squares>, blocks, merge_threads, 0, c, level, pieces);
  return status ? status : launch(ctx, merge_compose<R, squares>, blocks, merge_threads, 0, c, left, level, pieces);
}

/* v of all merges of a level = the products of t and s, and what was deflated. */
template <class R> int multiply_merges(batched_ctx *ctx, const conquest<R> &c, bool with_values, int level)
{
  const int64_t merges = c.count << level;
  const int size = size_at(c, level), half = (int)ceil_div(c.n, (int64_t)2 << level);
  const int pieces = (int)ceil_div(size, row_piece);
  const int status = products::gemm<R>(ctx, BATCHED_NO_TRANS, BATCHED_TRANS, R(1),
                                       by_pointers(c.a, half, size, c.n, c.ms, c.ks, 2 * merges),
                                       by_pointers(c.b, size, size, c.n, c.ones, c.ks, 2 * merges), R(0),
                                       by_pointers(c.c, half, size, c.n, c.ms, c.ones, 2 * merges));
  return status ? status
                : launch(ctx, merge_finish<R>, merges * pieces, merge_threads, 0, c, with_values, level, pieces);
}

/* v of all merges of a level = its new vectors, once the small ones are in s. */
template <class R> int merge_vectors(batched_ctx *ctx, const conquest<R> &c, bool with_values, int level)
{
  const int pieces = (int)ceil_div(size_at(c, level), row_piece);
  const int status = launch(ctx, merge_gather<R>, (c.count << level) * pieces, merge_threads, 0, c, level, pieces);
  return status ? status : multiply_merges(ctx, c, with_values, level);
}

} // namespace batched_cuda::tridiagonal

#endif
