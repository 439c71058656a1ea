/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A level of divide and conquer: two neighbouring parts of a tridiagonal matrix, whose eigenvalues and vectors are
 * there, become one (Cuppen, Numer. Math. 36, 1981; vectors from recomputed z: Gu, Eisenstat, SIAM J. Matrix Anal.
 * Appl. 16, 1995).  All parts of all matrices are merged by the same launches, a block each; sizes stay on the device:
 *
 *   deflate   z, its small elements and close poles; the numbers and positions of what is left
 *   solve     roots, by 1 to 32 lanes each; z again, a warp for each element; the small vectors
 *   gather    rotations of deflated columns; columns of the two parts, side by side
 *   (gemm)    of the parts' vectors with the small ones
 *   finish    deflated columns behind the others, and the values
 *
 * grid      a block per merge, all those of a level
 * block     256 threads
 * shared    deflate: the columns of a merge, up to 1024 of them, 24 bytes each in d (16 in s); of larger merges they
 *           are in scratch memory
 * takes     s and d, parts of any order
 * memory    with k of n columns left: solve makes three passes over k^2 to 2 k^2 numbers, gather reads and writes n^2,
 *           the products read as many as both and write n k, finish moves n (n - k)
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

constexpr int merge_threads = 256;

/* Memory of a chunk of matrices, all of them of `n` places: matrices v, s and t of order n, and vectors. */
template <class R> struct conquest {
  int n;
  int64_t count;
  R *v, *s, *t, *d, *e, *z, *poles, *weights, *values, *cosines, *sines;
  int *orders;                                           /* of each matrix */
  int *sorted, *kept, *dropped, *first, *second, *pairs; /* of each place */
  int *parts, *ks, *ms, *ones;                           /* of each merge: see merge_sizes */
  R **a, **b, **c;                                       /* operands of the products, two per merge */

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

/* z, which columns stay eigenvectors, and the poles and places of the others; shared: `room` columns. */
template <class R> __global__ void __launch_bounds__(merge_threads) merge_deflate(conquest<R> c, int level, int room)
{
  __shared__ maximum_of<R> accumulators[merge_threads / 32];
  const int64_t merges = c.count << level;
  for (int64_t merge = blockIdx.x; merge < merges; merge += gridDim.x) {
    const int64_t b = merge >> level;
    const part_extent x(c.orders[b], level, (int)(merge - (b << level)));
    int *const numbers = c.parts + MERGE_NUMBERS * merge;
    if (!x.is_merge()) {
      if (threadIdx.x == 0) skip_merge(c, merge);
      continue;
    }
    const int size = x.end - x.begin, n1 = x.middle - x.begin;
    const int64_t at = b * c.n + x.begin;
    R *const v = c.matrix(c.v, b), *const d = c.d + at, *const z = c.z + at;
    const R e = c.e[b * c.n + x.middle - 1], rho = 2 * fabs(e), half = sqrt(R(0.5));
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
      if (threadIdx.x == 0) skip_merge(c, merge);
    } else {
      merge_column<R> *const columns = columns_of(c, b, x, room);
      rank_values(size, d, false, c.first + at);
      for (int j = threadIdx.x; j < size; j += blockDim.x) columns[c.first[at + j]] = {d[j], z[j], j, j < n1 ? 1 : 2};
      __syncthreads();
      if (threadIdx.x == 0)
        deflate_in_order(c, at, merge, size, tol, rho, columns, (const merge_column<R> *)nullptr, -1);
    }
    __syncthreads();
    const int k = numbers[LEFT_COLUMNS], k1 = c.ks[2 * merge];
    if (threadIdx.x == 0) place_operands(c, merge, b, k, k1, x);
    shift_second(c, at, k, k1);
    __syncthreads();
  }
}

/* Vectors of diag(poles) + rho z z^T: element (i, j) goes to place (j, first[i]) and (j, second[i]) of s, which is the
 * transpose of what the products take.  With `squares`: right vectors of diag(poles) + e_0 z^T with pole 0 = 0, and the
 * left ones to `left`. */
