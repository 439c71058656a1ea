/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/condensed/condensed.h"

static batched_cost cost(const void *args)
{
  const batched_unmbr_args *u = args;
  if (batched_is_variable(&u->a) || batched_is_variable(&u->c)) return (batched_cost){0};
  double order = u->which == BATCHED_Q ? u->a.m : u->a.n, k = batched_length(&u->tau).bound;
  double others = u->side == BATCHED_LEFT ? u->c.n : u->c.m, count = (double)u->c.count;
  double copies = batched_is_shared(&u->a) ? 1 : count;
  return (batched_cost){count * 2 * others * k * (2 * order - k) * batched_flop_weight(u->c.type),
                        (copies * order * k + 2 * count * order * others) * (double)batched_element_bytes(u->c.type)};
}

const batched_op batched_unmbr_op = {
  .name = "unmbr",
  .key = "unmbr",
  .variants = {batched_unmbr_host, batched_unmbr_cuda},
  .cost = cost,
  .operands = {sizeof(batched_unmbr_args),
               3,
               {offsetof(batched_unmbr_args, a), offsetof(batched_unmbr_args, tau), offsetof(batched_unmbr_args, c)}},
};

int batched_unmbr(batched_ctx *ctx, batched_which which, batched_side side, batched_trans trans, batched_matrix a,
                  batched_matrix tau, batched_matrix c)
{
  const bool used = c.m > 0 && c.n > 0;
  if (!ctx) return -1;
  if (!batched_is_which(which)) return -2;
  if (!batched_is_side(side)) return -3;
  if (!batched_is_q_trans(trans, c.type)) return -4;
  if (!batched_is_valid(ctx, &a, used)) return -5;
  if (!batched_is_valid(ctx, &tau, used) || !batched_same_kind(&a, &tau) ||
      !batched_is_min_extent(ctx, batched_length(&tau), &a))
    return -6;
  const batched_extent order = side == BATCHED_LEFT ? batched_row_extent(&c) : batched_col_extent(&c);
  const batched_extent length = which == BATCHED_Q ? batched_row_extent(&a) : batched_col_extent(&a);
  if (!batched_is_valid_result(ctx, &c) || !batched_same_kind(&a, &c) ||
      !batched_same_extent(ctx, length, order, c.count))
    return -7;
  if (c.count == 0 || !used || a.m == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_unmbr_args args = {which, side, trans, a, tau, c};
  return batched_run(ctx, &batched_unmbr_op, &args);
}
