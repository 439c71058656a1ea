/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/condensed/condensed.h"
#include "batched/condensed/range.h"

static batched_cost cost(const void *args)
{
  const batched_unmhr_args *u = args;
  if (batched_is_variable(&u->a) || batched_is_variable(&u->c)) return (batched_cost){0};
  double r = u->ihi - u->ilo, others = u->side == BATCHED_LEFT ? u->c.n : u->c.m, count = (double)u->c.count;
  double copies = batched_is_shared(&u->a) ? 1 : count;
  return (batched_cost){count * 2 * others * r * r * batched_flop_weight(u->c.type),
                        (copies * r * r / 2 + 2 * count * r * others) * (double)batched_element_bytes(u->c.type)};
}

const batched_op batched_unmhr_op = {
  .name = "unmhr",
  .key = "unmhr",
  .variants = {batched_unmhr_host, batched_unmhr_cuda},
  .cost = cost,
  .operands = {sizeof(batched_unmhr_args),
               3,
               {offsetof(batched_unmhr_args, a), offsetof(batched_unmhr_args, tau), offsetof(batched_unmhr_args, c)}},
};

int batched_unmhr(batched_ctx *ctx, batched_side side, batched_trans trans, int ilo, int ihi, batched_matrix a,
                  batched_matrix tau, batched_matrix c)
{
  const bool used = c.m > 0 && c.n > 0;
  if (!ctx) return -1;
  if (!batched_is_side(side)) return -2;
  if (!batched_is_q_trans(trans, c.type)) return -3;
  if (!batched_is_valid(ctx, &a, used) || !batched_is_square(ctx, &a)) return -6;
  const int wrong = batched_check_rows(a.n, &ilo, &ihi, 4);
  if (wrong) return wrong;
  if (!batched_is_valid(ctx, &tau, used) || !batched_same_kind(&a, &tau) ||
      !batched_is_min_extent_less(ctx, batched_length(&tau), &a, 1))
    return -7;
  const batched_extent order = side == BATCHED_LEFT ? batched_row_extent(&c) : batched_col_extent(&c);
  if (!batched_is_valid_result(ctx, &c) || !batched_same_kind(&a, &c) ||
      !batched_same_extent(ctx, batched_row_extent(&a), order, c.count))
    return -8;
  if (c.count == 0 || !used || ihi <= ilo) return BATCHED_SUCCESS;
  batched_unmhr_args args = {side, trans, ilo, ihi, a, tau, c};
  return batched_run(ctx, &batched_unmhr_op, &args);
}
