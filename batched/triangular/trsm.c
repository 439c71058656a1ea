/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/triangular/triangular.h"

/* Names of the release before. */
static const batched_alias aliases[] = {
  {"cuda.small", "cuda.shared"},
  {"cuda.tiles", "cuda.warp_stream"},
  {"cuda.tensor", "cuda.panels_tc"},
  {"cuda.fused", "cuda.panels"},
  {0},
};

const batched_op batched_trsm_op = {
  .name = "trsm",
  .key = "trsm",
  .variants = {batched_trsm_host, batched_trsm_cuda},
  .cost = batched_triangle_cost,
  .operands = {sizeof(batched_trsm_args), 2, {offsetof(batched_trsm_args, a), offsetof(batched_trsm_args, b)}},
  .aliases = aliases,
};

int batched_trsm(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, batched_diag diag,
                 batched_scalar alpha, batched_matrix a, batched_matrix b)
{
  const batched_trsm_args args = {side, uplo, trans, diag, alpha, a, b};
  const int wrong = batched_check_triangle(ctx, &args);
  if (wrong || b.count == 0 || b.m == 0 || b.n == 0) return wrong;
  return batched_run(ctx, &batched_trsm_op, &args);
}
