/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of tbsv.
 */
#include "batched/band/cuda/panels.cuh"

namespace batched_cuda::band
{
namespace
{

template <class T> tbsv_call<T> typed(const batched_tbsv_args &p)
{
  return {p.uplo == BATCHED_UPPER,
          p.trans != BATCHED_NO_TRANS,
          p.trans == BATCHED_CONJ_TRANS,
          p.diag == BATCHED_UNIT,
          p.kd,
          view<T>(p.ab),
          view<T>(p.x)};
}

bool fits_warp(const batched_tbsv_args &p)
{
  return warp_can_solve(p.kd);
}
int warp(batched_ctx *ctx, const batched_tbsv_args &p)
{
  return with_type(p.x.type, [&](auto t) { return launch_tbsv_warp(ctx, typed<decltype(t)>(p)); });
}

bool fits_panels(const batched_tbsv_args &p)
{
  return holds_for(p.x.type, [&](auto t) { return panels_can_solve(typed<decltype(t)>(p)); });
}
int panels(batched_ctx *ctx, const batched_tbsv_args &p)
{
  return with_type(p.x.type, [&](auto t) { return launch_tbsv_panels(ctx, typed<decltype(t)>(p)); });
}

int reference(batched_ctx *ctx, const batched_tbsv_args &p)
{
  return with_type(p.x.type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, tbsv_reference<T>, p.x.count, warp_size, 0, typed<T>(p));
  });
}

} // namespace
} // namespace batched_cuda::band

using namespace batched_cuda;
using namespace batched_cuda::band;

const batched_variant batched_tbsv_cuda[] = {
  row<fits_warp, nullptr, warp>("cuda.warp"),
  row<fits_panels, nullptr, panels>("cuda.panels"),
  row<nullptr, nullptr, reference>("cuda.reference"),
  BATCHED_LAST_ROW,
};
