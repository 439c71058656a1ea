/* SPDX-License-Identifier: BSD-3-Clause
 *
 * geqrf in the registers of a block (geqrf_registers.cuh), for geqrf and gels.
 */
#include "batched/qr/cuda/geqrf_registers.cuh"

namespace batched_cuda::qr
{

template <class T> int run_registers(batched_ctx *ctx, const batch<T> &a, const batch<T> &tau)
{
  return launch_geqrf_registers(ctx, a, tau);
}

#define INSTANTIATE(...) \
  template int run_registers(batched_ctx *, const batch<__VA_ARGS__> &, const batch<__VA_ARGS__> &);
BATCHED_WITH_TYPES(INSTANTIATE)
#undef INSTANTIATE

} // namespace batched_cuda::qr
