/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The corner forces for a GPU; each does every task (fem_force_task) of its own store.
 */
#ifndef FEM_CUDA_FORCE_CUH
#define FEM_CUDA_FORCE_CUH

#include <cfloat>

#include "fem/fem.h"

namespace fem_cuda
{

int force_base(batched_ctx *ctx, const void *args);    /* force_base.cu: one thread a matrix */
int force_batched(batched_ctx *ctx, const void *args); /* force_batched.cu: the paper's kernels */
int force_fused(batched_ctx *ctx, const void *args);   /* force_fused.cu: F never formed */
bool force_fused_fits(const void *args);

/* |F 1| below this in a zone counts as zero: the square of the machine's precision */
static __device__ __forceinline__ double flush_tiny(double f)
{
  return fabs(f) < DBL_EPSILON * DBL_EPSILON ? 0.0 : f;
}

} // namespace fem_cuda

#endif
