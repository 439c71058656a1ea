/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/products/products.h"

static batched_cost cost(const void *args)
{
  const batched_symm_args *s = args;
  if (batched_is_variable(&s->a) || batched_is_variable(&s->c)) return (batched_cost){0};
  const double n = s->a.n, c = (double)s->c.m * s->c.n * (double)s->c.count;
  const double triangle = n * (n + 1) / 2 * (batched_is_shared(&s->a) ? 1 : (double)s->c.count);
  const bool reads_c = !batched_is_zero(s->c.type, s->beta);
  return (batched_cost){2 * n * c * batched_flop_weight(s->c.type),
                        (triangle + batched_model_elements(&s->b) + (reads_c ? 2 : 1) * c) *
                          (double)batched_element_bytes(s->c.type)};
}

const batched_op batched_symm_op = {
  .name = "symm",
  .key = "symm",
  .variants = {batched_symm_host, batched_symm_cuda},
  .cost = cost,
  .operands = {sizeof(batched_symm_args),
               3,
               {offsetof(batched_symm_args, a), offsetof(batched_symm_args, b), offsetof(batched_symm_args, c)}},
};

static int multiply(batched_ctx *ctx, bool hermitian, batched_side side, batched_uplo uplo, batched_scalar alpha,
                    batched_matrix a, batched_matrix b, batched_scalar beta, batched_matrix c)
{
  const bool used = !batched_is_zero(c.type, alpha) && c.m > 0 && c.n > 0;
  if (!ctx) return -1;
  if (!batched_is_side(side)) return -2;
  if (!batched_is_uplo(uplo)) return -3;
  if (!batched_is_valid(ctx, &a, used) || !batched_is_square(ctx, &a)) return -5;
  const batched_extent order = side == BATCHED_LEFT ? batched_row_extent(&b) : batched_col_extent(&b);
  if (!batched_is_valid(ctx, &b, used) || !batched_same_kind(&a, &b) ||
      !batched_same_extent(ctx, batched_col_extent(&a), order, b.count))
    return -6;
  if (!batched_is_valid_result(ctx, &c) || !batched_same_shape(ctx, &b, &c)) return -8;
  if (c.count == 0 || c.m == 0 || c.n == 0) return BATCHED_SUCCESS;
  batched_symm_args args = {side, uplo, hermitian && batched_is_complex(c.type), alpha, beta, a, b, c};
  return batched_run(ctx, &batched_symm_op, &args);
}

int batched_symm(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_scalar alpha, batched_matrix a,
                 batched_matrix b, batched_scalar beta, batched_matrix c)
{
  return multiply(ctx, false, side, uplo, alpha, a, b, beta, c);
}

int batched_hemm(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_scalar alpha, batched_matrix a,
                 batched_matrix b, batched_scalar beta, batched_matrix c)
{
  return multiply(ctx, true, side, uplo, alpha, a, b, beta, c);
}
