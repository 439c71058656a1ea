/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of geev.
 */
#include "batched/eigen/cuda/geev_shared.cuh"
#include "batched/eigen/cuda/geev_thread.cuh"

namespace batched_cuda::eigen
{
namespace
{

bool fits_thread(const batched_geev_args &g)
{
  return g.a.n <= 3;
}
int thread(batched_ctx *ctx, const batched_geev_args &g)
{
  return with_type(g.a.type, [&](auto t) { return run_geev_thread<decltype(t)>(ctx, g); });
}

int shared(batched_ctx *ctx, const batched_geev_args &g)
{
  return with_type(g.a.type, [&](auto t) { return run_geev_shared<decltype(t)>(ctx, g); });
}

} // namespace
} // namespace batched_cuda::eigen

using namespace batched_cuda;
using namespace batched_cuda::eigen;

const batched_variant batched_geev_cuda[] = {
  row<fits_thread, nullptr, thread>("cuda.thread"),
  row<nullptr, nullptr, shared>("cuda.shared"),
  BATCHED_LAST_ROW,
};
