/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/qr/qr.h"

static const batched_alias aliases[] = {
  {"cuda.shared", "cuda.panels"},
  {"cuda.global", "cuda.blocked"},
  {NULL, NULL},
};

const batched_op batched_ungqr_op = {
  .name = "ungqr",
  .key = "ungqr",
  .variants = {batched_ungqr_host, batched_ungqr_cuda},
  .cost = batched_q_cost,
  .operands = {sizeof(batched_ungqr_args), 2, {offsetof(batched_ungqr_args, a), offsetof(batched_ungqr_args, tau)}},
  .aliases = aliases,
};

int batched_ungqr(batched_ctx *ctx, batched_matrix a, batched_matrix tau)
{
  const batched_ungqr_args args = {a, tau};
  const int wrong = batched_check_q(ctx, &args, false);
  if (wrong || a.count == 0 || a.m == 0 || a.n == 0) return wrong;
  return batched_run(ctx, &batched_ungqr_op, &args);
}
