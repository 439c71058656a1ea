/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.native of geqrf (geqrf_native.cuh).
 */
#ifndef BATCHED_QR_CUDA_NATIVE_CUH
#define BATCHED_QR_CUDA_NATIVE_CUH

#include "batched/qr/qr.h"

namespace batched_cuda::qr
{

/* Most rows. */
enum { QR_NATIVE_ROWS = 65536 };

int geqrf_native(batched_ctx *ctx, const batched_geqrf_args &p);

} // namespace batched_cuda::qr

#endif
