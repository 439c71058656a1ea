/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/qr/qr.h"

const batched_op batched_unglq_op = {
  .name = "unglq",
  .key = "unglq",
  .variants = {batched_unglq_host, batched_unglq_cuda},
  .cost = batched_q_cost,
  .operands = {sizeof(batched_unglq_args), 2, {offsetof(batched_unglq_args, a), offsetof(batched_unglq_args, tau)}},
};

int batched_unglq(batched_ctx *ctx, batched_matrix a, batched_matrix tau)
{
  const batched_unglq_args args = {a, tau};
  const int wrong = batched_check_q(ctx, &args, true);
  if (wrong || a.count == 0 || a.m == 0 || a.n == 0) return wrong;
  return batched_run(ctx, &batched_unglq_op, &args);
}
