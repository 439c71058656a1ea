/* SPDX-License-Identifier: BSD-3-Clause
 *
 * geqrf in the shared memory of a block (geqrf_panels_shared.cuh), for geqrf and gels.
 */
#include "batched/qr/cuda/geqrf_panels_shared.cuh"

namespace batched_cuda::qr
{

bool panels_shared_fit(batched_type type, int m, int n)
{
  return holds_for(type, [&](auto t) { return kept_fits<decltype(t)>(m, n); });
}

template <class T> int run_panels_shared(batched_ctx *ctx, const batch<T> &a, const batch<T> &tau)
{
  return launch_geqrf_panels_shared(ctx, a, tau);
}

#define INSTANTIATE(...) \
  template int run_panels_shared(batched_ctx *, const batch<__VA_ARGS__> &, const batch<__VA_ARGS__> &);
BATCHED_WITH_TYPES(INSTANTIATE)
#undef INSTANTIATE

} // namespace batched_cuda::qr
