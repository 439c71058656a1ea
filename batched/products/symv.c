/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/products/products.h"

static batched_cost cost(const void *args)
{
  const batched_symv_args *s = args;
  const double count = batched_model_count(&s->a), n = s->a.n;
  const double matrices = batched_is_shared(&s->a) ? 1 : count;
  const bool reads_y = !batched_is_zero(s->y.type, s->beta);
  const double elements =
    n * (n + 1) / 2 * matrices + (count > 0 ? batched_model_elements(&s->x) : 0) + (reads_y ? 2 : 1) * n * count;
  return (batched_cost){2 * n * n * count * batched_flop_weight(s->a.type),
                        elements * (double)batched_element_bytes(s->a.type)};
}

/* Names of the release before. */
static const batched_alias aliases[] = {
  {"cuda.warp", "cuda.lanes"},
  {"cuda.tile", "cuda.block"},
  {"cuda.classic", "cuda.native"},
  {0},
};

const batched_op batched_symv_op = {
  .name = "symv",
  .key = "symv",
  .variants = {batched_symv_host, batched_symv_cuda},
  .cost = cost,
  .operands = {sizeof(batched_symv_args),
               3,
               {offsetof(batched_symv_args, a), offsetof(batched_symv_args, x), offsetof(batched_symv_args, y)}},
  .aliases = aliases,
};

static int multiply(batched_ctx *ctx, bool hermitian, batched_uplo uplo, batched_scalar alpha, batched_matrix a,
                    batched_matrix x, batched_scalar beta, batched_matrix y)
{
  const bool used = !batched_is_zero(y.type, alpha);
  if (!ctx) return -1;
  if (!batched_is_uplo(uplo)) return -2;
  if (!batched_is_valid(ctx, &a, used) || !batched_is_square(ctx, &a)) return -4;
  if (!batched_is_valid(ctx, &x, used) || !batched_same_kind(&a, &x) ||
      !batched_same_extent(ctx, batched_length(&x), batched_col_extent(&a), x.count))
    return -5;
  if (!batched_is_valid_result(ctx, &y) || !batched_same_kind(&a, &y) ||
      !batched_same_extent(ctx, batched_length(&y), batched_row_extent(&a), y.count))
    return -7;
  if (y.count == 0 || y.m == 0 || y.n == 0) return BATCHED_SUCCESS;
  batched_symv_args args = {uplo, hermitian && batched_is_complex(a.type), alpha, beta, a, x, y};
  return batched_run(ctx, &batched_symv_op, &args);
}

int batched_symv(batched_ctx *ctx, batched_uplo uplo, batched_scalar alpha, batched_matrix a, batched_matrix x,
                 batched_scalar beta, batched_matrix y)
{
  return multiply(ctx, false, uplo, alpha, a, x, beta, y);
}

int batched_hemv(batched_ctx *ctx, batched_uplo uplo, batched_scalar alpha, batched_matrix a, batched_matrix x,
                 batched_scalar beta, batched_matrix y)
{
  return multiply(ctx, true, uplo, alpha, a, x, beta, y);
}
