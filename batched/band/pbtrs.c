/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/band.h"
#include "batched/band/check_band.h"

static batched_cost cost(const void *args)
{
  const batched_pbtrs_args *p = args;
  if (!batched_is_uniform_band(&p->ab, p->kd, p->kd) || batched_is_variable(&p->b)) return (batched_cost){0};
  const double n = p->b.m, nrhs = p->b.n, count = (double)p->b.count, sets = batched_is_shared(&p->ab) ? 1 : count;
  const double elements = batched_band_elements(n, n, p->kd.bound, 0);
  return (batched_cost){4 * count * elements * nrhs * batched_flop_weight(p->b.type),
                        (sets * elements + 2 * count * n * nrhs) * (double)batched_element_bytes(p->b.type)};
}

const batched_op batched_pbtrs_op = {
  .name = "pbtrs",
  .key = "pbtrs",
  .variants = {batched_pbtrs_host, batched_pbtrs_cuda},
  .cost = cost,
  .operands = {sizeof(batched_pbtrs_args),
               2,
               {offsetof(batched_pbtrs_args, ab), offsetof(batched_pbtrs_args, b)},
               .nextents = 1,
               .extents = {offsetof(batched_pbtrs_args, kd)}},
};

int batched_pbtrs_variable(batched_ctx *ctx, batched_uplo uplo, batched_extent kd, batched_matrix ab, batched_matrix b)
{
  if (!ctx) return -1;
  if (!batched_is_uplo(uplo)) return -2;
  if (!batched_is_extent(ctx, kd, ab.count)) return -3;
  if (!batched_is_valid(ctx, &ab, b.n > 0) || !batched_has_band(ctx, &ab, 0, kd, kd)) return -4;
  if (!batched_is_valid_result(ctx, &b) || !batched_same_kind(&ab, &b) ||
      !batched_same_extent(ctx, batched_col_extent(&ab), batched_row_extent(&b), b.count))
    return -5;
  if (b.count == 0 || b.m == 0 || b.n == 0) return BATCHED_SUCCESS;
  batched_pbtrs_args args = {uplo, kd, ab, b};
  return batched_run(ctx, &batched_pbtrs_op, &args);
}

int batched_pbtrs(batched_ctx *ctx, batched_uplo uplo, int kd, batched_matrix ab, batched_matrix b)
{
  return batched_pbtrs_variable(ctx, uplo, batched_uniform(kd), ab, b);
}
