/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/qr/qr.h"

static batched_cost cost(const void *args)
{
  return batched_q_product_cost(args, false);
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
  const batched_unmqr_args args = {side, trans, a, tau, c};
  const int wrong = batched_check_q_product(ctx, &args, false);
  if (wrong || c.count == 0 || c.m == 0 || c.n == 0 || a.n == 0) return wrong;
  return batched_run(ctx, &batched_unmqr_op, &args);
}
