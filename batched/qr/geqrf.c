/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/qr/qr.h"

static const batched_alias aliases[] = {
  {"cuda.spread", "cuda.warp_tc"},
  {"cuda.register", "cuda.lanes"},
  {"cuda.shared", "cuda.panels"},
  {"cuda.global", "cuda.blocked"},
  {NULL, NULL},
};

const batched_op batched_geqrf_op = {
  .name = "geqrf",
  .key = "geqrf",
  .variants = {batched_geqrf_host, batched_geqrf_cuda},
  .cost = batched_reflectors_cost,
  .operands = {sizeof(batched_geqrf_args), 2, {offsetof(batched_geqrf_args, a), offsetof(batched_geqrf_args, tau)}},
  .aliases = aliases,
};

int batched_geqrf(batched_ctx *ctx, batched_matrix a, batched_matrix tau)
{
  const batched_geqrf_args args = {a, tau};
  const int wrong = batched_check_reflectors(ctx, &args);
  if (wrong || a.count == 0 || a.m == 0 || a.n == 0) return wrong;
  return batched_run(ctx, &batched_geqrf_op, &args);
}
