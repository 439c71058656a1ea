/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.lanes, cuda.block and cuda.native of symv and hemv: y = alpha A x + beta y.  Each element of the triangle
 * is read once, for its own row and, mirrored, for its column: a strip of columns keeps the sums of the mirrored half
 * in registers on its way along the rows (after A. Abdelfattah, D. Keyes, H. Ltaief, "Systematic Approach in Optimizing
 * Numerical Memory-Bound Kernels on GPU").
 *
 * Sections: strips; a few lanes per matrix; a block per matrix; several blocks per matrix.
 */
#ifndef BATCHED_PRODUCTS_CUDA_SYMV_CUH
#define BATCHED_PRODUCTS_CUDA_SYMV_CUH

#include "batched/cuda/reduce.cuh"
#include "batched/products/cuda/launch_waiting.cuh"

namespace batched_cuda::products
{

constexpr int strip_width = 8;

template <class T> struct symmetric_product {
  bool lower, hermitian;
  T alpha, beta;
  batch<T> a, x, y;
};

/* One matrix of the batch. */
template <class T> struct triangle {
  bool lower, hermitian;
  const T *a, *x;
  T *y, alpha, beta;
  int n, terms, ld, incx, incy;

  __device__ triangle(const symmetric_product<T> &p, int64_t b)
      : lower(p.lower), hermitian(p.hermitian), alpha(p.alpha), beta(p.beta), n(p.a.rows(b)), ld(p.a.leading(b)),
        incx(p.x.increment(b)), incy(p.y.increment(b))
  {
    terms = alpha == make<T>(0) ? 0 : n;
    a = terms ? p.a.at(b) : nullptr;
    x = terms ? p.x.at(b) : nullptr;
    y = n ? p.y.at(b) : nullptr;
  }
  __device__ triangle()
      : lower(true), hermitian(false), a(nullptr), x(nullptr), y(nullptr), n(0), terms(0), ld(1), incx(1), incy(1)
  {
  }
  template <bool crossing> __device__ __forceinline__ bool stores(int i, int j) const
  {
    return i < terms && j < terms && (!crossing || (lower ? i >= j : i <= j));
  }
  __device__ __forceinline__ T in(int i) const
  {
    return i < terms ? x[(int64_t)i * incx] : make<T>(0);
  }
  __device__ __forceinline__ void out(int i, T sum) const
  {
    T *to = y + (int64_t)i * incy;
    *to = beta == make<T>(0) ? alpha * sum : mad(beta, *to, alpha * sum);
  }
};

/* Columns j0 .. j0 + width of rows [begin, end), by R lanes of rows, P rows each at a time: calls add_row(i, sum) with
 * each row's sum, and adds to mirrored[u] this lane's part of row j0 + u, of the mirrored half.  crossing: the strip
 * may contain diagonal elements. */
template <int R, int width, int P, bool crossing, class T, class F>
static __device__ __forceinline__ void add_strip(const triangle<T> &t, int begin, int end, int j0, T (&mirrored)[width],
                                                 F add_row)
{
  const int r = threadIdx.x % R;
  const T xj = t.in(j0 + r % width);
#pragma unroll 1
  for (int i = begin + r; i - r < end; i += P * R) {
    const T *const row = t.a + i + (int64_t)j0 * t.ld;
    T xi[P], e[P][width], sum[P] = {};
#pragma unroll
    for (int p = 0; p < P; p++) {
      const bool inside = P == 1 || i + p * R < end;
      xi[p] = inside ? t.in(i + p * R) : make<T>(0);
#pragma unroll
      for (int u = 0; u < width; u++)
        e[p][u] =
          inside && t.template stores<crossing>(i + p * R, j0 + u) ? row[(int64_t)u * t.ld + p * R] : make<T>(0);
    }
#pragma unroll
    for (int u = 0; u < width; u++) {
      const T x = shuffle(xj, u, width);
#pragma unroll
      for (int p = 0; p < P; p++) {
        if constexpr (crossing) {
          /* Elements of the other triangle are left out, rather than zero: 0 x is not 0 where x is infinite. */
          const bool stored = t.template stores<true>(i + p * R, j0 + u), diagonal = i + p * R == j0 + u;
          if (t.hermitian && diagonal) e[p][u] = make<T>(real(e[p][u]));
          if (stored) sum[p] = mad(e[p][u], x, sum[p]);
          if (stored && !diagonal) mirrored[u] = mad(conj_if(t.hermitian, e[p][u]), xi[p], mirrored[u]);
        } else {
          sum[p] = mad(e[p][u], x, sum[p]);
          mirrored[u] = mad(conj_if(t.hermitian, e[p][u]), xi[p], mirrored[u]);
        }
      }
    }
#pragma unroll
    for (int p = 0; p < P; p++)
      if (P == 1 || i + p * R < end) add_row(i + p * R, sum[p]);
  }
}

/* ------------------------------------------------------------------ cuda.lanes */

/* Blocks of 256 threads per multiprocessor that registers leave room for: as many as spill nothing, or next to it. */
template <class T, int R>
constexpr int lanes_blocks = is_complex<T>    ? (R < 32            ? 2
                                                 : sizeof(T) == 16 ? 4
                                                                   : 6)
                             : sizeof(T) == 8 ? 5
                             : R == 8         ? 4
                                              : 8;
template <class T> constexpr int product_blocks = sizeof(T) == 4 ? 5 : sizeof(T) == 8 ? 4 : 2;

/* n <= R = 8, 16 or 32: R lanes per matrix, a row each.
 *   grid       a block of 256 threads per 256 / R matrices
 *   registers  a strip of 8 columns; no shared memory
 *   takes      n <= 32, all types, uniform and variable, A shared or not
 *   memory     the triangle and x once, y once from (beta != 0) and to global memory
 *   accuracy   sums in an order that n alone decides */
template <class T, int R>
static __global__ void __launch_bounds__(256, lanes_blocks<T, R>) lanes_product(symmetric_product<T> p)
{
  constexpr int width = strip_width;
  const int r = threadIdx.x % R, each = blockDim.x / R;
  for (int64_t first = (int64_t)blockIdx.x * each; first < p.y.count; first += (int64_t)gridDim.x * each) {
    const int64_t b = first + threadIdx.x / R;
    const triangle<T> t = b < p.y.count ? triangle<T>(p, b) : triangle<T>();
    const int most = __reduce_max_sync(all_lanes, t.terms);
    T total = make<T>(0);
    for (int j0 = 0; j0 < most; j0 += width) {
      T mirrored[width] = {};
      add_strip<R, width, 1, true>(t, 0, R, j0, mirrored, [&](int, T sum) { total += sum; });
      const T other = sum_transposed<width, R>(mirrored);
      if (r >= j0 && r < j0 + width) total += other;
    }
    if (r < t.n) t.out(r, total);
  }
}

/* ------------------------------------------------------------------ cuda.block */

/* Each warp takes strips in turn, and adds to sums of its own in shared memory; those of the warps are added at the
 * end.
 *   grid       a block of 64 to 256 threads per matrix
 *   registers  P rows of a strip per lane
 *   shared     n elements per warp
 *   takes      n <= 1024, all types, uniform and variable, A shared or not
 *   memory     the triangle once, x twice (from cache), y once from (beta != 0) and to global memory
 *   accuracy   sums in an order that n alone decides */
template <class T, int P>
static __global__ void __launch_bounds__(256, product_blocks<T>) block_product(symmetric_product<T> p)
{
  constexpr int width = strip_width;
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  T *shared = shared_array<T>(), *mine = shared + (int64_t)w * p.a.n;
  for (int64_t b = blockIdx.x; b < p.y.count; b += gridDim.x) {
    const triangle<T> t(p, b);
    for (int i = lane; i < t.n; i += 32) mine[i] = make<T>(0);
    for (int j0 = w * width; j0 < t.terms; j0 += warps * width) {
      const int middle = j0 / 32 * 32;
      const auto add_row = [&](int i, T sum) {
        if (i < t.n) mine[i] += sum;
      };
      T mirrored[width] = {};
      __syncwarp();
      add_strip<32, width, 1, true>(t, middle, middle + 32, j0, mirrored, add_row);
      add_strip<32, width, P, false>(t, t.lower ? middle + 32 : 0, t.lower ? t.n : middle, j0, mirrored, add_row);
      const T other = sum_transposed<width, 32>(mirrored);
      __syncwarp();
      if (lane < width && j0 + lane < t.n) mine[j0 + lane] += other;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < t.n; i += blockDim.x) {
      T sum = shared[i];
      for (int k = 1; k < warps; k++) sum += shared[(int64_t)k * p.a.n + i];
      t.out(i, sum);
    }
    __syncthreads();
  }
}

/* ------------------------------------------------------------------ cuda.native */

/* The triangle is cut into squares of `edge`.  Square (I, J) contributes to rows I and, mirrored, to rows J: its sums
 * go to partial[b][I][J] and partial[b][J][I] (one of them on the diagonal), and a second kernel adds them. */
struct squares {
  int edge, across;
  int64_t each; /* across (across + 1) / 2 */
};

/* Square `index` of the lower triangle counted by rows. */
static __device__ __forceinline__ int square_row(int64_t index)
{
  int64_t i = (int64_t)((sqrt(8.0 * (double)index + 1) - 1) / 2);
  while (i * (i + 1) / 2 > index) i--;
  while ((i + 1) * (i + 2) / 2 <= index) i++;
  return (int)i;
}

/* The products of a square.
 *   grid       a block of 256 threads per square
 *   shared     `edge` elements per warp, and as many
 *   takes      any n, all types, uniform and variable
 *   memory     the triangle once, 2 n^2 / edge sums to and from global memory
 *   accuracy   sums in an order that n alone decides */
template <class T>
static __global__ void __launch_bounds__(256, sizeof(T) == 16 ? 1 : 4)
  square_product(symmetric_product<T> p, squares s, T *partial)
{
  constexpr int width = strip_width;
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  T *rows = shared_array<T>(), *mine = rows + w * s.edge, *diagonal = rows + warps * s.edge;
  wait_for_stream(true);
  for (int64_t item = blockIdx.x; item < p.y.count * s.each; item += gridDim.x) {
    const int64_t b = item / s.each, index = item % s.each;
    const int far = square_row(index), near = (int)(index - (int64_t)far * (far + 1) / 2);
    const triangle<T> t(p, b);
    if (far * (int64_t)s.edge >= t.terms) continue;
    const int bi = t.lower ? far : near, bj = t.lower ? near : far, i0 = bi * s.edge, j0 = bj * s.edge;
    T *to = partial + b * s.across * s.across * s.edge;
    for (int c = w * width; c < s.edge; c += warps * width) {
      const bool first = c == w * width;
      const auto add_row = [&](int i, T sum) { mine[i - i0] = first ? sum : mine[i - i0] + sum; };
      T mirrored[width] = {};
      if (bi == bj)
        add_strip<32, width, 1, true>(t, i0, i0 + s.edge, j0 + c, mirrored, add_row);
      else
        add_strip<32, width, 1, false>(t, i0, i0 + s.edge, j0 + c, mirrored, add_row);
      const T other = sum_transposed<width, 32>(mirrored);
      T *at = bi == bj ? diagonal + c : to + ((int64_t)bj * s.across + bi) * s.edge + c;
      if (lane < width) at[lane] = other;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < s.edge; i += blockDim.x) {
      T sum = rows[i];
      for (int k = 1; k < warps; k++) sum += rows[k * s.edge + i];
      if (bi == bj) sum += diagonal[i];
      to[((int64_t)bi * s.across + bj) * s.edge + i] = sum;
    }
    __syncthreads();
  }
}

/* y = alpha (sum of the squares' sums) + beta y, 32 rows per block: warps add every eighth sum.  Its blocks come to the
 * multiprocessors while the last squares are multiplied, and wait there. */
template <class T>
static __global__ void __launch_bounds__(256) add_parts(symmetric_product<T> p, squares s, const T *partial)
{
  __shared__ __align__(16) unsigned char bytes[256 * sizeof(T)];
  T *part = reinterpret_cast<T *>(bytes);
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  const int64_t each = (int64_t)s.across * s.edge / 32;
  wait_for_stream(true);
  for (int64_t item = blockIdx.x; item < p.y.count * each; item += gridDim.x) {
    const int64_t b = item / each;
    const int i = (int)(item % each) * 32 + lane, block = i / s.edge;
    const triangle<T> t(p, b);
    const T *from = partial + ((b * s.across + block) * s.across) * s.edge + i % s.edge;
    T sum = make<T>(0);
    if (i < t.n)
#pragma unroll 4
      for (int k = w; k * s.edge < t.terms; k += warps) sum += from[(int64_t)k * s.edge];
    part[threadIdx.x] = sum;
    __syncthreads();
    if (w == 0 && i < t.n) {
      for (int k = 1; k < warps; k++) sum += part[k * 32 + lane];
      t.out(i, sum);
    }
    __syncthreads();
  }
}

} // namespace batched_cuda::products

#endif
