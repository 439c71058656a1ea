/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows that call cuSOLVER (cusolver.cu).
 */
#ifndef BATCHED_CHOLESKY_CUDA_CUSOLVER_CUH
#define BATCHED_CHOLESKY_CUDA_CUSOLVER_CUH

#include "batched/cholesky/cholesky.h"
#include "batched/cuda/launch.cuh"

namespace batched_cuda::cholesky
{

bool vendor_potrf_fits(const batched_potrf_args &p);
int vendor_potrf(batched_ctx *ctx, const batched_potrf_args &p);
bool vendor_potrs_fits(const batched_potrs_args &p);
int vendor_potrs(batched_ctx *ctx, const batched_potrs_args &p);

} // namespace batched_cuda::cholesky

#endif
