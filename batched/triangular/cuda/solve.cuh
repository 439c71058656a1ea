/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Triangular solves with blocks, for the blocked algorithms of larger matrices.
 */
#ifndef BATCHED_CUDA_SOLVE_CUH
#define BATCHED_CUDA_SOLVE_CUH

#include "batched/cuda/launch.cuh"

namespace batched_cuda::triangular
{

/* B = alpha op(A)^-1 B or alpha B op(A)^-1: trsm's kernels (trsm.cu). */
template <class T>
int trsm(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, batched_diag diag, T alpha,
         const batch<T> &a, const batch<T> &b);

/* The same with A on the left of one column, which is x: trsv's kernels (trsv.cu). */
template <class T>
int trsv(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_diag diag, const batch<T> &a,
         const batch<T> &x);

} // namespace batched_cuda::triangular

#endif
