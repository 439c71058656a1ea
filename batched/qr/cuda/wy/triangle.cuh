/* SPDX-License-Identifier: BSD-3-Clause
 *
 * T of a block of 16 reflectors I - V T V^T, a packed upper triangle in shared memory, from V^T V and the reflectors'
 * factors, by one warp.
 */
#ifndef BATCHED_QR_CUDA_WY_TRIANGLE_CUH
#define BATCHED_QR_CUDA_WY_TRIANGLE_CUH

#include "batched/cuda/mma.cuh"
#include "batched/qr/cuda/wy/reflectors.cuh"

namespace batched_cuda::qr
{

/* A packed upper triangle, by columns. */
static constexpr int wy_packed = wy_width * (wy_width + 1) / 2;
DEVICE constexpr int wy_place(int i, int j)
{
  return j * (j + 1) / 2 + i;
}
__device__ __forceinline__ double wy_element(const double *triangle, int i, int j)
{
  return i <= j ? triangle[wy_place(i, j)] : 0;
}

/* T = (triu(G, 1) + diag(1 / tau))^-1 with G = V^T V, given gram[16 l + j] = -tau_j G(l, j); row i by lane i < 16,
 * column by column. Zero from column `count` on. */
__device__ __forceinline__ void form_triangle(const double *gram, const double *taus, int count, double *triangle)
{
  const int i = threadIdx.x % 32;
  if (i >= wy_width) return;
  const double own = i < count ? taus[i] : 0;
  double row[wy_width] = {};
#pragma unroll
  for (int j = 0; j < wy_width; j++) {
    if (i >= j) row[j] = i == j ? own : 0;
    if (j >= count) row[j] = 0;
#pragma unroll
    for (int l = j / 2 * 2; l < wy_width; l += 2) {
      const double2 two = *reinterpret_cast<const double2 *>(gram + wy_width * j + l);
      if (l > j) row[l] = fma(row[j], two.x, row[l]);
      if (l + 1 > j) row[l + 1] = fma(row[j], two.y, row[l + 1]);
    }
  }
#pragma unroll
  for (int j = 0; j < wy_width; j++)
    if (i <= j) triangle[wy_place(i, j)] = row[j];
}

/* The same by halves, three times as fast, by all lanes of a warp: diagonal 8 x 8 blocks a row per lane, the block
 * above by products, as T = diag(tau) (I - triu(gram, 1))^-1. Overwrites `gram`. */
__device__ __forceinline__ void form_triangle_by_halves(double *gram, const double *taus, int count, double *triangle)
{
  constexpr int half = wy_width / 2;
  int lane = threadIdx.x % 32;
  recompute(lane);
  const int i = lane % half, q = lane & half, g = lane / 4, t = lane % 4;
  const double tau = i + q < count ? taus[i + q] : 0;
  double *const block = gram + (wy_width + 1) * q;
  double row[half];
#pragma unroll
  for (int j = 0; j < half; j++) row[j] = i == j ? 1 : 0;
#pragma unroll
  for (int j = 0; j < half; j++)
#pragma unroll
    for (int l = (j + 1) / 2 * 2; l < half; l += 2) {
      const double2 two = *reinterpret_cast<const double2 *>(block + wy_width * j + l);
      if (l > j && q + l < count) row[l] = fma(row[j], two.x, row[l]);
      if (q + l + 1 < count) row[l + 1] = fma(row[j], two.y, row[l + 1]);
    }
  __syncwarp();
  if (lane < wy_width) {
#pragma unroll
    for (int l = 0; l < half; l++) {
      if (q == 0) row[l] *= tau;
      block[wy_width * i + l] = row[l];
      if (i <= l) triangle[wy_place(i + q, l + q)] = q == 0 ? row[l] : row[l] * tau;
    }
  }
  __syncwarp();
  const double *const right = gram + half;
  double z[2] = {}, above[2] = {};
#pragma unroll
  for (int k = t; k < half; k += 4)
    multiply_8x8x4(z, gram[wy_width * g + k], half + g < count ? right[wy_width * k + g] : 0);
#pragma unroll
  for (int e = 0; e < 2; e++) multiply_8x8x4(above, z[e], right[wy_width * (half + 2 * t + e) + g]);
#pragma unroll
  for (int e = 0; e < 2; e++) triangle[wy_place(g, half + 2 * t + e)] = above[e];
}

} // namespace batched_cuda::qr

#endif
