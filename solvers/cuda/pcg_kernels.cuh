/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernels of rows cuda.fused and cuda.looped of pcg, for an operator without a split: the passes over the vectors,
 * and the step of the scalars; contract: pcg.cu.
 */
#ifndef SOLVERS_CUDA_PCG_KERNELS_CUH
#define SOLVERS_CUDA_PCG_KERNELS_CUH

#include "solvers/cuda/pcg.cuh"
#include "solvers/cuda/sums.cuh"

namespace solvers_cuda
{

using batched_cuda::sum_lanes;

constexpr int THREADS = 256;

/* x = 0, r = b, p = D^-1 b; *to = first.  Grid (blocks, components), as in the next. */
static __global__ void __launch_bounds__(THREADS)
  start(pcg_vectors v, const double *b, double *x, pcg_state first, pcg_state *to)
{
  const int64_t offset = blockIdx.y * v.n;
  if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0) *to = first;
  for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < v.n; i += (int64_t)THREADS * gridDim.x) {
    const double value = b[offset + i];
    x[offset + i] = 0.0;
    v.r[offset + i] = value;
    v.p[offset + i] = v.inverse_diagonal ? v.inverse_diagonal[i] * value : value;
  }
}

/* dots [ncomp][SOLVER_DOTS][parts], part = block. */
static __global__ void __launch_bounds__(THREADS) dot_products(pcg_vectors v, const pcg_state *state, double *dots)
{
  __shared__ double shared[32 * SOLVER_DOTS];
  const int c = blockIdx.y;
  const int64_t offset = c * v.n;
  double sums[SOLVER_DOTS] = {};
  if (!state->converged[c])
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < v.nowned; i += (int64_t)THREADS * gridDim.x) {
      const double d = v.inverse_diagonal ? v.inverse_diagonal[i] : 1.0;
      const double r = v.r[offset + i], p = v.p[offset + i], w = v.w[offset + i], z = d * r;
      sums[SOLVER_PW] += p * w;
      sums[SOLVER_RZ] += r * z;
      sums[SOLVER_WZ] += w * z;
      sums[SOLVER_WW] += w * d * w;
    }
  const int k = (int)threadIdx.x;
  const double sum = sum_block(sums, shared);
  if (k < SOLVER_DOTS) dots[((int64_t)c * SOLVER_DOTS + k) * gridDim.x + blockIdx.x] = sum;
}

/* Sums of the parts: a warp for each of the rows of dots. */
static __device__ void sum_parts(int parts, const double *dots, double *sums)
{
  const int row = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
  double sum = 0.0;
#pragma unroll 8
  for (int i = lane; i < parts; i += 32) sum += dots[(int64_t)row * parts + i];
  sum = sum_lanes(sum);
  if (lane == 0) sums[row] = sum;
}

/* One block, a warp per row. */
static __global__ void reduce(int parts, const double *dots, double *sums)
{
  sum_parts(parts, dots, sums);
}

/* The same, and the decision; `loop` goes on while the solve does. */
static __global__ void reduce_and_decide(int parts, const double *dots, pcg_state *state,
                                         cudaGraphConditionalHandle loop)
{
  __shared__ pcg_sums sums;
  sum_parts(parts, dots, &sums[0][0]);
  __syncthreads();
  if (threadIdx.x > 0) return;
  decide(*state, sums);
  cudaGraphSetConditional(loop, state->going);
}

/* x += alpha p;  r -= alpha w;  p = D^-1 r + beta p.  A thread does all components of an entry, which share D. */
template <int NCOMP> static __global__ void __launch_bounds__(THREADS) update(pcg_vectors v, const pcg_state *state)
{
  const int64_t stride = (int64_t)THREADS * gridDim.x;
  double *__restrict__ x = state->x, *__restrict__ r = v.r, *__restrict__ p = v.p;
  const double *__restrict__ w = v.w, *__restrict__ inverse_diagonal = v.inverse_diagonal;
  double alpha[NCOMP], beta[NCOMP];
  bool active[NCOMP];
#pragma unroll
  for (int c = 0; c < NCOMP; c++) alpha[c] = state->alpha[c], beta[c] = state->beta[c], active[c] = state->update[c];
#pragma unroll 1
  for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < v.n; i += stride) {
    const double d = inverse_diagonal ? inverse_diagonal[i] : 1.0;
    double old_x[NCOMP], old_r[NCOMP], old_p[NCOMP], old_w[NCOMP]; /* all loads before the first use */
#pragma unroll
    for (int c = 0; c < NCOMP; c++) {
      const int64_t at = c * v.n + i;
      old_x[c] = x[at], old_r[c] = r[at], old_p[c] = p[at], old_w[c] = w[at];
    }
#pragma unroll
    for (int c = 0; c < NCOMP; c++) {
      const int64_t at = c * v.n + i;
      const double next = old_r[c] - alpha[c] * old_w[c];
      if (!active[c]) continue;
      x[at] = old_x[c] + alpha[c] * old_p[c];
      r[at] = next;
      p[at] = d * next + beta[c] * old_p[c];
    }
  }
}

} // namespace solvers_cuda

#endif
