/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/condensed/condensed.h"

static batched_cost cost(const void *args)
{
  const batched_unmtr_args *u = args;
  if (batched_is_variable(&u->a) || batched_is_variable(&u->c)) return (batched_cost){0};
  double n = u->a.n, others = u->side == BATCHED_LEFT ? u->c.n : u->c.m, count = (double)u->c.count;
  double copies = batched_is_shared(&u->a) ? 1 : count;
  return (batched_cost){count * 2 * others * n * n * batched_flop_weight(u->c.type),
                        (copies * n * n / 2 + 2 * count * n * others) * (double)batched_element_bytes(u->c.type)};
}

const batched_op batched_unmtr_op = {
  .name = "unmtr",
  .key = "unmtr",
  .variants = {batched_unmtr_host, batched_unmtr_cuda},
  .cost = cost,
  .operands = {sizeof(batched_unmtr_args),
               3,
               {offsetof(batched_unmtr_args, a), offsetof(batched_unmtr_args, tau), offsetof(batched_unmtr_args, c)}},
};

int batched_unmtr(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, batched_matrix a,
                  batched_matrix tau, batched_matrix c)
{
  const bool used = c.m > 0 && c.n > 0;
  if (!ctx) return -1;
  if (!batched_is_side(side)) return -2;
  if (!batched_is_uplo(uplo)) return -3;
  if (!batched_is_q_trans(trans, c.type)) return -4;
  if (!batched_is_valid(ctx, &a, used) || !batched_is_square(ctx, &a)) return -5;
  if (!batched_is_valid(ctx, &tau, used) || !batched_same_kind(&a, &tau) ||
      !batched_is_min_extent_less(ctx, batched_length(&tau), &a, 1))
    return -6;
  const batched_extent order = side == BATCHED_LEFT ? batched_row_extent(&c) : batched_col_extent(&c);
  if (!batched_is_valid_result(ctx, &c) || !batched_same_kind(&a, &c) ||
      !batched_same_extent(ctx, batched_row_extent(&a), order, c.count))
    return -7;
  if (c.count == 0 || !used || a.n <= 1) return BATCHED_SUCCESS;
  batched_unmtr_args args = {side, uplo, trans, a, tau, c};
  return batched_run(ctx, &batched_unmtr_op, &args);
}
