/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.native of getrf in all types.
 */
#include "batched/lu/cuda/getrf_native.cuh"

namespace batched_cuda::lu
{

bool fits_native(const batched_getrf_args &p)
{
  return p.a.m > 0 && p.a.n > 0 && p.a.m <= LU_CLUSTER_ROWS && !batched_is_variable(&p.a);
}

int run_native(batched_ctx *ctx, const batched_getrf_args &p)
{
  return with_type(p.a.type, [&](auto t) { return run_getrf_native<decltype(t)>(ctx, p); });
}

} // namespace batched_cuda::lu
