/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/triangular/triangular.h"

static batched_cost cost(const void *args)
{
  const batched_trtri_args *t = args;
  double n = t->a.n, count = batched_model_count(&t->a);
  return (batched_cost){count * n * (n + 1) * (n + 2) / 3 * batched_flop_weight(t->a.type),
                        count * n * (n + 1) * (double)batched_element_bytes(t->a.type)};
}

const batched_op batched_trtri_op = {
  .name = "trtri",
  .key = "trtri",
  .variants = {batched_trtri_host, batched_trtri_cuda},
  .cost = cost,
  .operands = {sizeof(batched_trtri_args),
               1,
               {offsetof(batched_trtri_args, a)},
               .info = offsetof(batched_trtri_args, info)},
};

int batched_trtri(batched_ctx *ctx, batched_uplo uplo, batched_diag diag, batched_matrix a, int *info)
{
  if (!ctx) return -1;
  if (!batched_is_uplo(uplo)) return -2;
  if (!batched_is_diag(diag)) return -3;
  if (!batched_is_valid_result(ctx, &a) || !batched_is_square(ctx, &a)) return -4;
  if (!batched_is_given(info, "info", a.count > 0)) return -5;
  if (a.count == 0) return BATCHED_SUCCESS;
  batched_trtri_args args = {uplo, diag, a, info};
  return batched_run(ctx, &batched_trtri_op, &args);
}
