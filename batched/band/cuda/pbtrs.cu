/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of pbtrs.
 */
#include "batched/band/cuda/panels.cuh"

namespace batched_cuda::band
{
namespace
{

template <class T> pbtrs_call<T> typed(const batched_pbtrs_args &p, const int *info = nullptr)
{
  return {p.uplo == BATCHED_UPPER, p.kd, view<T>(p.ab), view<T>(p.b), info};
}

bool fits_warp(const batched_pbtrs_args &p)
{
  return warp_can_solve(p.kd);
}
int warp(batched_ctx *ctx, const batched_pbtrs_args &p)
{
  return with_type(p.b.type, [&](auto t) { return launch_pbtrs_warp(ctx, typed<decltype(t)>(p)); });
}

bool fits_panels(const batched_pbtrs_args &p)
{
  return holds_for(p.b.type, [&](auto t) { return panels_can_solve(typed<decltype(t)>(p)); });
}
int panels(batched_ctx *ctx, const batched_pbtrs_args &p)
{
  return with_type(p.b.type, [&](auto t) { return launch_pbtrs_panels(ctx, typed<decltype(t)>(p)); });
}

int reference(batched_ctx *ctx, const batched_pbtrs_args &p)
{
  return with_type(p.b.type, [&](auto t) { return launch_pbtrs_reference(ctx, typed<decltype(t)>(p)); });
}

} // namespace

int solve_factors(batched_ctx *ctx, const batched_pbtrs_args &p, const int *info)
{
  return with_type(p.b.type, [&](auto t) {
    const auto c = typed<decltype(t)>(p, info);
    if (warp_can_solve(p.kd)) return launch_pbtrs_warp(ctx, c);
    return panels_can_solve(c) ? launch_pbtrs_panels(ctx, c) : launch_pbtrs_reference(ctx, c);
  });
}

} // namespace batched_cuda::band

using namespace batched_cuda;
using namespace batched_cuda::band;

const batched_variant batched_pbtrs_cuda[] = {
  row<fits_warp, nullptr, warp>("cuda.warp"),
  row<fits_panels, nullptr, panels>("cuda.panels"),
  row<nullptr, nullptr, reference>("cuda.reference"),
  BATCHED_LAST_ROW,
};
