/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of pbsv.  cuda.composed: pbtrf of all matrices, then pbtrs of those that are positive definite.
 */
#include "batched/band/cuda/band.cuh"

namespace batched_cuda::band
{
namespace
{

int composed(batched_ctx *ctx, const batched_pbsv_args &p)
{
  const batched_pbtrf_args factor = {p.uplo, p.kd, p.ab, p.info};
  const int status = run_best(ctx, batched_pbtrf_op, factor);
  if (status || p.b.m == 0 || p.b.n == 0) return status;
  return solve_factors(ctx, batched_pbtrs_args{p.uplo, p.kd, p.ab, p.b}, p.info);
}

} // namespace
} // namespace batched_cuda::band

using namespace batched_cuda;
using namespace batched_cuda::band;

const batched_variant batched_pbsv_cuda[] = {
  row<nullptr, nullptr, composed>("cuda.composed"),
  BATCHED_LAST_ROW,
};
