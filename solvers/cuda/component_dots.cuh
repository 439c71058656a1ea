/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Dot products of vectors [ncomp][n], one for each component, on the host: this rank's part.
 */
#ifndef SOLVERS_CUDA_COMPONENT_DOTS_CUH
#define SOLVERS_CUDA_COMPONENT_DOTS_CUH

#include "solvers/solvers.h"
#include "solvers/cuda/sums.cuh"

namespace solvers_cuda
{

constexpr int DOT_THREADS = 256, DOT_SPACE = (MOST_BLOCKS + 1) * SOLVER_MAX_COMPONENTS;

/* partial [gridDim.x][SOLVER_MAX_COMPONENTS]: (x, y) over the first `nowned` entries of each component.  Grid: blocks
 * of DOT_THREADS with entries i, i + stride, ... */
static __global__ void __launch_bounds__(DOT_THREADS)
  multiply(int ncomp, int64_t n, int64_t nowned, const double *__restrict__ x, const double *__restrict__ y,
           double *partial)
{
  __shared__ double shared[32 * SOLVER_MAX_COMPONENTS];
  double sums[SOLVER_MAX_COMPONENTS] = {};
  for (int64_t i = blockIdx.x * (int64_t)DOT_THREADS + threadIdx.x; i < nowned; i += (int64_t)DOT_THREADS * gridDim.x)
#pragma unroll
    for (int c = 0; c < SOLVER_MAX_COMPONENTS; c++)
      if (c < ncomp) sums[c] += x[c * n + i] * y[c * n + i];
  const double sum = sum_block(sums, shared);
  if (threadIdx.x < SOLVER_MAX_COMPONENTS) partial[blockIdx.x * SOLVER_MAX_COMPONENTS + threadIdx.x] = sum;
}

/* sums [SOLVER_MAX_COMPONENTS], on the host, those of components that there are not 0; partial [DOT_SPACE], on the
 * device. */
static inline int component_dots(batched_ctx *ctx, const solver_operator *a, const double *x, const double *y,
                                 double *partial, double *sums)
{
  double *total = partial + MOST_BLOCKS * SOLVER_MAX_COMPONENTS;
  const int blocks = sum_blocks(a->nowned, DOT_THREADS);
  int status = batched_cuda::launch(ctx, multiply, blocks, DOT_THREADS, 0, a->ncomp, a->n, a->nowned, x, y, partial);
  if (!status)
    status = batched_cuda::launch(ctx, add_partial<SOLVER_MAX_COMPONENTS>, 1, DOT_THREADS, 0, blocks, partial, total);
  return status ? status : batched_copy_to_host(ctx, sums, total, sizeof(double) * SOLVER_MAX_COMPONENTS);
}

} // namespace solvers_cuda

#endif
