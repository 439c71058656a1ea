/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products of blocks, for the kernels' callers: the blocked algorithms of the larger matrices.
 */
#ifndef BATCHED_CUDA_GEMM_CUH
#define BATCHED_CUDA_GEMM_CUH

#include "batched/cuda/launch.cuh"

namespace batched_cuda::products
{

/* C = alpha op(A) op(B) + beta C on the blocks that the views stand for.  In a variable batch each product is as large
 * as its C, and its k that of A; blocks that are empty are skipped. */
template <class T>
int gemm(batched_ctx *ctx, batched_trans transa, batched_trans transb, T alpha, const batch<T> &a, const batch<T> &b,
         T beta, const batch<T> &c);

/* C = alpha A A^H + beta C (NO_TRANS) or alpha A^H A + beta C (CONJ_TRANS), in C's triangle alone: syrk's kernels;
 * TRANS and hermitian = false give A A^T and A^T A. */
template <class T>
int syrk(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, bool hermitian, T alpha, const batch<T> &a, T beta,
         const batch<T> &c);

} // namespace batched_cuda::products

#endif
