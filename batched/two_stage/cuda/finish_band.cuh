/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The step `finish` of cuda.composed of he2hb and ge2gb: T of the panel's I - V T V^T, as LAPACK's larft, from V^T V, a
 * second factor M from V^T X, and left T + right M, by a block that has it all but the vectors in shared memory.
 *
 *   grid       a block per matrix
 *   block      8 warps, which take 16 rows in turn; a row of T is a lane's, an element of M a thread's
 *   shared     41 kB: the warps' parts of V^T V and V^T X, these, T and M
 *   takes      d, kd = 16, any size, uniform and variable
 *   reads      V, X, left and right once; writes the result
 *   accuracy   that of products
 */
#ifndef BATCHED_TWO_STAGE_CUDA_FINISH_BAND_CUH
#define BATCHED_TWO_STAGE_CUDA_FINISH_BAND_CUH

#include "batched/cuda/launch.cuh"
#include "batched/cuda/mma.cuh"
#include "batched/two_stage/steps.h"

namespace batched_cuda::two_stage
{

struct band_finish {
  batched_band_factor factor;
  batch<double> v, x, tau, left, right, out;
};

enum { FINISH_WARPS = 8, FINISH_WIDTH = 16 };

/* T and M, and V^T V and V^T X. */
template <int KD> struct band_factors {
  double gram[KD][KD], product[KD][KD + 1];
  double t[KD][KD + 1], m[KD][KD + 1];
};

struct finish_memory : band_factors<FINISH_WIDTH> {
  double parts[FINISH_WARPS][2][FINISH_WIDTH][FINISH_WIDTH]; /* of V^T V and V^T X */
};

/* Elements (4 i + t, g) and (4 i + t, g + 8) of 16 rows, for lane 4 g + t; zeros from row `rows` on. */
__device__ __forceinline__ void load_rows(double (&x)[2][4], const double *from, int64_t ld, int rows, int g, int t)
{
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int u = 0; u < 2; u++) x[u][i] = 4 * i + t < rows ? from[4 * i + t + (g + 8 * u) * ld] : 0.0;
}

/* Adds 16 rows of `from`, m x KD, times a factor, KD x KD, to tiles of 8 columns. */
template <int KD>
__device__ __forceinline__ void add_rows(double (&sum)[KD / 8][4], const batch<double> &from, int64_t b, int row, int m,
                                         const double (&factor)[KD][KD + 1], int g, int t)
{
  const int64_t ld = from.leading(b);
  const double *const at = from.at(b) + row + g;
#pragma unroll
  for (int k = 0; k < KD; k += 16) {
    double a[8];
#pragma unroll
    for (int i = 0; i < 8; i++) a[i] = row + g + i % 2 * 8 < m ? at[i % 2 * 8 + (k + i / 2 * 4 + t) * ld] : 0.0;
#pragma unroll
    for (int q = 0; q < KD / 8; q++) {
      double other[4];
#pragma unroll
      for (int i = 0; i < 4; i++) other[i] = factor[k + 4 * i + t][8 * q + g];
      multiply_16x8x16(sum[q], a, other);
    }
  }
}

/* parts: V^T V and V^T X of the rows of each warp. */
__device__ __forceinline__ void form_parts(finish_memory &s, const band_finish &p, int64_t b, int warp, int g, int t)
{
  const int m = p.v.rows(b);
  double sums[2][2][4] = {};
  for (int row = 16 * warp; row < m; row += 16 * FINISH_WARPS) {
    double v[2][4], x[2][4];
    load_rows(v, p.v.at(b) + row, p.v.leading(b), m - row, g, t);
    const double a[8] = {v[0][0], v[1][0], v[0][1], v[1][1], v[0][2], v[1][2], v[0][3], v[1][3]};
    for (int u = 0; u < 2; u++) multiply_16x8x16(sums[0][u], a, v[u]);
    if (p.factor == BATCHED_BAND_ALONE) continue;
    load_rows(x, p.x.at(b) + row, p.x.leading(b), m - row, g, t);
    for (int u = 0; u < 2; u++) multiply_16x8x16(sums[1][u], a, x[u]);
  }
#pragma unroll
  for (int e = 0; e < 16; e++)
    s.parts[warp][e / 8][g + e / 2 % 2 * 8][e / 4 % 2 * 8 + 2 * t + e % 2] = sums[e / 8][e / 4 % 2][e % 4];
}

