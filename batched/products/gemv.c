/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/products/products.h"

static batched_cost cost(const void *args)
{
  const batched_gemv_args *g = args;
  if (batched_is_variable(&g->a) || batched_is_variable(&g->y)) return (batched_cost){0};
  bool reads_y = !batched_is_zero(g->y.type, g->beta);
  double elements =
    batched_model_elements(&g->a) + batched_model_elements(&g->x) + (reads_y ? 2 : 1) * batched_model_elements(&g->y);
  return (batched_cost){2.0 * g->a.m * g->a.n * (double)g->a.count * batched_flop_weight(g->a.type),
                        elements * (double)batched_element_bytes(g->a.type)};
}

/* Names of the release before. */
static const batched_alias aliases[] = {
  {"cuda.eight", "cuda.lanes_8x8"},
  {"cuda.warp", "cuda.lanes"},
  {"cuda.tile", "cuda.block"},
  {"cuda.classic", "cuda.native"},
  {0},
};

const batched_op batched_gemv_op = {
  .name = "gemv",
  .key = "gemv",
  .variants = {batched_gemv_host, batched_gemv_cuda},
  .cost = cost,
  .operands = {sizeof(batched_gemv_args),
               3,
               {offsetof(batched_gemv_args, a), offsetof(batched_gemv_args, x), offsetof(batched_gemv_args, y)}},
  .aliases = aliases,
};

int batched_gemv(batched_ctx *ctx, batched_trans trans, batched_scalar alpha, batched_matrix a, batched_matrix x,
                 batched_scalar beta, batched_matrix y)
{
  bool used = !batched_is_zero(y.type, alpha);
  bool plain = trans == BATCHED_NO_TRANS;
  batched_extent in = plain ? batched_col_extent(&a) : batched_row_extent(&a);
  batched_extent out = plain ? batched_row_extent(&a) : batched_col_extent(&a);
  if (!ctx) return -1;
  if (!batched_is_trans(trans)) return -2;
  if (!batched_is_valid(ctx, &a, used)) return -4;
  if (!batched_is_valid(ctx, &x, used) || !batched_same_kind(&a, &x) ||
      !batched_same_extent(ctx, batched_length(&x), in, x.count))
    return -5;
  if (!batched_is_valid_result(ctx, &y) || !batched_same_kind(&a, &y) ||
      !batched_same_extent(ctx, batched_length(&y), out, y.count))
    return -7;
  if (y.count == 0 || y.m == 0 || y.n == 0) return BATCHED_SUCCESS;
  batched_gemv_args args = {trans, alpha, beta, a, x, y};
  return batched_run(ctx, &batched_gemv_op, &args);
}
