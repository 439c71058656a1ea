/* SPDX-License-Identifier: BSD-3-Clause
 *
 * symv and hemv: strips of columns of a triangle, and the kernels made of them.
 */
#ifndef BATCHED_CUDA_SYMV_CUH
#define BATCHED_CUDA_SYMV_CUH

#include "batched/cuda/reduce.cuh"

namespace batched_cuda::products
{

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

/* Columns j0 .. j0 + width of rows [begin, end), by R lanes of rows: add_row(i, sum) gets each row's sum, and
 * mirrored[u] what this lane adds to row j0 + u for the mirrored half.  `crossing`: the diagonal may go through it. */
template <int R, int width, bool crossing, class T, class F>
static __device__ __forceinline__ void add_strip(const triangle<T> &t, int begin, int end, int j0, T (&mirrored)[width],
                                                 F add_row)
{
  const int r = threadIdx.x % R;
  const T xj = t.in(j0 + r % width);
#pragma unroll 1
  for (int i = begin + r; i - r < end; i += R) {
    const T xi = t.in(i), *row = t.a + i + (int64_t)j0 * t.ld;
    T e[width], sum = make<T>(0);
#pragma unroll
    for (int u = 0; u < width; u++) e[u] = t.template stores<crossing>(i, j0 + u) ? row[(int64_t)u * t.ld] : make<T>(0);
#pragma unroll
    for (int u = 0; u < width; u++) {
      const T x = shuffle(xj, u, width);
      if constexpr (crossing) {
        /* Where x is infinite, 0 x would not be 0: what is not stored takes no part. */
        const bool stored = t.template stores<true>(i, j0 + u), diagonal = i == j0 + u;
        if (t.hermitian && diagonal) e[u] = make<T>(real(e[u]));
        if (stored) sum = mad(e[u], x, sum);
        if (stored && !diagonal) mirrored[u] = mad(conj_if(t.hermitian, e[u]), xi, mirrored[u]);
      } else {
        sum = mad(e[u], x, sum);
        mirrored[u] = mad(conj_if(t.hermitian, e[u]), xi, mirrored[u]);
      }
    }
    add_row(i, sum);
  }
}

/* ------------------------------------------------------------------ up to 32 x 32: R lanes a matrix */

constexpr int strip_width = 8;

template <class T, int R> static __global__ void __launch_bounds__(256, 2) warp_product(symmetric_product<T> p)
{
  constexpr int width = strip_width;
  const int r = threadIdx.x % R, each = blockDim.x / R;
  for (int64_t first = (int64_t)blockIdx.x * each; first < p.y.count; first += (int64_t)gridDim.x * each) {
    const int64_t b = first + threadIdx.x / R;
    const triangle<T> t = b < p.y.count ? triangle<T>(p, b) : triangle<T>();
    const int most = __reduce_max_sync(0xffffffffu, t.terms);
    T total = make<T>(0);
    for (int j0 = 0; j0 < most; j0 += width) {
      T mirrored[width] = {};
      add_strip<R, width, true>(t, 0, R, j0, mirrored, [&](int, T sum) { total += sum; });
      const T other = sum_transposed<width, R>(mirrored);
      if (r >= j0 && r < j0 + width) total += other;
    }
    if (r < t.n) t.out(r, total);
  }
}

/* ------------------------------------------------------------------ a block a matrix */

/* Each warp takes strips in turn and adds to sums of its own; those of the warps are added at the end. */
template <class T> static __global__ void __launch_bounds__(256, 2) tile_product(symmetric_product<T> p)
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
      add_strip<32, width, true>(t, middle, middle + 32, j0, mirrored, add_row);
      add_strip<32, width, false>(t, t.lower ? middle + 32 : 0, t.lower ? t.n : middle, j0, mirrored, add_row);
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

/* ------------------------------------------------------------------ several blocks a matrix */

/* The triangle is cut into squares of `edge`, a block each.  What square (I, J) adds to the block of rows X goes to
 * partial[b][X][the other one of I, J]: two blocks of sums, or one from the diagonal.  A second kernel adds up. */
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

template <class T>
static __global__ void __launch_bounds__(256, sizeof(T) == 16 ? 1 : 2)
  square_product(symmetric_product<T> p, squares s, T *partial)
{
  constexpr int width = strip_width;
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  T *rows = shared_array<T>(), *mine = rows + w * s.edge, *diagonal = rows + warps * s.edge;
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
        add_strip<32, width, true>(t, i0, i0 + s.edge, j0 + c, mirrored, add_row);
      else
        add_strip<32, width, false>(t, i0, i0 + s.edge, j0 + c, mirrored, add_row);
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

/* y = alpha (sums of the squares' parts) + beta y, 32 rows a block: warps add every eighth part. */
template <class T>
static __global__ void __launch_bounds__(256) add_parts(symmetric_product<T> p, squares s, const T *partial)
{
  __shared__ __align__(16) unsigned char bytes[256 * sizeof(T)];
  T *part = reinterpret_cast<T *>(bytes);
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  const int64_t each = (int64_t)s.across * s.edge / 32;
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
