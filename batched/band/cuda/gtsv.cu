/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of gtsv.
 */
#include "batched/band/cuda/gtsv/gtsv_reference.cuh"
#include "batched/band/cuda/gtsv/gtsv_warp.cuh"

namespace batched_cuda::band
{
namespace
{

template <class T> gtsv_call<T> typed(const batched_gtsv_args &p)
{
  return {view<T>(p.dl), view<T>(p.d), view<T>(p.du), view<T>(p.b), p.info};
}

int reference(batched_ctx *ctx, const batched_gtsv_args &p)
{
  return with_type(p.d.type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, gtsv_reference<T>, ceil_div(p.d.count, REFERENCE_THREADS), REFERENCE_THREADS, 0, typed<T>(p));
  });
}

bool fits_warp(const batched_gtsv_args &p)
{
  return p.b.n > 0 && !p.b.ns &&
         holds_for(p.d.type, [&](auto t) { return gtsv_warp_bytes<decltype(t)>(p.d) <= most_shared(); });
}
int warp(batched_ctx *ctx, const batched_gtsv_args &p)
{
  return with_type(p.d.type, [&](auto t) {
    using T = decltype(t);
    return launch_gtsv_warp(ctx, typed<T>(p), gtsv_warp_bytes<T>(p.d));
  });
}

bool fits_thread(const batched_gtsv_args &p)
{
  return p.b.n == 1 && !p.b.ns;
}
int thread(batched_ctx *ctx, const batched_gtsv_args &p)
{
  return with_type(p.d.type, [&](auto t) { return launch_gtsv_thread(ctx, typed<decltype(t)>(p)); });
}

} // namespace
} // namespace batched_cuda::band

using namespace batched_cuda;
using namespace batched_cuda::band;

const batched_variant batched_gtsv_cuda[] = {
  row<fits_warp, batched_by_table, warp>("cuda.warp"),
  row<fits_thread, nullptr, thread>("cuda.thread"),
  row<nullptr, nullptr, reference>("cuda.reference"),
  BATCHED_LAST_ROW,
};
