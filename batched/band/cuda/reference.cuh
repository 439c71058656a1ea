/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.reference of gbtrs, pbtrs and tbsv: substitution with band triangles, a warp per right-hand side, everything
 * in global memory.  Column by column: an unknown is divided by its diagonal, and what is near enough loses its column;
 * one barrier of the warp an unknown.
 *
 * grid      a block per right-hand side
 * block     32 threads
 * takes     all four types, any order, width and number of right-hand sides, A shared or not, uniform and variable
 * reads     the triangle, pivots, and info where there is one (B stays as it is where it is not 0); writes B
 * accuracy  |op(A) X - B| < 30 n eps |A| |X|
 */
#ifndef BATCHED_BAND_CUDA_REFERENCE_CUH
#define BATCHED_BAND_CUDA_REFERENCE_CUH

#include "batched/band/cuda/band.cuh"

namespace batched_cuda::band
{

/* E x = b in place, element i of x at x[i * inc]. */
template <class T> __device__ __forceinline__ void substitute(const band_triangle<T> &e, T *x, int64_t inc)
{
  const int lane = threadIdx.x, sign = e.lower ? 1 : -1;
  for (int step = 0; step < e.n; step++) {
    const int64_t i = e.lower ? step : e.n - 1 - step;
    T y = x[i * inc];
    if (!e.unit) y = divide(y, conj_if(e.conj, e.at[i * (e.row + e.col)]));
    __syncwarp();
    if (lane == 0) x[i * inc] = y;
    for (int64_t near = 1 + lane; near <= min(e.kd, e.n - 1 - step); near += 32) {
      const int64_t r = i + sign * near;
      x[r * inc] = mad(-conj_if(e.conj, e.at[r * e.row + i * e.col]), y, x[r * inc]);
    }
    __syncwarp();
  }
}

template <class T> __device__ __forceinline__ void exchange(T *x, int i, int p)
{
  const T y = x[i], z = x[p];
  __syncwarp();
  if (threadIdx.x == 0) x[i] = z, x[p] = y;
  __syncwarp();
}

/* x = L^-1 x: exchanges and columns of multipliers in their turn. */
template <class T> __device__ __forceinline__ void eliminate(const band_matrix<const T> &f, const int *ipiv, T *x)
{
  for (int k = 0; k < f.n; k++) {
    exchange(x, k, ipiv[k] - 1);
    const T y = x[k];
    for (int i = k + 1 + (int)threadIdx.x; i < min(f.n, k + 1 + f.kl); i += 32) x[i] = mad(-f(i, k), y, x[i]);
    __syncwarp();
  }
}

/* x = op(L)^-1 x, L transposed or its conjugate transposed. */
template <class T>
__device__ __forceinline__ void eliminate_back(const band_matrix<const T> &f, const int *ipiv, bool conj, T *x)
{
  for (int k = f.n - 1; k >= 0; k--) {
    T sum = make<T>(0);
    for (int i = k + 1 + (int)threadIdx.x; i < min(f.n, k + 1 + f.kl); i += 32)
      sum = mad(conj_if(conj, f(i, k)), x[i], sum);
    sum = sum_lanes(sum);
    if (threadIdx.x == 0) x[k] = x[k] - sum;
    __syncwarp();
    exchange(x, k, ipiv[k] - 1);
  }
}

/* ------------------------------------------------------------------ gbtrs */

template <class T> struct gbtrs_call {
  batched_trans trans;
  extent kl, ku;
  batch<T> ab, b;
  pivot_sets<const int> pivots;
  const int *info; /* NULL, or solve only where it is 0 */
};

template <class T> __global__ void gbtrs_reference(gbtrs_call<T> c)
{
  const bool conj = c.trans == BATCHED_CONJ_TRANS;
  for (int64_t g = blockIdx.x; g < c.b.count * c.b.n; g += gridDim.x) {
    const int64_t b = g / c.b.n;
    const int j = (int)(g % c.b.n), n = c.b.rows(b), kl = c.kl.at(b), ku = c.ku.at(b);
    if (n == 0 || j >= c.b.cols(b) || (c.info && c.info[b] != 0)) continue;
    const int64_t col = c.ab.leading(b) - (int64_t)1;
    const band_matrix<const T> f = {c.ab.at(b) + kl + ku, col, n, n, kl, kl + ku};
    T *x = c.b.at(b) + (int64_t)j * c.b.leading(b);
    if (c.trans == BATCHED_NO_TRANS) {
      eliminate(f, c.pivots.at(b), x);
      substitute(band_triangle<T>{f.at, 1, col, n, f.kv, false, false, false}, x, 1);
    } else {
      substitute(band_triangle<T>{f.at, col, 1, n, f.kv, true, false, conj}, x, 1);
      eliminate_back(f, c.pivots.at(b), conj, x);
    }
    __syncwarp();
  }
}

template <class T> int launch_gbtrs_reference(batched_ctx *ctx, const gbtrs_call<T> &c)
{
  return launch(ctx, gbtrs_reference<T>, c.b.count * c.b.n, warp_size, 0, c);
}

/* ------------------------------------------------------------------ pbtrs */

template <class T> struct pbtrs_call {
  bool upper;
  extent kd;
  batch<T> ab, b;
  const int *info;
};

/* A^-1 = L^-H L^-1 or U^-1 U^-H. */
template <class T> __global__ void pbtrs_reference(pbtrs_call<T> c)
{
  for (int64_t g = blockIdx.x; g < c.b.count * c.b.n; g += gridDim.x) {
    const int64_t b = g / c.b.n;
    const int j = (int)(g % c.b.n), n = c.b.rows(b), kd = c.kd.at(b);
    if (n == 0 || j >= c.b.cols(b) || (c.info && c.info[b] != 0)) continue;
    T *x = c.b.at(b) + (int64_t)j * c.b.leading(b);
    band_triangle<T> forward = triangle_of(c.ab, b, n, kd, c.upper, c.upper),
                     backward = triangle_of(c.ab, b, n, kd, c.upper, !c.upper);
    forward.conj = c.upper;
    backward.conj = !c.upper;
    substitute(forward, x, 1);
    substitute(backward, x, 1);
  }
}

template <class T> int launch_pbtrs_reference(batched_ctx *ctx, const pbtrs_call<T> &c)
{
  return launch(ctx, pbtrs_reference<T>, c.b.count * c.b.n, warp_size, 0, c);
}

/* ------------------------------------------------------------------ tbsv */

template <class T> struct tbsv_call {
  bool upper, transposed, conj, unit;
  extent kd;
  batch<T> ab, x;
};

template <class T> __global__ void tbsv_reference(tbsv_call<T> c)
{
  for (int64_t b = blockIdx.x; b < c.x.count; b += gridDim.x) {
    const int n = c.x.length(b);
    if (n == 0) continue;
    band_triangle<T> e = triangle_of(c.ab, b, n, c.kd.at(b), c.upper, c.transposed);
    e.conj = c.conj;
    e.unit = c.unit;
    substitute(e, c.x.at(b), c.x.increment(b));
  }
}

} // namespace batched_cuda::band

#endif
