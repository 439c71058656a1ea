/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows that call cuSOLVER (cusolver.cu).
 */
#ifndef BATCHED_CUDA_VENDOR_CHOLESKY_CUH
#define BATCHED_CUDA_VENDOR_CHOLESKY_CUH

#include "batched/cuda/launch.cuh"

namespace batched_cuda::cholesky
{

bool vendor_potrf_fits(const void *args);
int vendor_potrf(batched_ctx *ctx, const void *args);
bool vendor_potrs_fits(const void *args);
int vendor_potrs(batched_ctx *ctx, const void *args);

} // namespace batched_cuda::cholesky

#endif
