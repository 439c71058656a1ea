/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/qr/qr.h"

static batched_cost cost(const void *args)
{
  return batched_q_product_cost(args, true);
}

const batched_op batched_unmlq_op = {
  .name = "unmlq",
  .key = "unmlq",
  .variants = {batched_unmlq_host, batched_unmlq_cuda},
  .cost = cost,
  .operands = {sizeof(batched_unmlq_args),
               3,
               {offsetof(batched_unmlq_args, a), offsetof(batched_unmlq_args, tau), offsetof(batched_unmlq_args, c)}},
};

int batched_unmlq(batched_ctx *ctx, batched_side side, batched_trans trans, batched_matrix a, batched_matrix tau,
                  batched_matrix c)
{
  const batched_unmlq_args args = {side, trans, a, tau, c};
  const int wrong = batched_check_q_product(ctx, &args, true);
  if (wrong || c.count == 0 || c.m == 0 || c.n == 0 || a.m == 0) return wrong;
  return batched_run(ctx, &batched_unmlq_op, &args);
}
