/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of gbtrf.
 */
#include "batched/band/cuda/gbtrf_panels.cuh"
#include "batched/band/cuda/halves.cuh"
#include "batched/band/cuda/lanes.cuh"
#include "batched/band/cuda/thread.cuh"

namespace batched_cuda::band
{
namespace
{

bool fits_thread(const batched_gbtrf_args &p)
{
  return thread_can_factor(p);
}
int thread(batched_ctx *ctx, const batched_gbtrf_args &p)
{
  return with_type(p.ab.type, [&](auto t) {
    using T = decltype(t);
    return launch_band_thread<false>(ctx, thread_call<T>{typed<T>(p), view<T>(p.ab), nullptr});
  });
}

bool fits_lanes(const batched_gbtrf_args &p)
{
  return lanes_can_factor(p.kl, p.ku);
}
int lanes(batched_ctx *ctx, const batched_gbtrf_args &p)
{
  return with_type(p.ab.type, [&](auto t) {
    using T = decltype(t);
    return launch_lanes(ctx, lanes_call<T>{typed<T>(p), {}, nullptr}, no_sides{});
  });
}

bool fits_warp(const batched_gbtrf_args &p)
{
  return holds_for(p.ab.type, [&](auto t) {
    return warp_shape::of<decltype(t)>(p.kl.bound, (int64_t)p.kl.bound + p.ku.bound).lanes > 0;
  });
}
int warp(batched_ctx *ctx, const batched_gbtrf_args &p)
{
  return with_type(p.ab.type, [&](auto t) { return launch_gbtrf_warp(ctx, typed<decltype(t)>(p)); });
}

bool fits_halves(const batched_gbtrf_args &p)
{
  return halves_can_factor(p.kl.bound, (int64_t)p.kl.bound + p.ku.bound);
}
int halves(batched_ctx *ctx, const batched_gbtrf_args &p)
{
  return with_type(p.ab.type, [&](auto t) { return launch_gbtrf_halves(ctx, typed<decltype(t)>(p)); });
}

bool fits_panels(const batched_gbtrf_args &p)
{
  return holds_for(p.ab.type, [&](auto t) { return panels_can_factor(typed<decltype(t)>(p)); });
}
int panels(batched_ctx *ctx, const batched_gbtrf_args &p)
{
  return with_type(p.ab.type, [&](auto t) { return launch_gbtrf_panels(ctx, typed<decltype(t)>(p)); });
}

int reference(batched_ctx *ctx, const batched_gbtrf_args &p)
{
  return with_type(p.ab.type, [&](auto t) { return launch_gbtrf_reference(ctx, typed<decltype(t)>(p)); });
}

/* Columns that cuda.window goes on by. */
constexpr int window_step = 16;

bool fits(const batched_gbtrf_args &p, int64_t step)
{
  const int64_t ld = 2 * (int64_t)p.kl.bound + p.ku.bound + 1, window = (int64_t)p.kl.bound + p.ku.bound + step;
  const int64_t columns = window < p.ab.n ? window : p.ab.n;
  return ld * columns * (int64_t)batched_element_bytes(p.ab.type) <= (int64_t)most_shared();
}
bool fits_window(const batched_gbtrf_args &p)
{
  return fits(p, window_step);
}
int window(batched_ctx *ctx, const batched_gbtrf_args &p)
{
  return with_type(p.ab.type, [&](auto t) { return launch_gbtrf_window(ctx, typed<decltype(t)>(p), window_step); });
}

bool fits_fused(const batched_gbtrf_args &p)
{
  return fits(p, p.ab.n);
}
int fused(batched_ctx *ctx, const batched_gbtrf_args &p)
{
  return with_type(p.ab.type,
                   [&](auto t) { return launch_gbtrf_window(ctx, typed<decltype(t)>(p), p.ab.n > 0 ? p.ab.n : 1); });
}

} // namespace
} // namespace batched_cuda::band

using namespace batched_cuda;
using namespace batched_cuda::band;

const batched_variant batched_gbtrf_cuda[] = {
  row<fits_thread, batched_by_table, thread>("cuda.thread"),
  row<fits_lanes, nullptr, lanes>("cuda.lanes"),
  row<fits_halves, batched_by_table, halves>("cuda.halves"),
  row<fits_warp, nullptr, warp>("cuda.warp"),
  row<fits_panels, nullptr, panels>("cuda.panels"),
  row<fits_window, never, window>("cuda.window"),
  row<fits_fused, never, fused>("cuda.fused"),
  row<nullptr, nullptr, reference>("cuda.reference"),
  BATCHED_LAST_ROW,
};
