/* SPDX-License-Identifier: BSD-3-Clause
 *
 * geqrf's cuda.native: 16 reflectors of a strip applied to the columns of its block (strip_update.cuh), in double
 * precision on the tensor cores.  Elements come from global memory into the lanes that need them; the lanes of a load
 * have four or eight neighbouring rows of several columns.
 *
 * grid      a block per chunk of rows and 16 columns
 * block     256 threads; multiply_strip_tc: warps take 8 rows in turn, subtract_strip_tc: 16 rows
 * shared    multiply_strip_tc 16 KB, subtract_strip_tc 4 KB
 * takes     double precision
 */
#ifndef BATCHED_QR_CUDA_NATIVE_STRIP_TENSOR_CUH
#define BATCHED_QR_CUDA_NATIVE_STRIP_TENSOR_CUH

#include "batched/cuda/mma.cuh"
#include "batched/qr/cuda/native/strip_update.cuh"

namespace batched_cuda::qr
{

/* An element of V with its ones and zeros. */
__device__ __forceinline__ double strip_element(const double *column, int i, int j, bool inside)
{
  double x = 0;
  if (inside && i > j) x = column[i];
  return inside && i == j ? 1 : x;
}

static __global__ void __launch_bounds__(256, 2) multiply_strip_tc(const __grid_constant__ strip_update<double> s)
{
  constexpr int W = STRIP_TILE, warps = 256 / warp_size;
  __shared__ double sums[warps][W * W];
  products::wait_for_stream(true);
  const int warp = threadIdx.x / warp_size, g = threadIdx.x % warp_size / 4, t = threadIdx.x % 4;
  for (int64_t unit = blockIdx.x; unit < s.c.count * s.chunks * s.groups; unit += gridDim.x) {
    const auto p = s.part_of(unit);
    const double *v[2], *c[2];
    bool has_v[2], has_c[2];
#pragma unroll
    for (int h = 0; h < 2; h++) {
      has_v[h] = g + 8 * h < s.w;
      has_c[h] = p.column + g + 8 * h < s.c.n;
      v[h] = s.v.at(p.b) + (has_v[h] ? g + 8 * h : 0) * s.v.leading(p.b);
      c[h] = s.c.at(p.b) + (has_c[h] ? p.column + g + 8 * h : 0) * (int64_t)s.c.leading(p.b);
    }
    double d[2][4] = {};
#pragma unroll 2
    for (int i0 = p.first + 8 * warp; i0 < p.last; i0 += 8 * warps) {
      double a[4], b[2][2];
#pragma unroll
      for (int k = 0; k < 2; k++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
          const int i = i0 + t + 4 * k;
          a[2 * k + h] = strip_element(v[h], i, g + 8 * h, has_v[h] && i < p.last);
          b[h][k] = has_c[h] && i < p.last ? c[h][i] : 0;
        }
      multiply_16x8x8(d[0], a, b[0]);
      multiply_16x8x8(d[1], a, b[1]);
    }
#pragma unroll
    for (int n = 0; n < 2; n++)
#pragma unroll
      for (int e = 0; e < 4; e++) sums[warp][(8 * n + 2 * t + e % 2) * W + g + e / 2 * 8] = d[n][e];
    __syncthreads();
    double sum = 0;
#pragma unroll
    for (int w = 0; w < warps; w++) sum += sums[w][threadIdx.x];
    p.sums[(int64_t)(p.first / s.chunk) * s.groups * W * W + threadIdx.x] = sum;
    __syncthreads();
  }
}

static __global__ void __launch_bounds__(256, 2) subtract_strip_tc(const __grid_constant__ strip_update<double> s)
{
  constexpr int warps = 256 / warp_size, rows = 2 * 16; /* of a warp at once */
  __shared__ strip_factors<double> f;
  products::wait_for_stream(true);
  const int warp = threadIdx.x / warp_size, g = threadIdx.x % warp_size / 4, t = threadIdx.x % 4;
  for (int64_t unit = blockIdx.x; unit < s.c.count * s.chunks * s.groups; unit += gridDim.x) {
    const auto p = s.part_of(unit);
    const int64_t ldv = s.v.leading(p.b), ldc = s.c.leading(p.b);
    const double *const v = s.v.at(p.b) + t * ldv;
    double *const c = s.c.at(p.b) + (p.column + 2 * t) * ldc;
    double a[2][2][4], d[2][2][4]; /* of 16 rows each: V, 8 columns at a time; C likewise */
    const auto for_each_of_c = [&](int i0, auto act) {
#pragma unroll
      for (int r = 0; r < 2; r++)
#pragma unroll
        for (int n = 0; n < 2; n++)
#pragma unroll
          for (int e = 0; e < 4; e++) {
            const int i = i0 + 16 * r + g + e / 2 * 8, j = 8 * n + e % 2;
            act(d[r][n][e], c + i + j * ldc, i < p.last && p.column + 2 * t + j < s.c.n);
          }
    };
    const auto load = [&](int i0) {
      for_each_of_c(i0, [](double &x, const double *at, bool inside) {
        x = 0;
        if (inside) x = *at;
      });
#pragma unroll
      for (int r = 0; r < 2; r++)
#pragma unroll
        for (int k = 0; k < 4; k++)
#pragma unroll
          for (int h = 0; h < 2; h++) {
            const int i = i0 + 16 * r + g + 8 * h, j = t + 4 * k;
            a[r][k / 2][k % 2 * 2 + h] = strip_element(v + 4 * k * ldv, i, j, j < s.w && i < p.last);
          }
    };
    int i0 = p.first + rows * warp;
    load(i0);
    f.find(s, p);
    double b[2][2][2]; /* k, n */
#pragma unroll
    for (int k = 0; k < 4; k++)
#pragma unroll
      for (int n = 0; n < 2; n++) b[k / 2][n][k % 2] = -f.y[8 * n + g][4 * k + t];
    while (i0 < p.last) {
#pragma unroll
      for (int r = 0; r < 2; r++)
#pragma unroll
        for (int k = 0; k < 2; k++)
#pragma unroll
          for (int n = 0; n < 2; n++) multiply_16x8x8(d[r][n], a[r][k], b[k][n]);
      for_each_of_c(i0, [](double x, double *at, bool inside) {
        if (inside) *at = x;
      });
      i0 += rows * warps;
      if (i0 < p.last) load(i0);
    }
    __syncthreads();
  }
}

} // namespace batched_cuda::qr

#endif
