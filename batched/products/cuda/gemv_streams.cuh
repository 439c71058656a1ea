/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The row of gemv that calls cuBLAS matrix by matrix (gemv_streams.cu).
 */
#ifndef BATCHED_CUDA_VENDOR_GEMV_CUH
#define BATCHED_CUDA_VENDOR_GEMV_CUH

#include "batched/cuda/launch.cuh"
#include "batched/products/products.h"

namespace batched_cuda::products
{

bool vendor_gemv_streams_fits(const batched_gemv_args &g);
int vendor_gemv_streams(batched_ctx *ctx, const batched_gemv_args &g);

} // namespace batched_cuda::products

#endif
