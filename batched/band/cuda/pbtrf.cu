/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of pbtrf.
 */
#include "batched/band/cuda/pbtrf_panels.cuh"
#include "batched/band/cuda/pbtrf_thread.cuh"

namespace batched_cuda::band
{
namespace
{

template <class T> pbtrf_call<T> typed(const batched_pbtrf_args &p)
{
  return {p.uplo == BATCHED_UPPER, p.kd, view<T>(p.ab), p.info};
}

bool fits_thread(const batched_pbtrf_args &p)
{
  return p.kd.bound <= 3;
}
int thread(batched_ctx *ctx, const batched_pbtrf_args &p)
{
  return with_type(p.ab.type, [&](auto t) { return launch_pbtrf_thread(ctx, typed<decltype(t)>(p)); });
}

bool fits_warp(const batched_pbtrf_args &p)
{
  return holds_for(p.ab.type, [&](auto t) { return pbtrf_depth(typed<decltype(t)>(p)) <= 16; });
}
int warp(batched_ctx *ctx, const batched_pbtrf_args &p)
{
  return with_type(p.ab.type, [&](auto t) { return launch_pbtrf_warp(ctx, typed<decltype(t)>(p)); });
}

bool fits_window(const batched_pbtrf_args &p)
{
  return holds_for(p.ab.type, [&](auto t) { return window_can_factor(typed<decltype(t)>(p)); });
}
int window(batched_ctx *ctx, const batched_pbtrf_args &p)
{
  return with_type(p.ab.type, [&](auto t) { return launch_pbtrf_window(ctx, typed<decltype(t)>(p)); });
}

bool fits_panels(const batched_pbtrf_args &p)
{
  return holds_for(p.ab.type, [&](auto t) { return panels_can_factor(typed<decltype(t)>(p)); });
}
int panels(batched_ctx *ctx, const batched_pbtrf_args &p)
{
  return with_type(p.ab.type, [&](auto t) { return launch_pbtrf_panels(ctx, typed<decltype(t)>(p)); });
}

int reference(batched_ctx *ctx, const batched_pbtrf_args &p)
{
  return with_type(p.ab.type, [&](auto t) { return launch_pbtrf_reference(ctx, typed<decltype(t)>(p)); });
}

} // namespace
} // namespace batched_cuda::band

using namespace batched_cuda;
using namespace batched_cuda::band;

const batched_variant batched_pbtrf_cuda[] = {
  row<fits_thread, nullptr, thread>("cuda.thread"),   row<fits_warp, nullptr, warp>("cuda.warp"),
  row<fits_window, nullptr, window>("cuda.window"),   row<fits_panels, nullptr, panels>("cuda.panels"),
  row<nullptr, nullptr, reference>("cuda.reference"), BATCHED_LAST_ROW,
};
