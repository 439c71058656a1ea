/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of gb2bd.
 */
#include "batched/two_stage/cuda/gb2bd.cuh"

namespace batched_cuda::two_stage
{
namespace
{

template <class T, bool WIDE = false> gb2bd_task<T, WIDE> task_of(const batched_gb2bd_args &p)
{
  const bool vectors = p.job == BATCHED_VECTORS, upper = p.uplo == BATCHED_UPPER;
  return {upper,
          vectors,
          p.kd,
          view<T>(p.ab),
          view<real_of<T>>(p.d),
          view<real_of<T>>(p.e),
          vectors ? view<T>(upper ? p.vq : p.vp) : batch<T>(),
          vectors ? view<T>(upper ? p.vp : p.vq) : batch<T>()};
}

bool fits_shared(const batched_gb2bd_args &p)
{
  return holds_for(p.ab.type, [&](auto t) { return chase_fits_shared(task_of<decltype(t)>(p)); });
}
int shared(batched_ctx *ctx, const batched_gb2bd_args &p)
{
  return with_type(p.ab.type, [&](auto t) { return chase_in_shared(ctx, task_of<decltype(t)>(p)); });
}

int block(batched_ctx *ctx, const batched_gb2bd_args &p)
{
  return with_type(p.ab.type, [&](auto t) { return chase_in_scratch(ctx, task_of<decltype(t)>(p)); });
}

bool fits_native(const batched_gb2bd_args &p)
{
  return holds_for(p.ab.type, [&](auto t) { return chase_fits_natively(task_of<decltype(t), true>(p)); });
}
int native(batched_ctx *ctx, const batched_gb2bd_args &p)
{
  return with_type(p.ab.type, [&](auto t) { return chase_with_grid(ctx, task_of<decltype(t), true>(p)); });
}

} // namespace
} // namespace batched_cuda::two_stage

using namespace batched_cuda;
using namespace batched_cuda::two_stage;

const batched_variant batched_gb2bd_cuda[] = {
  row<fits_native, batched_by_table, native>("cuda.native"),
  row<fits_shared, nullptr, shared>("cuda.shared"),
  row<nullptr, nullptr, block>("cuda.block"),
  BATCHED_LAST_ROW,
};
