/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reflectors one at a time in global memory: for columns that are too long for registers.  A warp has a column of what
 * is changed.
 */
#ifndef BATCHED_QR_CUDA_BLOCKED_COLUMNS_CUH
#define BATCHED_QR_CUDA_BLOCKED_COLUMNS_CUH

#include "batched/qr/cuda/householder.cuh"

namespace batched_cuda::qr
{

static constexpr int column_threads = 256;

/* c = H c for a column c, whose elements are `step` apart and taken as conjugates if told.  v: element (i, i) of A. */
template <class T> static __device__ void reflect_column(const T *v, T tau, int len, T *c, int64_t step, bool conjugate)
{
  const int lane = threadIdx.x % 32;
  T sum = make<T>(0);
  for (int i = lane; i < len; i += 32) sum = conj_mad(i == 0 ? make<T>(1) : v[i], conj_if(conjugate, c[i * step]), sum);
  const T f = tau * sum_lanes(sum);
  for (int i = lane; i < len; i += 32) {
    const T y = mad(-f, i == 0 ? make<T>(1) : v[i], conj_if(conjugate, c[i * step]));
    c[i * step] = conj_if(conjugate, y);
  }
}

/* The sum or the maximum over the block, in all threads. */
template <class R, class F> static __device__ R over_block(R x, F f)
{
  __shared__ R parts[column_threads / 32];
  for (int half = 16; half > 0; half /= 2) x = f(x, shuffle_xor(x, half));
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  x = parts[0];
  for (int i = 1; i < column_threads / 32; i++) x = f(x, parts[i]);
  return x;
}

/* Makes the reflector of p's first `len` elements. */
template <class T> static __device__ T make_reflector(T *p, int len)
{
  using R = real_of<T>;
  R size = 0, tail = 0;
  for (int i = threadIdx.x; i < len; i += column_threads) size = fmax(size, largest_part(p[i]));
  const R s = column_scale(over_block(size, [](R x, R y) { return fmax(x, y); }));
  for (int i = 1 + threadIdx.x; i < len; i += column_threads) tail += square(s * p[i]);
  tail = over_block(tail, [](R x, R y) { return x + y; });
  const reflector<T> h = reflect(s * p[0], tail);
  __syncthreads();
  for (int i = threadIdx.x; i < len; i += column_threads) p[i] = i == 0 ? make<T>(h.beta / s) : (s * p[i]) * h.inverse;
  __syncthreads();
  return h.tau;
}

template <class T> static __global__ void __launch_bounds__(column_threads) factor_columns(batch<T> a, batch<T> tau)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = m > 0 ? a.cols(b) : 0, k = min(m, n);
    if (k == 0) continue;
    T *const p = a.at(b);
    const int64_t ld = a.leading(b);
    for (int j = 0; j < k; j++) {
      T *const v = p + j + j * ld;
      const T t = make_reflector(v, m - j);
      if (threadIdx.x == 0) tau.at(b)[(int64_t)j * tau.increment(b)] = t;
      for (int c = j + 1 + threadIdx.x / 32; c < n; c += column_threads / 32)
        reflect_column(v, conj(t), m - j, p + j + c * ld, 1, false);
      __syncthreads();
    }
  }
}

template <class T> static __global__ void __launch_bounds__(column_threads) generate_columns(batch<T> a, batch<T> tau)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = m > 0 ? a.cols(b) : 0;
    if (n == 0) continue;
    const int k = tau.m > 0 && tau.n > 0 ? min(n, tau.length(b)) : 0;
    T *const p = a.at(b);
    const int64_t ld = a.leading(b);
    for (int j = k; j < n; j++)
      for (int i = threadIdx.x; i < m; i += column_threads) p[i + j * ld] = make<T>(i == j);
    __syncthreads();
    for (int j = k - 1; j >= 0; j--) {
      const T t = tau.at(b)[(int64_t)j * tau.increment(b)];
      T *const v = p + j + j * ld;
      for (int c = j + 1 + threadIdx.x / 32; c < n; c += column_threads / 32)
        reflect_column(v, t, m - j, p + j + c * ld, 1, false);
      __syncthreads();
      for (int i = threadIdx.x; i < m; i += column_threads)
        p[i + j * ld] = i < j ? make<T>(0) : i == j ? make<T>(1) - t : -(t * p[i + j * ld]);
      __syncthreads();
    }
  }
}

/* A warp has a column of C (LEFT) or a row (RIGHT, as the conjugate column); `others` of them in a matrix at most. */
template <class T>
static __global__ void __launch_bounds__(column_threads)
  apply_columns(bool left, bool adjoint, int others, batch<T> a, batch<T> tau, batch<T> c)
{
  const int warps = column_threads / 32;
  for (int64_t unit = (int64_t)blockIdx.x * warps + threadIdx.x / 32; unit < c.count * others;
       unit += (int64_t)gridDim.x * warps) {
    const int64_t b = unit / others;
    const int j = (int)(unit - b * others), m = left ? c.rows(b) : c.cols(b);
    if (j >= (left ? c.cols(b) : c.rows(b)) || m == 0) continue;
    const int k = min(m, a.cols(b));
    if (k == 0) continue;
    const int64_t lda = a.leading(b), ldc = c.leading(b), step = left ? 1 : ldc;
    const T *const p = a.at(b), *const taus = tau.at(b);
    T *const x = c.at(b) + j * (left ? ldc : 1);
    const bool forward = left == adjoint;
    for (int s = 0; s < k; s++) {
      const int i = forward ? s : k - 1 - s;
      const T t = taus[(int64_t)i * tau.increment(b)];
      reflect_column(p + i + i * lda, forward ? conj(t) : t, m - i, x + i * step, step, !left);
      __syncwarp();
    }
  }
}

} // namespace batched_cuda::qr

#endif
