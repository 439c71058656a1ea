/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/cholesky/cholesky.h"

static batched_cost cost(const void *args)
{
  const batched_potrs_args *p = args;
  if (batched_is_variable(&p->a) || batched_is_variable(&p->b)) return (batched_cost){0};
  double n = p->b.m, nrhs = p->b.n, count = (double)p->b.count;
  double factor = batched_model_elements(&p->a) * (n + 1) / (2 * (n > 0 ? n : 1));
  return (batched_cost){2 * count * n * n * nrhs * batched_flop_weight(p->b.type),
                        (factor + 2 * count * n * nrhs) * (double)batched_element_bytes(p->b.type)};
}

/* Names of the release before. */
static const batched_alias aliases[] = {
  {"cuda.warp", "cuda.lanes"},
  {"cuda.rows", "cuda.lanes"},
  {"cuda.tiles", "cuda.warp_stream"},
  {"cuda.blocked", "cuda.composed"},
  {0},
};

const batched_op batched_potrs_op = {
  .name = "potrs",
  .key = "potrs",
  .variants = {batched_potrs_host, batched_potrs_cuda},
  .cost = cost,
  .operands = {sizeof(batched_potrs_args), 2, {offsetof(batched_potrs_args, a), offsetof(batched_potrs_args, b)}},
  .aliases = aliases,
};

int batched_potrs(batched_ctx *ctx, batched_uplo uplo, batched_matrix a, batched_matrix b)
{
  if (!ctx) return -1;
  if (!batched_is_uplo(uplo)) return -2;
  if (!batched_is_valid(ctx, &a, b.n > 0) || !batched_is_square(ctx, &a)) return -3;
  if (!batched_is_valid_result(ctx, &b) || !batched_same_kind(&a, &b) ||
      !batched_same_extent(ctx, batched_col_extent(&a), batched_row_extent(&b), b.count))
    return -4;
  if (b.count == 0 || b.m == 0 || b.n == 0) return BATCHED_SUCCESS;
  batched_potrs_args args = {uplo, a, b};
  return batched_run(ctx, &batched_potrs_op, &args);
}
