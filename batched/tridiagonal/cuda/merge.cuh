/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A level of divide and conquer: two neighbouring parts of a tridiagonal matrix, whose eigenvalues and vectors are
 * there, become one (Cuppen, Numer. Math. 36, 1981; vectors from recomputed z: Gu, Eisenstat, SIAM J. Matrix Anal.
 * Appl. 16, 1995).  All parts of all matrices are merged by the same launches, a block each; sizes stay on the device:
 *
 *   deflate   z, its small elements and close poles; the numbers and positions of what is left
 *   solve     roots, a thread each; z again, a warp for each element; the small vectors
 *   gather    rotations of deflated columns; columns of the two parts, side by side
 *   (gemm)    of the parts' vectors with the small ones
 *   finish    deflated columns behind the others, and the values
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
  int *orders;                                                   /* of each matrix */
  int *sorted, *kept, *dropped, *first, *second, *pairs, *kinds; /* of each place */
  int *parts, *ks, *ms, *ones;                                   /* of each merge: see merge_sizes */
  R **a, **b, **c;                                               /* operands of the products, two a merge */

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

/* Columns of a bidiagonal matrix whose value is 0: of the first part's coupling row, which is kept, and of the second
 * part's, which is not. -1: there is none. */
struct null_columns {
  int root, last;
};

/* Numbers of a merge, in `parts`: columns that are left, and rotations. */
enum { LEFT_COLUMNS, ROTATIONS, MERGE_NUMBERS };

/* Columns with a small part in z, or beside an equal value, stay eigenvectors (these after a rotation): one lane
 * decides in the order of the values. */
template <class R>
__device__ void deflate_in_order(const conquest<R> &c, int64_t at, int size, int n1, R tol, R rho, null_columns null,
                                 int *numbers)
{
  R *const d = c.d + at, *const z = c.z + at;
  const int *const sorted = c.sorted + at;
  int *const kept = c.kept + at, *const dropped = c.dropped + at, *const kinds = c.kinds + at;
  int k = 0, gone = 0, rotations = 0, before = -1;
  if (null.root >= 0) {
    kept[k++] = null.root;
    kinds[null.root] = null.last >= 0 ? 3 : 1;
  }
  for (int i = 0; i < size; i++) {
    const int j = sorted[i];
    if (j == null.root || j == null.last) continue;
    kinds[j] = j < n1 ? 1 : 2;
    if (rho * fabs(z[j]) <= tol) {
      dropped[gone++] = j;
      continue;
    }
    if (before >= 0) {
      const R tau = sqrt(z[j] * z[j] + z[before] * z[before]), gap = d[j] - d[before];
      const R cosine = z[j] / tau, sine = -z[before] / tau;
      if (fabs(gap * cosine * sine) <= tol) {
        z[j] = tau;
        z[before] = 0;
        c.cosines[at + rotations] = cosine;
        c.sines[at + rotations] = sine;
        c.pairs[2 * at + 2 * rotations] = before;
        c.pairs[2 * at + 2 * rotations + 1] = j;
        rotations++;
        const R x = d[before] * cosine * cosine + d[j] * sine * sine;
        d[j] = d[before] * sine * sine + d[j] * cosine * cosine;
        d[before] = x;
        kinds[j] |= kinds[before];
        dropped[gone++] = before;
      } else {
        kept[k++] = before;
      }
    }
    before = j;
  }
  if (before >= 0) kept[k++] = before;
  if (null.last >= 0) dropped[gone++] = null.last;
  numbers[LEFT_COLUMNS] = k;
  numbers[ROTATIONS] = rotations;
}

/* Positions of the columns that are left among those of the first and of the second part, their poles and weights;
 * how many there are of the first part. */
template <class R> __device__ int place_columns(const conquest<R> &c, int64_t at, int k)
{
  int k1 = 0, k2 = 0;
  for (int i = 0; i < k; i++) {
    const int j = c.kept[at + i], kind = c.kinds[at + j];
    c.first[at + i] = kind & 1 ? k1++ : -1;
    c.second[at + i] = kind & 2 ? k2++ : -1;
    c.poles[at + i] = c.d[at + j];
    c.weights[at + i] = c.z[at + j];
  }
  for (int i = 0; i < k; i++)
    if (c.second[at + i] >= 0) c.second[at + i] += k1;
  return k1;
}

/* Operands of the two products of a merge with `ks` columns of either part, to v; and sizes. */
template <class R>
__device__ void set_products(const conquest<R> &c, int64_t b, int64_t merge, part_extent x, int k, int k1, int k2)
{
  const int n1 = x.middle - x.begin;
  const int64_t corner = x.begin + (int64_t)x.begin * c.n;
  for (int half = 0; half < 2; half++) {
    const int64_t i = 2 * merge + half;
    c.a[i] = c.matrix(c.t, b) + corner + half * n1;
    c.b[i] = c.matrix(c.s, b) + corner + (half ? (int64_t)k1 * c.n : 0);
    c.c[i] = c.matrix(c.v, b) + corner + half * n1;
    c.ms[i] = half ? x.end - x.middle : n1;
    c.ks[i] = half ? k2 : k1;
    c.ones[i] = k;
  }
}

