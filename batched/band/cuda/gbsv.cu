/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of gbsv.  cuda.composed: gbtrf of all matrices, then gbtrs of those that have an inverse.
 */
#include "batched/band/cuda/gbtrs_warp.cuh"

namespace batched_cuda::band
{
namespace
{

int composed(batched_ctx *ctx, const batched_gbsv_args &p)
{
  const batched_extent n = {p.ab.n, p.ab.ns};
  const batched_gbtrf_args factor = {n, p.kl, p.ku, p.ab, p.ipiv, p.info};
  const int status = run_best(ctx, batched_gbtrf_cuda, factor);
  if (status || p.b.m == 0 || p.b.n == 0) return status;
  return with_type(p.b.type, [&](auto t) {
    using T = decltype(t);
    return solve_factors(ctx, gbtrs_call<T>{BATCHED_NO_TRANS, p.kl, p.ku, view<T>(p.ab), view<T>(p.b),
                                            pivots_of_factors(p.ab, p.ipiv, p.ab.n), p.info});
  });
}

} // namespace
} // namespace batched_cuda::band

using namespace batched_cuda;
using namespace batched_cuda::band;

const batched_variant batched_gbsv_cuda[] = {
  row<nullptr, nullptr, composed>("cuda.composed"),
  BATCHED_LAST_ROW,
};
