/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/products/products.h"

static batched_cost cost(const void *args)
{
  const batched_syrk_args *s = args;
  if (batched_is_variable(&s->a) || batched_is_variable(&s->c)) return (batched_cost){0};
  const double k = s->trans == BATCHED_NO_TRANS ? s->a.n : s->a.m;
  const double triangle = 0.5 * s->c.n * (s->c.n + 1.0) * (double)s->c.count;
  const bool reads_c = !batched_is_zero(s->c.type, s->beta);
  return (batched_cost){2 * triangle * k * batched_flop_weight(s->c.type),
                        (batched_model_elements(&s->a) + (reads_c ? 2 : 1) * triangle) *
                          (double)batched_element_bytes(s->c.type)};
}

/* Names of the release before. */
static const batched_alias aliases[] = {
  {"cuda.tiny", "cuda.warp"},
  {"cuda.tensor", "cuda.tile_tc"},
  {0},
};

const batched_op batched_syrk_op = {
  .name = "syrk",
  .key = "syrk",
  .variants = {batched_syrk_host, batched_syrk_cuda},
  .cost = cost,
  .operands = {sizeof(batched_syrk_args), 2, {offsetof(batched_syrk_args, a), offsetof(batched_syrk_args, c)}},
  .aliases = aliases,
};

static int update(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, bool hermitian, batched_scalar alpha,
                  batched_matrix a, batched_scalar beta, batched_matrix c)
{
  if (!ctx) return -1;
  if (!batched_is_uplo(uplo)) return -2;
  if (!batched_is_update_trans(trans, hermitian ? BATCHED_CONJ_TRANS : BATCHED_TRANS, c.type)) return -3;
  if (!batched_is_valid(ctx, &a, !batched_is_zero(c.type, alpha))) return -5;
  const batched_extent n = trans == BATCHED_NO_TRANS ? batched_row_extent(&a) : batched_col_extent(&a);
  if (!batched_is_valid_result(ctx, &c) || !batched_is_square(ctx, &c) || !batched_same_kind(&a, &c) ||
      !batched_same_extent(ctx, n, batched_row_extent(&c), c.count))
    return -7;
  if (c.count == 0 || c.m == 0) return BATCHED_SUCCESS;
  batched_syrk_args args = {uplo, trans, hermitian, alpha, beta, a, c};
  return batched_run(ctx, &batched_syrk_op, &args);
}

int batched_syrk(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_scalar alpha, batched_matrix a,
                 batched_scalar beta, batched_matrix c)
{
  return update(ctx, uplo, trans, false, alpha, a, beta, c);
}

int batched_herk(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, double alpha, batched_matrix a, double beta,
                 batched_matrix c)
{
  return update(ctx, uplo, trans, true, batched_real(alpha), a, batched_real(beta), c);
}