template <class R, bool squares>
__global__ void __launch_bounds__(merge_threads) merge_solve(conquest<R> c, R *left, int level)
{
  const int64_t merges = c.count << level;
  const int lane = threadIdx.x % 32;
  for (int64_t merge = blockIdx.x; merge < merges; merge += gridDim.x) {
    const int64_t b = merge >> level;
    const part_extent x(c.orders[b], level, (int)(merge - (b << level)));
    const int k = c.parts[MERGE_NUMBERS * merge + LEFT_COLUMNS];
    if (k == 0) continue;
    const int64_t at = b * c.n + x.begin, corner = x.begin + (int64_t)x.begin * c.n;
    R *const s = c.matrix(c.s, b) + corner, *const l = squares ? c.matrix(left, b) + corner : nullptr;
    const R *const poles = c.poles + at, rho = squares ? R(1) : 2 * fabs(c.e[b * c.n + x.middle - 1]);
    const int *const first = c.first + at, *const second = c.second + at;
    int lanes = 32; /* of a root */
    while (lanes > 1 && lanes * k > merge_threads) lanes /= 2;
    const int part = threadIdx.x % lanes, step = merge_threads / lanes;
    const secular_equation<R, squares> f = {k, poles, c.weights + at, rho, part, lanes};
    for (int own = threadIdx.x / lanes; own - own % (32 / lanes) < k; own += step) { /* whole warps */
      const int j = own < k ? own : k - 1;
      const secular_root<R> r = f.root(j, own < k);
      if (own >= k) continue;
      const R pole = poles[r.origin];
      if (part == 0) c.values[at + j] = pole + (squares && r.x != 0 ? r.x / (pole + sqrt(pole * pole + r.x)) : r.x);
      for (int i = part; i < k; i += lanes) {
        const R gap = f.gap(i, r.origin) - r.x;
        if (first[i] >= 0) s[j + (int64_t)first[i] * c.n] = gap;
        if (second[i] >= 0) s[j + (int64_t)second[i] * c.n] = gap;
      }
    }
    __syncthreads();
    for (int i = threadIdx.x / 32; i < k; i += blockDim.x / 32) {
      const R *const gaps = s + (int64_t)(first[i] >= 0 ? first[i] : second[i]) * c.n;
      R product = 1;
      for (int j = lane; j < k; j += 32) product *= j == i ? gaps[i] : gaps[j] * inverse_of(f.gap(i, j));
      for (int half = 16; half > 0; half /= 2) product *= shuffle_xor(product, half);
      if (lane == 0) c.z[at + i] = copysign(sqrt(fabs(product)), c.weights[at + i]);
    }
    __syncthreads();
    for (int own = threadIdx.x / lanes; own - own % (32 / lanes) < k; own += step) {
      const int j = own < k ? own : k - 1;
      R sum = 0, sum_left = 0;
      for (int i = part; i < k; i += lanes) {
        const R t = c.z[at + i] * inverse_of(s[j + (int64_t)(first[i] >= 0 ? first[i] : second[i]) * c.n]);
        const R y = i == 0 ? R(1) : poles[i] * t;
        sum += t * t;
        if (squares) sum_left += y * y;
      }
      const R inverse = 1 / sqrt(f.sum_over_parts(sum));
      const R inverse_left = squares ? 1 / sqrt(f.sum_over_parts(sum_left)) : R(0);
      for (int i = part; own < k && i < k; i += lanes) {
        const R t = c.z[at + i] * inverse_of(s[j + (int64_t)(first[i] >= 0 ? first[i] : second[i]) * c.n]);
        const R y = squares ? (i == 0 ? -inverse_left : poles[i] * t * inverse_left) : R(0);
        for (const int to : {first[i], second[i]})
          if (to >= 0) {
            s[j + (int64_t)to * c.n] = t * inverse;
            if (squares) l[j + (int64_t)to * c.n] = y;
          }
      }
    }
    __syncthreads();
  }
}

/* t: columns of v that are left, those of the first part above and those of the second below, and the deflated ones
 * behind, as far as there is a merge. */
