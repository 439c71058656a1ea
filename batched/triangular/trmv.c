/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/triangular/triangular.h"

const batched_op batched_trmv_op = {
  .name = "trmv",
  .key = "trmv",
  .variants = {batched_trmv_host, batched_trmv_cuda},
  .cost = batched_triangle_and_vector_cost,
  .operands = {sizeof(batched_trmv_args), 2, {offsetof(batched_trmv_args, a), offsetof(batched_trmv_args, x)}},
};

int batched_trmv(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_diag diag, batched_matrix a,
                 batched_matrix x)
{
  batched_trmv_args args = {uplo, trans, diag, a, x};
  const int wrong = batched_check_triangle_and_vector(ctx, &args);
  if (wrong || x.count == 0 || x.m == 0 || x.n == 0) return wrong;
  return batched_run(ctx, &batched_trmv_op, &args);
}
