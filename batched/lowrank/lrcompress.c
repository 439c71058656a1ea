/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/lowrank/check_lowrank.h"

/* A sample of as many columns as C has room for, and the projection: what the problem needs at least. */
static batched_cost cost(const void *args)
{
  const batched_lrcompress_args *c = args;
  const double count = batched_model_count(&c->a), elements = (double)c->a.m * c->a.n, k = c->cu.n;
  return (batched_cost){4 * count * elements * k * batched_flop_weight(c->a.type),
                        count * (elements + ((double)c->a.m + c->a.n) * k) * (double)batched_element_bytes(c->a.type)};
}

const batched_op batched_lrcompress_op = {
  .name = "lrcompress",
  .key = "lrcompress",
  .variants = {batched_lrcompress_host, batched_lrcompress_cuda},
  .cost = cost,
  .operands = {sizeof(batched_lrcompress_args),
               3,
               {offsetof(batched_lrcompress_args, a), offsetof(batched_lrcompress_args, cu),
                offsetof(batched_lrcompress_args, cv)},
               .info = offsetof(batched_lrcompress_args, info),
               .counts = offsetof(batched_lrcompress_args, ranks)},
  .whatever_count = true,
};

int batched_lrcompress(batched_ctx *ctx, batched_matrix a, batched_lowrank c, batched_truncation t, int *info)
{
  if (!ctx) return -1;
  if (!batched_is_valid(ctx, &a, true)) return -2;
  if (!batched_accept(!lowrank_is_dense(&c), "c is dense") || !lowrank_is_valid_result(ctx, &c) ||
      !batched_same_kind(&a, &c.u) || !batched_same_extent(ctx, batched_row_extent(&a), lowrank_rows(&c), a.count) ||
      !batched_same_extent(ctx, batched_col_extent(&a), lowrank_cols(&c), a.count))
    return -3;
  if (!lowrank_is_truncation(&t)) return -4;
  if (!batched_is_given(info, "info", a.count > 0)) return -5;
  if (a.count == 0) return BATCHED_SUCCESS;
  batched_lrcompress_args args = {a, c.u, c.v, c.ranks, t, info};
  return batched_run(ctx, &batched_lrcompress_op, &args);
}

bool lowrank_has_tolerance(const void *args)
{
  return ((const batched_lrcompress_args *)args)->t.tolerance > 0;
}
