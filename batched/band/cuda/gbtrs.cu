/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of gbtrs.
 */
#include "batched/band/cuda/panels.cuh"

namespace batched_cuda::band
{
namespace
{

template <class T> gbtrs_call<T> typed(const batched_gbtrs_args &p, const int *info = nullptr)
{
  return {p.trans, p.kl, p.ku, view<T>(p.ab), view<T>(p.b), pivots_of_factors(p.ab, p.ipiv, p.ab.n), info};
}

bool fits_warp(const batched_gbtrs_args &p)
{
  return holds_for(p.b.type, [&](auto t) { return warp_can_solve(typed<decltype(t)>(p)); });
}
int warp(batched_ctx *ctx, const batched_gbtrs_args &p)
{
  return with_type(p.b.type, [&](auto t) {
    const auto c = typed<decltype(t)>(p);
    return p.trans == BATCHED_NO_TRANS ? launch_gbtrs_warp(ctx, c) : launch_gbtrs_warp_transposed(ctx, c);
  });
}

bool fits_panels(const batched_gbtrs_args &p)
{
  return holds_for(p.b.type, [&](auto t) { return panels_can_solve(typed<decltype(t)>(p)); });
}
int panels(batched_ctx *ctx, const batched_gbtrs_args &p)
{
  return with_type(p.b.type, [&](auto t) { return launch_gbtrs_panels(ctx, typed<decltype(t)>(p)); });
}

int reference(batched_ctx *ctx, const batched_gbtrs_args &p)
{
  return with_type(p.b.type, [&](auto t) { return launch_gbtrs_reference(ctx, typed<decltype(t)>(p)); });
}

} // namespace

int solve_factors(batched_ctx *ctx, const batched_gbtrs_args &p, const int *info)
{
  return with_type(p.b.type, [&](auto t) {
    const auto c = typed<decltype(t)>(p, info);
    if (warp_can_solve(c)) return launch_gbtrs_warp(ctx, c);
    return panels_can_solve(c) ? launch_gbtrs_panels(ctx, c) : launch_gbtrs_reference(ctx, c);
  });
}

} // namespace batched_cuda::band

using namespace batched_cuda;
using namespace batched_cuda::band;

const batched_variant batched_gbtrs_cuda[] = {
  row<fits_warp, nullptr, warp>("cuda.warp"),
  row<fits_panels, nullptr, panels>("cuda.panels"),
  row<nullptr, nullptr, reference>("cuda.reference"),
  BATCHED_LAST_ROW,
};
