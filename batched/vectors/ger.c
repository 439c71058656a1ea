/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/vectors/vectors.h"

static batched_cost cost(const void *args)
{
  const batched_ger_args *g = args;
  const double a = batched_model_count(&g->a) * g->a.m * g->a.n;
  const double vectors = a > 0 ? batched_model_elements(&g->x) + batched_model_elements(&g->y) : 0;
  return (batched_cost){2 * batched_flop_weight(g->a.type) * a,
                        (2 * a + vectors) * (double)batched_element_bytes(g->a.type)};
}

const batched_op batched_ger_op = {
  .name = "ger",
  .key = "ger",
  .variants = {batched_ger_host, batched_ger_cuda},
  .cost = cost,
  .operands = {sizeof(batched_ger_args),
               3,
               {offsetof(batched_ger_args, x), offsetof(batched_ger_args, y), offsetof(batched_ger_args, a)}},
};

int batched_ger(batched_ctx *ctx, batched_trans trans, batched_scalar alpha, batched_matrix x, batched_matrix y,
                batched_matrix a)
{
  const bool used = !batched_is_zero(a.type, alpha) && a.m > 0 && a.n > 0;
  if (!ctx) return -1;
  if (!batched_is_transposing(trans)) return -2;
  if (!batched_is_valid(ctx, &x, used) || !batched_is_vector(&x)) return -4;
  if (!batched_is_valid(ctx, &y, used) || !batched_is_vector(&y) || !batched_same_kind(&x, &y)) return -5;
  if (!batched_is_valid_result(ctx, &a) || !batched_same_kind(&x, &a) ||
      !batched_same_extent(ctx, batched_length(&x), batched_row_extent(&a), a.count) ||
      !batched_same_extent(ctx, batched_length(&y), batched_col_extent(&a), a.count))
    return -6;
  if (!used || a.count == 0) return BATCHED_SUCCESS;
  batched_ger_args args = {trans, alpha, x, y, a};
  return batched_run(ctx, &batched_ger_op, &args);
}
