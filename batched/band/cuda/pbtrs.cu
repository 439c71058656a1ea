/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of pbtrs.
 */
#include "batched/band/cuda/reference.cuh"

namespace batched_cuda::band
{
namespace
{

int reference(batched_ctx *ctx, const batched_pbtrs_args &p)
{
  return with_type(p.b.type, [&](auto t) {
    using T = decltype(t);
    return launch_pbtrs_reference(ctx,
                                  pbtrs_call<T>{p.uplo == BATCHED_UPPER, p.kd, view<T>(p.ab), view<T>(p.b), nullptr});
  });
}

} // namespace
} // namespace batched_cuda::band

using namespace batched_cuda;
using namespace batched_cuda::band;

const batched_variant batched_pbtrs_cuda[] = {
  row<nullptr, nullptr, reference>("cuda.reference"),
  BATCHED_LAST_ROW,
};
