/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What cuda.blocked calls of wy_resident.cu.
 */
#ifndef BATCHED_QR_CUDA_WY_RESIDENT_CUH
#define BATCHED_QR_CUDA_WY_RESIDENT_CUH

#include "batched/cuda/launch.cuh"

namespace batched_cuda::qr
{

/* C = Q^T C in double precision, V as geqrf leaves it, with a block per matrix where V stays in shared memory
 * (wy_resident.cu), for up to so many rows.  resident_columns(): how many reflectors do, 16 to a block; no more than
 * leave `last` of the rows. */
static constexpr int resident_rows = 512;
int resident_columns(int rows, int last);
int apply_resident(batched_ctx *ctx, const batch<double> &v, const batch<double> &tau, const batch<double> &c);

} // namespace batched_cuda::qr

#endif