/* Row i of T. */
template <int KD> __device__ __forceinline__ void form_row(band_factors<KD> &s, int i, int few, const double *tau)
{
  double row[KD];
#pragma unroll
  for (int j = 0; j < KD; j++) {
    double sum = 0;
#pragma unroll
    for (int l = 0; l < j; l++) sum = fma(row[l], s.gram[l][j], sum);
    const double factor = j < few ? tau[j] : 0;
    row[j] = j < i ? 0 : j == i ? factor : -factor * sum;
    s.t[i][j] = row[j];
  }
}

template <int KD> __device__ __forceinline__ void form_second(band_factors<KD> &s, batched_band_factor factor)
{
  if (factor == BATCHED_BAND_MIDDLE) {
    for (int e = threadIdx.x; e < KD * KD; e += blockDim.x) {
      const int i = e / KD, j = e % KD;
      double sum = 0;
      for (int l = 0; l < KD; l++) sum = fma(s.product[i][l], s.t[l][j], sum);
      s.gram[i][j] = sum;
    }
    __syncthreads();
  }
  for (int e = threadIdx.x; e < KD * KD; e += blockDim.x) {
    const int i = e / KD, j = e % KD;
    double sum = 0;
    if (factor == BATCHED_BAND_MIDDLE)
      for (int l = 0; l < KD; l++) sum = fma(0.5 * s.t[l][i], s.gram[l][j], sum);
    else
      for (int l = 0; l < KD; l++) sum = fma(s.product[l][i], s.t[l][j], sum);
    s.m[i][j] = -sum;
  }
}

/* T and M from `few` factors tau, V^T V and V^T X, by the block. */
template <int KD>
__device__ __forceinline__ void form_factors_of_band(band_factors<KD> &s, batched_band_factor factor, int few,
                                                     const double *tau)
{
  if (threadIdx.x < KD) form_row(s, threadIdx.x, few, tau);
  __syncthreads();
  if (factor != BATCHED_BAND_ALONE) form_second(s, factor);
  __syncthreads();
}

__global__ void __launch_bounds__(32 * FINISH_WARPS) finish_band(const __grid_constant__ band_finish p)
{
  finish_memory &s = *reinterpret_cast<finish_memory *>(shared_array<double>());
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const int i = threadIdx.x / FINISH_WIDTH, j = threadIdx.x % FINISH_WIDTH;
  for (int64_t b = blockIdx.x; b < p.out.count; b += gridDim.x) {
    const int rows = p.out.rows(b);
    if (rows == 0) continue;
    form_parts(s, p, b, warp, g, t);
    __syncthreads();
    double sums[2] = {};
    for (int w = 0; w < FINISH_WARPS; w++) {
      sums[0] += s.parts[w][0][i][j];
      sums[1] += s.parts[w][1][i][j];
    }
    s.gram[i][j] = sums[0];
    s.product[i][j] = sums[1];
    __syncthreads();
    form_factors_of_band(s, p.factor, p.tau.rows(b), p.tau.at(b));
    const bool both = p.factor != BATCHED_BAND_ALONE;
    double *const out = p.out.at(b);
    const int64_t ld = p.out.leading(b);
    for (int row = 16 * warp; row < rows; row += 16 * FINISH_WARPS) {
      double sum[2][4] = {};
      add_rows<FINISH_WIDTH>(sum, p.left, b, row, rows, s.t, g, t);
      if (both) add_rows<FINISH_WIDTH>(sum, p.right, b, row, rows, s.m, g, t);
#pragma unroll
      for (int e = 0; e < 8; e++) {
        const int to = row + g + e / 2 % 2 * 8;
        if (to < rows) out[to + (e / 4 * 8 + 2 * t + e % 2) * ld] = sum[e / 4][e % 4];
      }
    }
    __syncthreads();
  }
}

} // namespace batched_cuda::two_stage

#endif
