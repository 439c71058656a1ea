/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The row of gemv that calls cuBLAS matrix by matrix (gemv_streams.cu).
 */
#ifndef BATCHED_CUDA_VENDOR_GEMV_CUH
#define BATCHED_CUDA_VENDOR_GEMV_CUH

#include "batched/cuda/launch.cuh"

namespace batched_cuda::products
{

bool vendor_gemv_streams_fits(const void *args);
int vendor_gemv_streams(batched_ctx *ctx, const void *args);

} // namespace batched_cuda::products

#endif
