/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/triangular/triangular.h"

/* Names of the release before. */
static const batched_alias aliases[] = {
  {"cuda.columns", "cuda.lanes"},
  {"cuda.blocked", "cuda.warp_stream"},
  {"cuda.inverse", "cuda.warp_stream_inverse"},
  {0},
};

const batched_op batched_trsv_op = {
  .name = "trsv",
  .key = "trsv",
  .variants = {batched_trsv_host, batched_trsv_cuda},
  .cost = batched_triangle_and_vector_cost,
  .operands = {sizeof(batched_trsv_args), 2, {offsetof(batched_trsv_args, a), offsetof(batched_trsv_args, x)}},
  .aliases = aliases,
};

int batched_trsv(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_diag diag, batched_matrix a,
                 batched_matrix x)
{
  batched_trsv_args args = {uplo, trans, diag, a, x};
  const int wrong = batched_check_triangle_and_vector(ctx, &args);
  if (wrong || x.count == 0 || x.m == 0 || x.n == 0) return wrong;
  return batched_run(ctx, &batched_trsv_op, &args);
}
