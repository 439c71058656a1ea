/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/cholesky/cholesky.h"

static batched_cost cost(const void *args)
{
  const batched_potri_args *p = args;
  double n = p->a.n, count = batched_model_count(&p->a);
  return (batched_cost){count * n * (n + 1) * (2 * n + 1) / 3 * batched_flop_weight(p->a.type),
                        count * n * (n + 1) * (double)batched_element_bytes(p->a.type)};
}

/* Names of the release before. */
static const batched_alias aliases[] = {
  {"cuda.warp", "cuda.lanes"},
  {"cuda.blocked", "cuda.composed"},
  {0},
};

const batched_op batched_potri_op = {
  .name = "potri",
  .key = "potri",
  .variants = {batched_potri_host, batched_potri_cuda},
  .cost = cost,
  .operands = {sizeof(batched_potri_args),
               1,
               {offsetof(batched_potri_args, a)},
               .info = offsetof(batched_potri_args, info)},
  .aliases = aliases,
};

int batched_potri(batched_ctx *ctx, batched_uplo uplo, batched_matrix a, int *info)
{
  if (!ctx) return -1;
  if (!batched_is_uplo(uplo)) return -2;
  if (!batched_is_valid_result(ctx, &a) || !batched_is_square(ctx, &a)) return -3;
  if (!batched_is_given(info, "info", a.count > 0)) return -4;
  if (a.count == 0) return BATCHED_SUCCESS;
  batched_potri_args args = {uplo, a, info};
  return batched_run(ctx, &batched_potri_op, &args);
}