template <class R> __global__ void __launch_bounds__(merge_threads) merge_gather(conquest<R> c, int level)
{
  const int64_t merges = c.count << level;
  for (int64_t merge = blockIdx.x; merge < merges; merge += gridDim.x) {
    const int64_t b = merge >> level;
    const part_extent x(c.orders[b], level, (int)(merge - (b << level)));
    if (!x.is_merge()) continue;
    const int k = c.parts[MERGE_NUMBERS * merge + LEFT_COLUMNS], rotations = c.parts[MERGE_NUMBERS * merge + ROTATIONS];
    const int size = x.end - x.begin, n1 = x.middle - x.begin, k1 = c.ks[2 * merge];
    const int64_t at = b * c.n + x.begin, corner = x.begin + (int64_t)x.begin * c.n;
    R *const v = c.matrix(c.v, b) + corner, *const t = c.matrix(c.t, b) + corner;
    for (int r = threadIdx.x; r < size; r += blockDim.x) {
      for (int i = 0; i < rotations; i++) {
        R *const p = v + r + (int64_t)c.pairs[2 * (at + i)] * c.n, *const q =
                                                                     v + r + (int64_t)c.pairs[2 * (at + i) + 1] * c.n;
        const R cosine = c.cosines[at + i], sine = c.sines[at + i], xp = *p, xq = *q;
        *p = cosine * xp + sine * xq;
        *q = cosine * xq - sine * xp;
      }
    }
    __syncthreads();
    each_element(size, size, [&](int r, int j) {
      if (j < k) {
        const int to = r < n1 ? c.first[at + j] : c.second[at + j] - k1;
        if (r < n1 ? to >= 0 : c.second[at + j] >= 0) t[r + (int64_t)to * c.n] = v[r + (int64_t)c.kept[at + j] * c.n];
      } else {
        t[r + (int64_t)j * c.n] = v[r + (int64_t)c.dropped[at + j - k] * c.n];
      }
    });
    __syncthreads();
  }
}

/* The values, and the deflated columns from t back to v, behind those of the products. */
template <class R>
__global__ void __launch_bounds__(merge_threads) merge_finish(conquest<R> c, bool with_values, int level)
{
  const int64_t merges = c.count << level;
  for (int64_t merge = blockIdx.x; merge < merges; merge += gridDim.x) {
    const int64_t b = merge >> level;
    const part_extent x(c.orders[b], level, (int)(merge - (b << level)));
    if (!x.is_merge()) continue;
    const int k = c.parts[MERGE_NUMBERS * merge + LEFT_COLUMNS], size = x.end - x.begin;
    const int64_t at = b * c.n + x.begin, corner = x.begin + (int64_t)x.begin * c.n;
    R *const v = c.matrix(c.v, b) + corner, *const t = c.matrix(c.t, b) + corner;
    if (with_values) {
      for (int j = k + threadIdx.x; j < size; j += blockDim.x) c.values[at + j] = c.d[at + c.dropped[at + j - k]];
      __syncthreads();
      for (int j = threadIdx.x; j < size; j += blockDim.x) c.d[at + j] = c.values[at + j];
    }
    each_element(size, size - k, [&](int r, int i) {
      const int64_t place = r + (int64_t)(k + i) * c.n;
      v[place] = t[place];
    });
    __syncthreads();
  }
}

/* Columns of a merge at this level that have room in shared memory. */
template <class R> int column_room(const conquest<R> &c, int level)
{
  const int size = (int)ceil_div(c.n, (int64_t)1 << level);
  return size < most_shared_columns ? size : most_shared_columns;
}

template <class R> batch<R> by_pointers(R *const *at, int m, int n, int ld, const int *ms, const int *ns, int64_t count)
{
  return {nullptr, at, 0, count, m, n, ld, ms, ns, nullptr, 0, 0};
}

/* v of all merges of a level = its new vectors, once the small ones are in s. */
template <class R> int merge_vectors(batched_ctx *ctx, const conquest<R> &c, bool with_values, int level)
{
  const int64_t merges = c.count << level;
  const int size = (int)ceil_div(c.n, (int64_t)1 << level), half = (int)ceil_div(c.n, (int64_t)2 << level);
  int status = launch(ctx, merge_gather<R>, merges, merge_threads, 0, c, level);
  if (!status)
    status = products::gemm<R>(ctx, BATCHED_NO_TRANS, BATCHED_TRANS, R(1),
                               by_pointers(c.a, half, size, c.n, c.ms, c.ks, 2 * merges),
                               by_pointers(c.b, size, size, c.n, c.ones, c.ks, 2 * merges), R(0),
                               by_pointers(c.c, half, size, c.n, c.ms, c.ones, 2 * merges));
  return status ? status : launch(ctx, merge_finish<R>, merges, merge_threads, 0, c, with_values, level);
}

} // namespace batched_cuda::tridiagonal

#endif
