/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.reference of gttrf and gttrs: LU of tridiagonal matrices with partial pivoting, row after row, and
 * substitution with these factors, a thread per matrix or right-hand side, straight from global memory.
 *
 * grid      a thread per matrix (gttrs: per right-hand side), 64 a block
 * takes     all four types, any n and number of right-hand sides, A of gttrs shared or not, uniform and variable
 * reads     gttrf: d, dl, du; writes them, du2, ipiv (from 1), info (first pivot that is zero or NaN)
 *           gttrs: dl, d, du, du2, ipiv; writes b
 * accuracy  |P L U - A| < 30 n eps |A|, |op(A) X - B| < 30 n eps |A| |X|
 */
#ifndef BATCHED_BAND_CUDA_TRIDIAGONAL_GTTRF_REFERENCE_CUH
#define BATCHED_BAND_CUDA_TRIDIAGONAL_GTTRF_REFERENCE_CUH

#include "batched/band/cuda/tridiagonal.cuh"

namespace batched_cuda::band
{

template <class T>
__device__ __forceinline__ int factor_tridiagonal(const gttrf_call<T> &c, int64_t b, int n, int *ipiv)
{
  const line<T> dl = line_of(c.dl, b), d = line_of(c.d, b), du = line_of(c.du, b), du2 = line_of(c.du2, b);
  int info = 0;
  T first = n > 0 ? d[0] : make<T>(0), second = n > 1 ? du[0] : make<T>(0);
  for (int k = 0; k < n - 1; k++) {
    const bool right = k < n - 2;
    const eliminated<T> e = eliminate_row<T>({dl[k], first, second, d[k + 1], right ? du[k + 1] : make<T>(0)});
    d[k] = e.d;
    du[k] = e.u;
    dl[k] = e.l;
    if (right) du2[k] = e.fill;
    ipiv[k] = k + 1 + e.exchanged;
    if (is_bad_pivot(e.d) && !info) info = k + 1;
    first = e.next;
    second = e.beside;
  }
  if (n > 0) {
    d[n - 1] = first;
    ipiv[n - 1] = n;
    if (is_bad_pivot(first) && !info) info = n;
  }
  return info;
}

template <class T> __global__ void gttrf_reference(gttrf_call<T> c)
{
  const int64_t threads = (int64_t)gridDim.x * blockDim.x;
  for (int64_t b = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; b < c.d.count; b += threads)
    c.info[b] = factor_tridiagonal(c, b, c.d.length(b), c.ipiv + b * c.npivots);
}

/* ------------------------------------------------------------------ gttrs */

template <class T> struct factor_lines {
  line<T> dl, d, du, du2;
  const int *ipiv;
};

template <class T> __device__ __forceinline__ void solve_tridiagonal(int n, const factor_lines<T> &a, T *x)
{
  T y = x[0];
  for (int k = 0; k < n - 1; k++) {
    const bool exchange = a.ipiv[k] > k + 1;
    const T z = x[k + 1], first = select(exchange, z, y), second = select(exchange, y, z);
    x[k] = first;
    y = mad(-a.dl[k], first, second);
  }
  T x1 = make<T>(0), x2 = x1;
  for (int k = n - 1; k >= 0; k--) {
    T sum = k == n - 1 ? y : x[k];
    if (k < n - 1) sum = mad(-a.du[k], x1, sum);
    if (k < n - 2) sum = mad(-a.du2[k], x2, sum);
    x2 = x1;
    x[k] = x1 = divide(sum, a.d[k]);
  }
}

template <class T>
__device__ __forceinline__ void solve_tridiagonal_transposed(bool conj, int n, const factor_lines<T> &a, T *x)
{
  T x1 = make<T>(0), x2 = x1;
  for (int k = 0; k < n; k++) {
    T sum = x[k];
    if (k > 0) sum = mad(-conj_if(conj, a.du[k - 1]), x1, sum);
    if (k > 1) sum = mad(-conj_if(conj, a.du2[k - 2]), x2, sum);
    x2 = x1;
    x[k] = x1 = divide(sum, conj_if(conj, a.d[k]));
  }
  for (int k = n - 2; k >= 0; k--) {
    const bool exchange = a.ipiv[k] > k + 1;
    const T second = x[k + 1], first = mad(-conj_if(conj, a.dl[k]), second, x[k]);
    x[k] = select(exchange, second, first);
    x[k + 1] = select(exchange, first, second);
  }
}

template <class T> __global__ void gttrs_reference(gttrs_call<T> c)
{
  const int64_t threads = (int64_t)gridDim.x * blockDim.x;
  for (int64_t g = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; g < c.b.count * c.b.n; g += threads) {
    const int64_t b = g / c.b.n, j = g % c.b.n;
    const int n = c.b.rows(b);
    if (n == 0 || j >= c.b.cols(b)) continue;
    const factor_lines<T> a = {line_of(c.dl, b), line_of(c.d, b), line_of(c.du, b), line_of(c.du2, b), c.pivots.at(b)};
    T *x = c.b.at(b) + j * c.b.leading(b);
    if (c.trans == BATCHED_NO_TRANS)
      solve_tridiagonal(n, a, x);
    else
      solve_tridiagonal_transposed(c.trans == BATCHED_CONJ_TRANS, n, a, x);
  }
}

} // namespace batched_cuda::band

#endif
