/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/products/products.h"

static batched_cost cost(const void *args)
{
  const batched_syr2k_args *s = args;
  if (batched_is_variable(&s->a) || batched_is_variable(&s->c)) return (batched_cost){0};
  const double k = s->trans == BATCHED_NO_TRANS ? s->a.n : s->a.m;
  const double triangle = 0.5 * s->c.n * (s->c.n + 1.0) * (double)s->c.count;
  const bool reads_c = !batched_is_zero(s->c.type, s->beta);
  return (batched_cost){4 * triangle * k * batched_flop_weight(s->c.type),
                        (batched_model_elements(&s->a) + batched_model_elements(&s->b) + (reads_c ? 2 : 1) * triangle) *
                          (double)batched_element_bytes(s->c.type)};
}

const batched_op batched_syr2k_op = {
  .name = "syr2k",
  .key = "syr2k",
  .variants = {batched_syr2k_host, batched_syr2k_cuda},
  .cost = cost,
  .operands = {sizeof(batched_syr2k_args),
               3,
               {offsetof(batched_syr2k_args, a), offsetof(batched_syr2k_args, b), offsetof(batched_syr2k_args, c)}},
};

static int update(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, bool hermitian, batched_scalar alpha,
                  batched_matrix a, batched_matrix b, batched_scalar beta, batched_matrix c)
{
  const bool used = !batched_is_zero(c.type, alpha);
  if (!ctx) return -1;
  if (!batched_is_uplo(uplo)) return -2;
  if (!batched_is_update_trans(trans, hermitian ? BATCHED_CONJ_TRANS : BATCHED_TRANS, c.type)) return -3;
  if (!batched_is_valid(ctx, &a, used)) return -5;
  if (!batched_is_valid(ctx, &b, used) || !batched_same_shape(ctx, &a, &b)) return -6;
  const batched_extent n = trans == BATCHED_NO_TRANS ? batched_row_extent(&a) : batched_col_extent(&a);
  if (!batched_is_valid_result(ctx, &c) || !batched_is_square(ctx, &c) || !batched_same_kind(&a, &c) ||
      !batched_same_extent(ctx, n, batched_row_extent(&c), c.count))
    return -8;
  if (c.count == 0 || c.m == 0) return BATCHED_SUCCESS;
  batched_syr2k_args args = {uplo, trans, hermitian && batched_is_complex(c.type), alpha, beta, a, b, c};
  return batched_run(ctx, &batched_syr2k_op, &args);
}

int batched_syr2k(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_scalar alpha, batched_matrix a,
                  batched_matrix b, batched_scalar beta, batched_matrix c)
{
  return update(ctx, uplo, trans, false, alpha, a, b, beta, c);
}

int batched_her2k(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_scalar alpha, batched_matrix a,
                  batched_matrix b, double beta, batched_matrix c)
{
  return update(ctx, uplo, trans, true, alpha, a, b, batched_real(beta), c);
}
