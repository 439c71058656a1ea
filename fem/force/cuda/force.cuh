/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The corner forces for a GPU.
 */
#ifndef FEM_CUDA_FORCE_CUH
#define FEM_CUDA_FORCE_CUH

#include <cfloat>

#include "fem/force/force.h"

namespace fem_cuda
{

extern const fem_force_functions force_base;    /* force_base.cu: one thread per matrix */
extern const fem_force_functions force_batched; /* force_batched.cu: the paper's kernels */
extern const fem_force_functions force_dense;   /* force_dense_row.cu: products with dense tables, F never formed */
extern const fem_force_functions force_fused;   /* force_fused.cu: F never formed */
bool force_fused_fits(const void *args);
bool force_dense_fits(const void *args);
bool force_dense_likes(const void *args);

/* |F 1| below this in a zone counts as zero: the square of the machine's precision */
static __device__ __forceinline__ double flush_tiny(double f)
{
  return fabs(f) < DBL_EPSILON * DBL_EPSILON ? 0.0 : f;
}

} // namespace fem_cuda

#endif
