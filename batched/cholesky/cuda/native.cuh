/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.native of potrf (potrf_native.cuh).
 */
#ifndef BATCHED_CHOLESKY_CUDA_NATIVE_CUH
#define BATCHED_CHOLESKY_CUDA_NATIVE_CUH

#include "batched/cuda/launch.cuh"

namespace batched_cuda::cholesky
{

template <class T> int factor_natively(batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, int *info);

} // namespace batched_cuda::cholesky

#endif
