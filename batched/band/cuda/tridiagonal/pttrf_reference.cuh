/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.reference of pttrf, pttrs and ptsv: A = L D L^H of positive definite tridiagonal matrices, and solves with
 * it, a thread per matrix (pttrs: per right-hand side), straight from global memory.
 *
 * grid      64 threads per block
 * takes     all four types, any n and number of right-hand sides, uniform and variable; pttrs: A shared, too
 * reads     d, e, b; writes D over d, L over e, X over b, info (first pivot that is not positive)
 * accuracy  |L D L^H - A| < 30 n eps |A|, |A X - B| < 30 n eps |A| |X|
 */
#ifndef BATCHED_BAND_CUDA_TRIDIAGONAL_PTTRF_REFERENCE_CUH
#define BATCHED_BAND_CUDA_TRIDIAGONAL_PTTRF_REFERENCE_CUH

#include "batched/band/cuda/tridiagonal.cuh"

namespace batched_cuda::band
{

template <class T> __device__ __forceinline__ T divide_by_real(T x, real_of<T> d)
{
  if constexpr (is_complex<T>)
    return {x.re / d, x.im / d};
  else
    return x / d;
}

template <class T> __device__ __forceinline__ int factor_ldl(int n, line<real_of<T>> d, line<T> e)
{
  real_of<T> pivot = n > 0 ? d[0] : 1;
  for (int k = 0; k < n; k++) {
    if (!(pivot > 0)) {
      d[k] = pivot;
      return k + 1;
    }
    d[k] = pivot;
    if (k == n - 1) break;
    const T beside = e[k], l = divide_by_real(beside, pivot);
    e[k] = l;
    pivot = d[k + 1] - real(l * conj(beside));
  }
  return 0;
}

template <class T> __device__ __forceinline__ void solve_ldl(int n, line<real_of<T>> d, line<T> e, bool upper, T *x)
{
  T y = x[0];
  for (int k = 1; k < n; k++) x[k] = y = mad(-conj_if(upper, e[k - 1]), y, x[k]);
  for (int k = n - 1; k >= 0; k--) {
    const T own = divide_by_real(x[k], d[k]);
    x[k] = y = k < n - 1 ? mad(-conj_if(!upper, e[k]), y, own) : own;
  }
}

template <class T> __global__ void pttrf_reference(ldl_call<T> c)
{
  const int64_t threads = (int64_t)gridDim.x * blockDim.x;
  for (int64_t b = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; b < c.d.count; b += threads)
    c.info[b] = factor_ldl<T>(c.d.length(b), line_of(c.d, b), line_of(c.e, b));
}

template <class T> __global__ void pttrs_reference(ldl_call<T> c)
{
  const int64_t threads = (int64_t)gridDim.x * blockDim.x;
  for (int64_t g = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; g < c.b.count * c.b.n; g += threads) {
    const int64_t b = g / c.b.n, j = g % c.b.n;
    const int n = c.b.rows(b);
    if (n == 0 || j >= c.b.cols(b)) continue;
    solve_ldl<T>(n, line_of(c.d, b), line_of(c.e, b), c.upper, c.b.at(b) + j * c.b.leading(b));
  }
}

template <class T> __global__ void ptsv_reference(ldl_call<T> c)
{
  const int64_t threads = (int64_t)gridDim.x * blockDim.x;
  for (int64_t b = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; b < c.d.count; b += threads) {
    const int n = c.d.length(b), nrhs = n > 0 ? c.b.cols(b) : 0;
    const int info = factor_ldl<T>(n, line_of(c.d, b), line_of(c.e, b));
    for (int j = 0; info == 0 && j < nrhs; j++)
      solve_ldl<T>(n, line_of(c.d, b), line_of(c.e, b), false, c.b.at(b) + (int64_t)j * c.b.leading(b));
    c.info[b] = info;
  }
}

/* kernel(call), `work` threads of it. */
template <class T> int launch_ldl(batched_ctx *ctx, void (*kernel)(ldl_call<T>), int64_t work, const ldl_call<T> &c)
{
  return launch(ctx, kernel, ceil_div(work, REFERENCE_THREADS), REFERENCE_THREADS, 0, c);
}

} // namespace batched_cuda::band

#endif
