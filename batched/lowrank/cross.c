/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/lowrank/lowrank.h"

/* The crosses, and what is subtracted from them: with all of X and Y. */
static batched_cost cost(const void *args)
{
  const batched_cross_args *c = args;
  const double count = batched_model_count(&c->a), k = c->x.n, heights = (double)c->a.m + c->a.n;
  return (batched_cost){count * k * k * heights * batched_flop_weight(c->a.type),
                        count * 2 * k * heights * (double)batched_element_bytes(c->a.type)};
}

const batched_op batched_cross_op = {
  .name = "cross",
  .key = "cross",
  .variants = {batched_cross_host, batched_cross_cuda},
  .cost = cost,
  .operands = {sizeof(batched_cross_args),
               3,
               {offsetof(batched_cross_args, a), offsetof(batched_cross_args, x), offsetof(batched_cross_args, y)}},
};

int batched_cross(batched_ctx *ctx, batched_matrix a, batched_matrix x, batched_matrix y, double enough, bool absolute)
{
  if (!ctx) return -1;
  if (!batched_is_valid(ctx, &a, true)) return -2;
  if (!batched_is_valid_result(ctx, &x) || !batched_same_kind(&a, &x) ||
      !batched_same_extent(ctx, batched_row_extent(&x), batched_row_extent(&a), a.count))
    return -3;
  if (!batched_is_valid_result(ctx, &y) || !batched_same_kind(&a, &y) ||
      !batched_accept(x.n == y.n, "n %d is not that of x, %d", y.n, x.n) ||
      !batched_same_extent(ctx, batched_row_extent(&y), batched_col_extent(&a), a.count))
    return -4;
  if (!batched_accept(enough >= 0, "enough %g is not >= 0", enough)) return -5;
  if (a.count == 0 || x.n == 0) return BATCHED_SUCCESS;
  batched_cross_args args = {a, x, y, enough, absolute};
  return batched_run(ctx, &batched_cross_op, &args);
}
