/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.native (potrf_native.cuh) and cuda.tiles_tc (potrf_tiles_tc.cuh) of potrf.
 */
#ifndef BATCHED_CHOLESKY_CUDA_NATIVE_CUH
#define BATCHED_CHOLESKY_CUDA_NATIVE_CUH

#include "batched/cuda/launch.cuh"

namespace batched_cuda::cholesky
{

template <class T> int factor_natively(batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, int *info);
int factor_by_tiles_tc(batched_ctx *ctx, batched_uplo uplo, const batch<double> &a, int *info);

} // namespace batched_cuda::cholesky

#endif
