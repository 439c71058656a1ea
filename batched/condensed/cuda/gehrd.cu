/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of gehrd.
 */
#include "batched/condensed/cuda/native.cuh"

namespace batched_cuda::condensed
{
namespace
{

template <class T> gehrd_task<T> task_of(const batched_gehrd_args &p)
{
  return {p.ilo, p.ihi, view<T>(p.a), view<T>(p.tau)};
}

bool fits_lanes(const batched_gehrd_args &p)
{
  return holds_for(p.a.type, [&](auto t) { return fits_in_lanes(task_of<decltype(t)>(p)); });
}
int lanes(batched_ctx *ctx, const batched_gehrd_args &p)
{
  return with_type(p.a.type, [&](auto t) { return run_in_lanes(ctx, task_of<decltype(t)>(p)); });
}

bool fits_registers(const batched_gehrd_args &p)
{
  return holds_for(p.a.type, [&](auto t) { return fits_in_registers(task_of<decltype(t)>(p)); });
}
int registers(batched_ctx *ctx, const batched_gehrd_args &p)
{
  return with_type(p.a.type, [&](auto t) { return run_in_registers(ctx, task_of<decltype(t)>(p)); });
}

bool fits_shared(const batched_gehrd_args &p)
{
  return holds_for(p.a.type, [&](auto t) { return fits_in_shared(task_of<decltype(t)>(p)); });
}
int shared(batched_ctx *ctx, const batched_gehrd_args &p)
{
  return with_type(p.a.type, [&](auto t) { return run_in_shared(ctx, task_of<decltype(t)>(p)); });
}

bool fits_one_kernel(const batched_gehrd_args &p)
{
  return holds_for(p.a.type, [&](auto t) { return fits_fused(task_of<decltype(t)>(p)); });
}
int fused(batched_ctx *ctx, const batched_gehrd_args &p)
{
  return with_type(p.a.type, [&](auto t) { return run_fused(ctx, task_of<decltype(t)>(p)); });
}

/* With the columns of a panel in a warp's registers. */
bool likes_panels(const batched_gehrd_args &p)
{
  return holds_for(p.a.type, [&](auto t) {
    const gehrd_task<decltype(t)> g = task_of<decltype(t)>(p);
    return fits_panel<gehrd_task<decltype(t)>>(g.most_rows(), g.most_cols());
  });
}
int panels(batched_ctx *ctx, const batched_gehrd_args &p)
{
  return with_type(p.a.type, [&](auto t) { return run_panels(ctx, task_of<decltype(t)>(p)); });
}

int native(batched_ctx *ctx, const batched_gehrd_args &p)
{
  return with_type(p.a.type, [&](auto t) { return run_native(ctx, task_of<decltype(t)>(p)); });
}

int unblocked(batched_ctx *ctx, const batched_gehrd_args &p)
{
  return with_type(p.a.type, [&](auto t) { return run_unblocked(ctx, task_of<decltype(t)>(p)); });
}

} // namespace
} // namespace batched_cuda::condensed

using namespace batched_cuda;
using namespace batched_cuda::condensed;

const batched_variant batched_gehrd_cuda[] = {
  row<fits_lanes, nullptr, lanes>("cuda.lanes"),     row<fits_registers, batched_by_table, registers>("cuda.registers"),
  row<fits_shared, nullptr, shared>("cuda.shared"),  row<fits_one_kernel, batched_by_table, fused>("cuda.fused"),
  row<nullptr, likes_panels, panels>("cuda.panels"), row<nullptr, nullptr, native>("cuda.native"),
  row<nullptr, never, unblocked>("cuda.unblocked"),  BATCHED_LAST_ROW,
};
