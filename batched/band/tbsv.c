/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/band.h"
#include "batched/band/check_band.h"

static batched_cost cost(const void *args)
{
  const batched_tbsv_args *p = args;
  if (!batched_is_uniform_band(&p->ab, p->kd, p->kd) || batched_is_variable(&p->x)) return (batched_cost){0};
  const double n = p->ab.n, one = batched_band_elements(n, n, p->kd.bound, 0), count = (double)p->x.count;
  return (batched_cost){2 * count * one * batched_flop_weight(p->x.type),
                        ((batched_is_shared(&p->ab) ? one : count * one) + 2 * count * n) *
                          (double)batched_element_bytes(p->x.type)};
}

const batched_op batched_tbsv_op = {
  .name = "tbsv",
  .key = "tbsv",
  .variants = {batched_tbsv_host, batched_tbsv_cuda},
  .cost = cost,
  .operands = {sizeof(batched_tbsv_args),
               2,
               {offsetof(batched_tbsv_args, ab), offsetof(batched_tbsv_args, x)},
               .nextents = 1,
               .extents = {offsetof(batched_tbsv_args, kd)}},
};

int batched_tbsv_variable(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_diag diag,
                          batched_extent kd, batched_matrix ab, batched_matrix x)
{
  if (!ctx) return -1;
  if (!batched_is_uplo(uplo)) return -2;
  if (!batched_is_trans(trans)) return -3;
  if (!batched_is_diag(diag)) return -4;
  if (!batched_is_extent(ctx, kd, ab.count)) return -5;
  if (!batched_is_valid(ctx, &ab, true) || !batched_has_band(ctx, &ab, 0, kd, kd)) return -6;
  if (!batched_is_valid_result(ctx, &x) || !batched_same_kind(&ab, &x) ||
      !batched_same_extent(ctx, batched_col_extent(&ab), batched_length(&x), x.count))
    return -7;
  if (x.count == 0 || x.m == 0 || x.n == 0) return BATCHED_SUCCESS;
  batched_tbsv_args args = {uplo, trans, diag, kd, ab, x};
  return batched_run(ctx, &batched_tbsv_op, &args);
}

int batched_tbsv(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_diag diag, int kd, batched_matrix ab,
                 batched_matrix x)
{
  return batched_tbsv_variable(ctx, uplo, trans, diag, batched_uniform(kd), ab, x);
}
