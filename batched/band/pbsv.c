/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/band.h"
#include "batched/band/check_band.h"

/* Multiplications and additions of pbtrf and pbtrs. */
static batched_cost cost(const void *args)
{
  const batched_pbsv_args *p = args;
  if (!batched_is_uniform_band(&p->ab, p->kd, p->kd) || batched_is_variable(&p->b)) return (batched_cost){0};
  const int n = p->ab.n, kd = p->kd.bound;
  const double nrhs = p->b.n, count = (double)p->b.count, elements = batched_band_elements(n, n, kd, 0);
  return (batched_cost){count * (batched_band_lu_flops(n, n, kd, kd) / 2 + n + 4 * elements * nrhs) *
                          batched_flop_weight(p->b.type),
                        2 * count * (elements + n * nrhs) * (double)batched_element_bytes(p->b.type)};
}

const batched_op batched_pbsv_op = {
  .name = "pbsv",
  .key = "pbsv",
  .variants = {batched_pbsv_host, batched_pbsv_cuda},
  .cost = cost,
  .operands = {sizeof(batched_pbsv_args),
               2,
               {offsetof(batched_pbsv_args, ab), offsetof(batched_pbsv_args, b)},
               .info = offsetof(batched_pbsv_args, info),
               .nextents = 1,
               .extents = {offsetof(batched_pbsv_args, kd)}},
};

int batched_pbsv_variable(batched_ctx *ctx, batched_uplo uplo, batched_extent kd, batched_matrix ab, batched_matrix b,
                          int *info)
{
  if (!ctx) return -1;
  if (!batched_is_uplo(uplo)) return -2;
  if (!batched_is_extent(ctx, kd, ab.count)) return -3;
  if (!batched_is_valid_result(ctx, &ab) || !batched_has_band(ctx, &ab, 0, kd, kd)) return -4;
  if (!batched_is_valid_result(ctx, &b) || !batched_same_kind(&ab, &b) ||
      !batched_same_extent(ctx, batched_col_extent(&ab), batched_row_extent(&b), b.count))
    return -5;
  if (!batched_is_given(info, "info", ab.count > 0)) return -6;
  if (ab.count == 0) return BATCHED_SUCCESS;
  batched_pbsv_args args = {uplo, kd, ab, b, info};
  return batched_run(ctx, &batched_pbsv_op, &args);
}

int batched_pbsv(batched_ctx *ctx, batched_uplo uplo, int kd, batched_matrix ab, batched_matrix b, int *info)
{
  return batched_pbsv_variable(ctx, uplo, batched_uniform(kd), ab, b, info);
}
