/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuSOLVER's rows of heev and gesvd (cusolver.cu).
 */
#ifndef BATCHED_EIGEN_CUDA_CUSOLVER_CUH
#define BATCHED_EIGEN_CUDA_CUSOLVER_CUH

#include "batched/operations.h"

namespace batched_cuda::eigen
{

bool heev_vendor_fits(const void *args);
int heev_vendor(batched_ctx *ctx, const void *args);
bool gesvd_vendor_fits(const void *args);
int gesvd_vendor(batched_ctx *ctx, const void *args);

} // namespace batched_cuda::eigen

#endif
