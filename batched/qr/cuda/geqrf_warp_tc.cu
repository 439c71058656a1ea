/* SPDX-License-Identifier: BSD-3-Clause
 *
 * geqrf in the registers of a warp (geqrf_warp_tc.cuh).
 */
#include "batched/qr/cuda/geqrf_warp_tc.cuh"
#include "batched/qr/cuda/single.cuh"

namespace batched_cuda::qr
{

template <class T> int run_warp_tc(batched_ctx *ctx, const batch<T> &a, const batch<T> &tau)
{
  return launch_geqrf_warp_tc(ctx, a, tau);
}

#define INSTANTIATE(...) \
  template int run_warp_tc(batched_ctx *, const batch<__VA_ARGS__> &, const batch<__VA_ARGS__> &);
BATCHED_WITH_TYPES(INSTANTIATE)
#undef INSTANTIATE

} // namespace batched_cuda::qr
