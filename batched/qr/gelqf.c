/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/qr/qr.h"

const batched_op batched_gelqf_op = {
  .name = "gelqf",
  .key = "gelqf",
  .variants = {batched_gelqf_host, batched_gelqf_cuda},
  .cost = batched_reflectors_cost,
  .operands = {sizeof(batched_gelqf_args), 2, {offsetof(batched_gelqf_args, a), offsetof(batched_gelqf_args, tau)}},
};

int batched_gelqf(batched_ctx *ctx, batched_matrix a, batched_matrix tau)
{
  const batched_gelqf_args args = {a, tau};
  const int wrong = batched_check_reflectors(ctx, &args);
  if (wrong || a.count == 0 || a.m == 0 || a.n == 0) return wrong;
  return batched_run(ctx, &batched_gelqf_op, &args);
}
