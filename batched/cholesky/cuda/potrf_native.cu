/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.native of potrf, in all types, and cuda.tiles_tc.
 */
#include "batched/cholesky/cuda/potrf_native.cuh"
#include "batched/cholesky/cuda/potrf_tiles_tc.cuh"

namespace batched_cuda::cholesky
{

#define INSTANTIATE(...) template int factor_natively(batched_ctx *, batched_uplo, const batch<__VA_ARGS__> &, int *);
BATCHED_WITH_TYPES(INSTANTIATE)
#undef INSTANTIATE

int factor_by_tiles_tc(batched_ctx *ctx, batched_uplo uplo, const batch<double> &a, int *info)
{
  return launch_tiles_tc(ctx, uplo == BATCHED_LOWER, a, info);
}

} // namespace batched_cuda::cholesky