/* How many of the k columns that are left have elements in the second part. */
template <class R> __device__ int second_columns(const conquest<R> &c, int64_t at, int k)
{
  int many = 0;
  for (int i = 0; i < k; i++) many += c.second[at + i] >= 0;
  return many;
}

/* Nothing is merged: no columns. */
template <class R> __device__ void skip_merge(const conquest<R> &c, int64_t merge)
{
  for (int i = 0; i < MERGE_NUMBERS; i++) c.parts[MERGE_NUMBERS * merge + i] = 0;
  for (int i = 0; i < 2; i++) c.ms[2 * merge + i] = c.ks[2 * merge + i] = c.ones[2 * merge + i] = 0;
}

template <class R> __global__ void __launch_bounds__(merge_threads) merge_deflate(conquest<R> c, int level)
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
    rank_values(size, d, false, c.first + at);
    __syncthreads();
    for (int j = threadIdx.x; j < size; j += blockDim.x) c.sorted[at + c.first[at + j]] = j;
    __syncthreads();
    if (threadIdx.x == 0) {
      if (rho * part <= tol) { /* nothing couples the parts */
        numbers[LEFT_COLUMNS] = numbers[ROTATIONS] = 0;
        for (int j = 0; j < size; j++) c.dropped[at + j] = j;
      } else {
        deflate_in_order(c, at, size, n1, tol, rho, {-1, -1}, numbers);
      }
      const int k = numbers[LEFT_COLUMNS], k1 = place_columns(c, at, k);
      set_products(c, b, merge, x, k, k1, second_columns(c, at, k));
    }
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
    const secular_equation<R, squares> f = {k, poles, c.weights + at, rho};
    for (int j = threadIdx.x; j < k; j += blockDim.x) {
      const secular_root<R> r = f.root(j);
      const R pole = poles[r.origin];
      c.values[at + j] = pole + (squares && r.x != 0 ? r.x / (pole + sqrt(pole * pole + r.x)) : r.x);
      for (int i = 0; i < k; i++) {
        const R gap = f.gap(i, r.origin) - r.x;
        if (first[i] >= 0) s[j + (int64_t)first[i] * c.n] = gap;
        if (second[i] >= 0) s[j + (int64_t)second[i] * c.n] = gap;
      }
    }
    __syncthreads();
    for (int i = threadIdx.x / 32; i < k; i += blockDim.x / 32) {
      const R *const gaps = s + (int64_t)(first[i] >= 0 ? first[i] : second[i]) * c.n;
      R product = 1;
      for (int j = lane; j < k; j += 32) product *= j == i ? gaps[i] : gaps[j] / f.gap(i, j);
      for (int half = 16; half > 0; half /= 2) product *= shuffle_xor(product, half);
      if (lane == 0) c.z[at + i] = copysign(sqrt(fabs(product)), c.weights[at + i]);
    }
    __syncthreads();
    for (int j = threadIdx.x; j < k; j += blockDim.x) {
      R sum = 0, sum_left = 0;
      for (int i = 0; i < k; i++) {
        const R t = c.z[at + i] / s[j + (int64_t)(first[i] >= 0 ? first[i] : second[i]) * c.n];
        sum += t * t;
        if (squares) sum_left += i == 0 ? R(1) : poles[i] * t * (poles[i] * t);
      }
      const R inverse = 1 / sqrt(sum), inverse_left = squares ? 1 / sqrt(sum_left) : R(0);
      for (int i = 0; i < k; i++) {
        const R t = c.z[at + i] / s[j + (int64_t)(first[i] >= 0 ? first[i] : second[i]) * c.n];
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
    for (int64_t i = threadIdx.x; i < (int64_t)size * size; i += blockDim.x) {
      const int j = (int)(i / size), r = (int)(i - (int64_t)j * size);
      if (j < k) {
        const int to = r < n1 ? c.first[at + j] : c.second[at + j] - k1;
        if (r < n1 ? to >= 0 : c.second[at + j] >= 0) t[r + (int64_t)to * c.n] = v[r + (int64_t)c.kept[at + j] * c.n];
      } else {
        t[r + (int64_t)j * c.n] = v[r + (int64_t)c.dropped[at + j - k] * c.n];
      }
    }
    __syncthreads();
  }
}

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
    for (int64_t i = threadIdx.x; i < (int64_t)size * (size - k); i += blockDim.x) {
      const int j = k + (int)(i / size), r = (int)(i % size);
      v[r + (int64_t)j * c.n] = t[r + (int64_t)j * c.n];
    }
    __syncthreads();
  }
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
