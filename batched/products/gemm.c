/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/products/products.h"

static batched_cost cost(const void *args)
{
  const batched_gemm_args *g = args;
  if (batched_is_variable(&g->a) || batched_is_variable(&g->c)) return (batched_cost){0};
  double k = g->transa == BATCHED_NO_TRANS ? g->a.n : g->a.m;
  double c = (double)g->c.m * g->c.n * (double)g->c.count;
  bool reads_c = !batched_is_zero(g->c.type, g->beta);
  double elements = batched_model_elements(&g->a) + batched_model_elements(&g->b) + (reads_c ? 2 : 1) * c;
  return (batched_cost){2 * c * k * batched_flop_weight(g->c.type),
                        elements * (double)batched_element_bytes(g->c.type)};
}

/* Names of the release before. */
static const batched_alias aliases[] = {
  {"cuda.tiny", "cuda.warp"},
  {"cuda.narrow", "cuda.narrow_tc"},
  {"cuda.tensor", "cuda.tile_tc"},
  {0},
};

const batched_op batched_gemm_op = {
  .name = "gemm",
  .key = "gemm",
  .variants = {batched_gemm_host, batched_gemm_cuda},
  .cost = cost,
  .operands = {sizeof(batched_gemm_args),
               3,
               {offsetof(batched_gemm_args, a), offsetof(batched_gemm_args, b), offsetof(batched_gemm_args, c)}},
  .aliases = aliases,
};

static batched_extent rows_of(batched_trans trans, const batched_matrix *a)
{
  return trans == BATCHED_NO_TRANS ? batched_row_extent(a) : batched_col_extent(a);
}

static batched_extent cols_of(batched_trans trans, const batched_matrix *a)
{
  return trans == BATCHED_NO_TRANS ? batched_col_extent(a) : batched_row_extent(a);
}

int batched_gemm(batched_ctx *ctx, batched_trans transa, batched_trans transb, batched_scalar alpha, batched_matrix a,
                 batched_matrix b, batched_scalar beta, batched_matrix c)
{
  bool used = !batched_is_zero(c.type, alpha) && c.m != 0 && c.n != 0;
  if (!ctx) return -1;
  if (!batched_is_trans(transa)) return -2;
  if (!batched_is_trans(transb)) return -3;
  if (!batched_is_valid(ctx, &a, used)) return -5;
  if (!batched_is_valid(ctx, &b, used) || !batched_same_kind(&a, &b) ||
      !batched_same_extent(ctx, cols_of(transa, &a), rows_of(transb, &b), b.count))
    return -6;
  if (!batched_is_valid_result(ctx, &c) || !batched_same_kind(&a, &c) ||
      !batched_same_extent(ctx, rows_of(transa, &a), batched_row_extent(&c), c.count) ||
      !batched_same_extent(ctx, cols_of(transb, &b), batched_col_extent(&c), c.count))
    return -8;
  if (c.count == 0 || c.m == 0 || c.n == 0) return BATCHED_SUCCESS;
  batched_gemm_args args = {transa, transb, alpha, beta, a, b, c};
  return batched_run(ctx, &batched_gemm_op, &args);
}
