/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of gbtrs.
 */
#include "batched/band/cuda/reference.cuh"

namespace batched_cuda::band
{
namespace
{

int reference(batched_ctx *ctx, const batched_gbtrs_args &p)
{
  return with_type(p.b.type, [&](auto t) {
    using T = decltype(t);
    return launch_gbtrs_reference(ctx, gbtrs_call<T>{p.trans, p.kl, p.ku, view<T>(p.ab), view<T>(p.b),
                                                     pivots_of_factors(p.ab, p.ipiv, p.ab.n), nullptr});
  });
}

} // namespace
} // namespace batched_cuda::band

using namespace batched_cuda;
using namespace batched_cuda::band;

const batched_variant batched_gbtrs_cuda[] = {
  row<nullptr, nullptr, reference>("cuda.reference"),
  BATCHED_LAST_ROW,
};
