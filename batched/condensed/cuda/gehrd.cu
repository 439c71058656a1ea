/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of gehrd.
 */
#include "batched/condensed/cuda/blocked.cuh"

namespace batched_cuda::condensed
{
namespace
{

template <class T> gehrd_task<T> task_of(const batched_gehrd_args &p)
{
  return {p.ilo, p.ihi, view<T>(p.a), view<T>(p.tau)};
}

bool fits_shared(const batched_gehrd_args &p)
{
  return holds_for(p.a.type, [&](auto t) { return fits_in_shared(task_of<decltype(t)>(p)); });
}
/* With two blocks per multiprocessor. */
bool likes_shared(const batched_gehrd_args &p)
{
  return holds_for(p.a.type, [&](auto t) { return bytes_in_shared(task_of<decltype(t)>(p)) <= half_shared(); });
}
int shared(batched_ctx *ctx, const batched_gehrd_args &p)
{
  return with_type(p.a.type, [&](auto t) { return run_in_shared(ctx, task_of<decltype(t)>(p)); });
}

int blocked(batched_ctx *ctx, const batched_gehrd_args &p)
{
  return with_type(p.a.type, [&](auto t) { return run_blocked(ctx, task_of<decltype(t)>(p)); });
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
  row<fits_shared, likes_shared, shared>("cuda.shared"),
  row<nullptr, nullptr, blocked>("cuda.blocked"),
  row<nullptr, never, unblocked>("cuda.unblocked"),
  BATCHED_LAST_ROW,
};
