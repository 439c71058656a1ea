/* SPDX-License-Identifier: BSD-3-Clause
 *
 * getrf in the registers of a warp (getrf_warp_tc.cuh).
 */
#include "batched/lu/cuda/getrf_warp_tc.cuh"

namespace batched_cuda::lu
{

bool fits_warp_tc(const batched_getrf_args &p)
{
  const int most = p.a.type == BATCHED_Z ? LU_CORNER + 8 : 2 * LU_CORNER;
  return p.a.m <= most && p.a.n <= most;
}
int run_warp_tc(batched_ctx *ctx, const batched_getrf_args &p)
{
  return with_type(p.a.type, [&](auto t) { return launch_getrf_warp_tc<decltype(t)>(ctx, p); });
}
/* In double precision always; the table says where other types gain by it. */
bool likes_warp_tc(const batched_getrf_args &p)
{
  return p.a.type == BATCHED_D;
}

} // namespace batched_cuda::lu
