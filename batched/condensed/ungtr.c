/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/condensed/condensed.h"

static batched_cost cost(const void *args)
{
  const batched_ungtr_args *g = args;
  double n = g->a.n, count = batched_model_count(&g->a);
  return (batched_cost){count * 4 * n * n * n / 3 * batched_flop_weight(g->a.type),
                        count * 3 * n * n / 2 * (double)batched_element_bytes(g->a.type)};
}

const batched_op batched_ungtr_op = {
  .name = "ungtr",
  .key = "ungtr",
  .variants = {batched_ungtr_host, batched_ungtr_cuda},
  .cost = cost,
  .operands = {sizeof(batched_ungtr_args), 2, {offsetof(batched_ungtr_args, a), offsetof(batched_ungtr_args, tau)}},
};

int batched_ungtr(batched_ctx *ctx, batched_uplo uplo, batched_matrix a, batched_matrix tau)
{
  if (!ctx) return -1;
  if (!batched_is_uplo(uplo)) return -2;
  if (!batched_is_valid_result(ctx, &a) || !batched_is_square(ctx, &a)) return -3;
  if (!batched_is_valid(ctx, &tau, true) || !batched_same_kind(&a, &tau) ||
      !batched_is_min_extent_less(ctx, batched_length(&tau), &a, 1))
    return -4;
  if (a.count == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_ungtr_args args = {uplo, a, tau};
  return batched_run(ctx, &batched_ungtr_op, &args);
}
