/* SPDX-License-Identifier: BSD-3-Clause
 *
 * getrf in all of an SM's shared memory (getrf_shared_tc.cuh), in double and single precision.
 */
#include "batched/lu/cuda/getrf_shared_tc.cuh"

namespace batched_cuda::lu
{

bool shared_tc_fits(int m, int n)
{
  return m <= LU_RESIDENT_ORDER && n <= LU_RESIDENT_ORDER && most_shared() >= LU_RESIDENT_ROOM;
}

template <class T>
int factor_shared_tc(batched_ctx *ctx, const batch<T> &a, int first, int *ipiv, int npivots, int *info)
{
  return launch_getrf_shared_tc(ctx, a, first, ipiv, npivots, info);
}
template int factor_shared_tc(batched_ctx *, const batch<float> &, int, int *, int, int *);
template int factor_shared_tc(batched_ctx *, const batch<double> &, int, int *, int, int *);

bool fits_shared_tc(const batched_getrf_args &p)
{
  return (p.a.type == BATCHED_D || p.a.type == BATCHED_S) && shared_tc_fits(p.a.m, p.a.n);
}
int run_shared_tc(batched_ctx *ctx, const batched_getrf_args &p)
{
  const int k = p.a.m < p.a.n ? p.a.m : p.a.n;
  return p.a.type == BATCHED_S ? launch_getrf_shared_tc(ctx, view<float>(p.a), 0, p.ipiv, k, p.info)
                               : launch_getrf_shared_tc(ctx, view<double>(p.a), 0, p.ipiv, k, p.info);
}

} // namespace batched_cuda::lu
