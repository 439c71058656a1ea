/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/triangular/triangular.h"

static batched_cost cost(const void *args)
{
  const batched_trsv_args *t = args;
  if (batched_is_variable(&t->a) || batched_is_variable(&t->x)) return (batched_cost){0};
  double n = t->a.m, count = (double)t->x.count,
         triangle = batched_model_elements(&t->a) * (n + 1) / (2 * (n > 0 ? n : 1));
  return (batched_cost){count * n * n * batched_flop_weight(t->x.type),
                        (triangle + 2 * count * n) * (double)batched_element_bytes(t->x.type)};
}

/* Names of the release before. */
static const batched_alias aliases[] = {
  {"cuda.columns", "cuda.lanes"},
  {"cuda.blocked", "cuda.warp_stream"},
  {"cuda.inverse", "cuda.warp_stream_inverse"},
  {0},
};

const batched_op batched_trsv_op = {
  .name = "trsv",
  .key = "trsv",
  .variants = {batched_trsv_host, batched_trsv_cuda},
  .cost = cost,
  .operands = {sizeof(batched_trsv_args), 2, {offsetof(batched_trsv_args, a), offsetof(batched_trsv_args, x)}},
  .aliases = aliases,
};

int batched_trsv(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_diag diag, batched_matrix a,
                 batched_matrix x)
{
  if (!ctx) return -1;
  if (!batched_is_uplo(uplo)) return -2;
  if (!batched_is_trans(trans)) return -3;
  if (diag != BATCHED_NON_UNIT && diag != BATCHED_UNIT) return -4;
  if (!batched_is_valid(ctx, &a, true) || !batched_is_square(ctx, &a)) return -5;
  if (!batched_is_valid_result(ctx, &x) || !batched_same_kind(&a, &x) ||
      !batched_same_extent(ctx, batched_col_extent(&a), batched_length(&x), x.count))
    return -6;
  if (x.count == 0 || x.m == 0 || x.n == 0) return BATCHED_SUCCESS;
  batched_trsv_args args = {uplo, trans, diag, a, x};
  return batched_run(ctx, &batched_trsv_op, &args);
}
