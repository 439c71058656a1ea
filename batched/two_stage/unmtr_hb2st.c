/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/two_stage/steps.h"

static batched_cost cost(const void *args)
{
  const batched_unmtr_hb2st_args *u = args;
  if (batched_is_variable(&u->v) || batched_is_variable(&u->c)) return (batched_cost){0};
  const double n = u->v.n, others = u->side == BATCHED_LEFT ? u->c.n : u->c.m, count = (double)u->c.count;
  const double copies = batched_is_shared(&u->v) ? 1 : count;
  return (batched_cost){count * 2 * others * n * n * batched_flop_weight(u->c.type),
                        (copies * n * n / 2 + 2 * count * n * others) * (double)batched_element_bytes(u->c.type)};
}

const batched_op batched_unmtr_hb2st_op = {
  .name = "unmtr_hb2st",
  .key = "unmtr_hb2st",
  .variants = {batched_unmtr_hb2st_host, batched_unmtr_hb2st_cuda},
  .cost = cost,
  .operands = {sizeof(batched_unmtr_hb2st_args),
               2,
               {offsetof(batched_unmtr_hb2st_args, c), offsetof(batched_unmtr_hb2st_args, v)}},
};

int batched_unmtr_hb2st(batched_ctx *ctx, batched_side side, batched_trans trans, int kd, batched_matrix v,
                        batched_matrix c)
{
  const bool used = c.m > 0 && c.n > 0;
  if (!ctx) return -1;
  if (!batched_is_side(side)) return -2;
  if (!batched_is_q_trans(trans, c.type)) return -3;
  if (!batched_is_width(kd)) return -4;
  if (!batched_is_valid(ctx, &v, used) || !batched_is_square(ctx, &v)) return -5;
  const batched_extent order = side == BATCHED_LEFT ? batched_row_extent(&c) : batched_col_extent(&c);
  if (!batched_is_valid_result(ctx, &c) || !batched_same_kind(&v, &c) ||
      !batched_same_extent(ctx, batched_row_extent(&v), order, c.count))
    return -6;
  if (c.count == 0 || !used || v.n <= 1) return BATCHED_SUCCESS;
  batched_unmtr_hb2st_args args = {side, trans, kd, v, c};
  return batched_run(ctx, &batched_unmtr_hb2st_op, &args);
}
