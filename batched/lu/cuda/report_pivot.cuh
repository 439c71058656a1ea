/* SPDX-License-Identifier: BSD-3-Clause
 *
 * info of LU by parts.
 */
#ifndef BATCHED_LU_CUDA_REPORT_PIVOT_CUH
#define BATCHED_LU_CUDA_REPORT_PIVOT_CUH

namespace batched_cuda::lu
{

/* Adds what the columns from `first` on found to info, which counts from 1. */
static __device__ __forceinline__ void report_pivot(int found, int first, int *info)
{
  if (first == 0)
    *info = found;
  else if (found && *info == 0)
    *info = first + found;
}
} // namespace batched_cuda::lu

#endif
