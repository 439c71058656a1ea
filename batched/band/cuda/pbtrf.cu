/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of pbtrf.
 */
#include "batched/band/cuda/pbtrf.cuh"

namespace batched_cuda::band
{
namespace
{

int reference(batched_ctx *ctx, const batched_pbtrf_args &p)
{
  return with_type(p.ab.type, [&](auto t) {
    using T = decltype(t);
    return launch_pbtrf_reference(ctx, pbtrf_call<T>{p.uplo == BATCHED_UPPER, p.kd, view<T>(p.ab), p.info});
  });
}

} // namespace
} // namespace batched_cuda::band

using namespace batched_cuda;
using namespace batched_cuda::band;

const batched_variant batched_pbtrf_cuda[] = {
  row<nullptr, nullptr, reference>("cuda.reference"),
  BATCHED_LAST_ROW,
};
