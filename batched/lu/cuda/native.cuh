/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.native of getrf (getrf_native.cuh), and cuSOLVER's getrf of one matrix, its peer.
 */
#ifndef BATCHED_LU_CUDA_NATIVE_CUH
#define BATCHED_LU_CUDA_NATIVE_CUH

#include "batched/lu/lu.h"

namespace batched_cuda::lu
{

/* Most rows. */
enum { LU_NATIVE_ROWS = 65536 };

int getrf_native(batched_ctx *ctx, const batched_getrf_args &p);

bool vendor_getrf_fits(const batched_getrf_args &p);
int vendor_getrf(batched_ctx *ctx, const batched_getrf_args &p);

} // namespace batched_cuda::lu

#endif
