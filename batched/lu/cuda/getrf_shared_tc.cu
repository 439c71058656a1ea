/* SPDX-License-Identifier: BSD-3-Clause
 *
 * getrf in all of an SM's shared memory (getrf_shared_tc.cuh), in double and single precision.
 */
#include "batched/lu/cuda/getrf_shared_tc.cuh"

namespace batched_cuda::lu
{

bool fits_shared_tc(const batched_getrf_args &p)
{
  const bool is_real = p.a.type == BATCHED_D || p.a.type == BATCHED_S;
  return is_real && p.a.m <= LU_RESIDENT_ORDER && p.a.n <= LU_RESIDENT_ORDER && most_shared() >= LU_RESIDENT_ROOM;
}
int run_shared_tc(batched_ctx *ctx, const batched_getrf_args &p)
{
  return p.a.type == BATCHED_S ? launch_getrf_shared_tc<float>(ctx, p) : launch_getrf_shared_tc<double>(ctx, p);
}

} // namespace batched_cuda::lu
