/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuSOLVER's getrf of one large matrix (cusolver.cu).
 */
#ifndef BATCHED_LU_CUDA_CUSOLVER_CUH
#define BATCHED_LU_CUDA_CUSOLVER_CUH

#include "batched/lu/lu.h"

namespace batched_cuda::lu
{

bool vendor_getrf_fits(const batched_getrf_args &p);
int vendor_getrf(batched_ctx *ctx, const batched_getrf_args &p);

} // namespace batched_cuda::lu

#endif
