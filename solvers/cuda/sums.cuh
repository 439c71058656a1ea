/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums over a grid, always in the same order: each block leaves its partial sums, and one block adds those up.
 */
#ifndef SOLVERS_CUDA_SUMS_CUH
#define SOLVERS_CUDA_SUMS_CUH

#include "batched/cuda/launch.cuh"

namespace solvers_cuda
{

/* Most blocks of a pass that sums, block b with elements b, b + blocks, ... of `elements` at a time.  The same on all
 * GPUs, so that sums have the same bits, and few enough for one block to add up; four for each of 132 processors. */
constexpr int MOST_BLOCKS = 528;

static inline int sum_blocks(int64_t n, int elements, int most = MOST_BLOCKS)
{
  const int64_t blocks = batched_cuda::ceil_div(n, elements);
  return blocks < 1 ? 1 : blocks < most ? (int)blocks : most;
}

/* The sums of v[K] over a block of whole warps, in its first K threads' return value; shared: [32][K], free again after
 * a barrier. */
template <int K> __device__ __forceinline__ double sum_block(double (&v)[K], double *shared)
{
  const int warps = blockDim.x / 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int k = 0; k < K; k++) v[k] = batched_cuda::sum_lanes(v[k]);
  if (threadIdx.x % 32 == 0)
#pragma unroll
    for (int k = 0; k < K; k++) shared[warp * K + k] = v[k];
  __syncthreads();
  double sum = 0.0;
  if (threadIdx.x < K)
    for (int w = 0; w < warps; w++) sum += shared[w * K + threadIdx.x];
  return sum;
}

/* partial [blocks][K] to out [K]; one block of whole warps. */
template <int K> __global__ void add_partial(int blocks, const double *partial, double *out)
{
  __shared__ double shared[32 * K];
  double v[K] = {};
  for (int b = threadIdx.x; b < blocks; b += blockDim.x)
#pragma unroll
    for (int k = 0; k < K; k++) v[k] += partial[(int64_t)b * K + k];
  const double sum = sum_block(v, shared);
  if (threadIdx.x < K) out[threadIdx.x] = sum;
}

} // namespace solvers_cuda

#endif
