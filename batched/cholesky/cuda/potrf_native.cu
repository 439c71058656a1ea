/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.native of potrf in all types.
 */
#include "batched/cholesky/cuda/potrf_native.cuh"

namespace batched_cuda::cholesky
{

#define INSTANTIATE(...) template int factor_natively(batched_ctx *, batched_uplo, const batch<__VA_ARGS__> &, int *);
BATCHED_WITH_TYPES(INSTANTIATE)
#undef INSTANTIATE

} // namespace batched_cuda::cholesky
