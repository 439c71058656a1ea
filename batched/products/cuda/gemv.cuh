/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernels of gemv share: the argument, one matrix of it, and the products of a warp, or a part of one.  Lane r
 * of R has rows r, r + R, ...
 */
#ifndef BATCHED_CUDA_GEMV_CUH
#define BATCHED_CUDA_GEMV_CUH

#include <type_traits>

#include "batched/cuda/reduce.cuh"
#include "batched/products/products.h"

namespace batched_cuda::products
{

template <class T> struct gemv_product {
  bool plain, conj;
  T alpha, beta;
  batch<T> a, x, y;
};

template <class T> gemv_product<T> product_of(const batched_gemv_args &g)
{
  return {g.trans == BATCHED_NO_TRANS,
          g.trans == BATCHED_CONJ_TRANS,
          make<T>(g.alpha),
          make<T>(g.beta),
          view<T>(g.a),
          view<T>(g.x),
          view<T>(g.y)};
}

/* A load of an element that is read only once: first to be evicted from L2. */
template <class T> __device__ __forceinline__ T read_once(const T *p)
{
  if constexpr (is_complex<T>) {
    using pair = std::conditional_t<sizeof(T) == 16, double2, float2>;
    const pair v = __ldcs(reinterpret_cast<const pair *>(p));
    return {v.x, v.y};
  } else {
    return __ldcs(p);
  }
}

/* One matrix of the batch. */
template <class T> struct one_product {
  const T *a, *x;
  T *y, alpha, beta;
  int m, n, ld, incx, incy;

  /* Where alpha is 0, or the matrix is empty, there is nothing to sum. */
  __device__ one_product(const gemv_product<T> &p, int64_t b)
      : alpha(p.alpha), beta(p.beta), m(p.a.rows(b)), n(p.a.cols(b)), ld(p.a.leading(b)), incx(p.x.increment(b)),
        incy(p.y.increment(b))
  {
    const bool empty = alpha == make<T>(0) || m == 0 || n == 0;
    if (empty) (p.plain ? n : m) = 0;
    a = empty ? nullptr : p.a.at(b);
    x = empty ? nullptr : p.x.at(b);
    y = (p.plain ? m : n) == 0 ? nullptr : p.y.at(b);
  }
  __device__ one_product() : a(nullptr), x(nullptr), y(nullptr), m(0), n(0), ld(1), incx(1), incy(1)
  {
  }
  __device__ __forceinline__ T in(int i, int end) const
  {
    return i < end ? x[(int64_t)i * incx] : make<T>(0);
  }
  __device__ __forceinline__ void out(int i, T sum) const
  {
    T *to = y + (int64_t)i * incy;
    *to = beta == make<T>(0) ? alpha * sum : mad(beta, *to, alpha * sum);
  }
};

/* sum[p] += A(i + 32 p, j) x(j) for the P rows of this lane, U columns from j on that are `step` apart.  x(j) comes
 * from lane u of each U. */
template <int P, int U, class T>
__device__ __forceinline__ void add_columns(const one_product<T> &o, int i, int j, int step, int end, T (&sum)[P])
{
  const T x = o.in(j + (int)(threadIdx.x % U) * step, end);
  T e[P][U];
  const T *at = o.a + i + (int64_t)j * o.ld;
#pragma unroll
  for (int u = 0; u < U; u++) {
#pragma unroll
    for (int p = 0; p < P; p++) e[p][u] = j + u * step < end && i + 32 * p < o.m ? read_once(at + 32 * p) : make<T>(0);
    at += (int64_t)step * o.ld;
  }
#pragma unroll
  for (int u = 0; u < U; u++) {
    const T xu = shuffle(x, u, U);
#pragma unroll
    for (int p = 0; p < P; p++) sum[p] = mad(e[p][u], xu, sum[p]);
  }
}

/* sum[u] += op(A(i, j + u step)) x(i) for U columns. */
template <int U, class T>
__device__ __forceinline__ void add_row(const one_product<T> &o, bool conjugate, int i, int j, int step, T (&sum)[U])
{
  const T x = o.in(i, o.m);
  T e[U];
  const T *at = o.a + i + (int64_t)j * o.ld;
#pragma unroll
  for (int u = 0; u < U; u++) {
    e[u] = i < o.m && j + u * step < o.n ? read_once(at) : make<T>(0);
    at += (int64_t)step * o.ld;
  }
#pragma unroll
  for (int u = 0; u < U; u++) sum[u] = mad(conj_if(conjugate, e[u]), x, sum[u]);
}

/* Row vendor.streams: cuBLAS's gemv, matrix by matrix (gemv_streams.cu). */
bool vendor_gemv_streams_fits(const batched_gemv_args &g);
int vendor_gemv_streams(batched_ctx *ctx, const batched_gemv_args &g);

} // namespace batched_cuda::products

#endif
