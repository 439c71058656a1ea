/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/qr/qr.h"

static batched_cost cost(const void *args)
{
  const batched_unmqr_args *u = args;
  if (batched_is_variable(&u->a) || batched_is_variable(&u->c)) return (batched_cost){0};
  double order = u->a.m, k = u->a.n, others = u->side == BATCHED_LEFT ? u->c.n : u->c.m, count = (double)u->c.count;
  return (batched_cost){count * 2 * others * k * (2 * order - k) * batched_flop_weight(u->c.type),
                        (batched_model_elements(&u->a) + 2 * count * order * others) *
                          (double)batched_element_bytes(u->c.type)};
}

static const batched_alias aliases[] = {
  {"cuda.shared", "cuda.panels"},
  {"cuda.global", "cuda.blocked"},
  {NULL, NULL},
};

const batched_op batched_unmqr_op = {
  .name = "unmqr",
  .key = "unmqr",
  .variants = {batched_unmqr_host, batched_unmqr_cuda},
  .cost = cost,
  .operands = {sizeof(batched_unmqr_args),
               3,
               {offsetof(batched_unmqr_args, a), offsetof(batched_unmqr_args, tau), offsetof(batched_unmqr_args, c)}},
  .aliases = aliases,
};

int batched_unmqr(batched_ctx *ctx, batched_side side, batched_trans trans, batched_matrix a, batched_matrix tau,
                  batched_matrix c)
{
  const bool used = c.m > 0 && c.n > 0;
  if (!ctx) return -1;
  if (!batched_is_side(side)) return -2;
  if (!batched_is_q_trans(trans, c.type)) return -3;
  if (!batched_is_valid(ctx, &a, used) || !batched_is_tall(ctx, &a)) return -4;
  if (!batched_is_valid(ctx, &tau, used) || !batched_same_kind(&a, &tau) ||
      !batched_same_extent(ctx, batched_col_extent(&a), batched_length(&tau), a.count))
    return -5;
  batched_extent order = side == BATCHED_LEFT ? batched_row_extent(&c) : batched_col_extent(&c);
  if (!batched_is_valid_result(ctx, &c) || !batched_same_kind(&a, &c) ||
      !batched_same_extent(ctx, batched_row_extent(&a), order, c.count))
    return -6;
  if (c.count == 0 || !used || a.n == 0) return BATCHED_SUCCESS;
  batched_unmqr_args args = {side, trans, a, tau, c};
  return batched_run(ctx, &batched_unmqr_op, &args);
}
