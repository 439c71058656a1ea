/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

static batched_cost cost(const void *args)
{
  const batched_trmm_args *t = args;
  if (batched_is_variable(&t->a) || batched_is_variable(&t->b)) return (batched_cost){0};
  double n = t->a.m, nrhs = t->side == BATCHED_LEFT ? t->b.n : t->b.m, count = (double)t->b.count;
  double triangle = batched_model_elements(&t->a) * (n + 1) / (2 * (n > 0 ? n : 1));
  return (batched_cost){count * n * n * nrhs * batched_flop_weight(t->b.type),
                        (triangle + 2 * count * n * nrhs) * (double)batched_element_bytes(t->b.type)};
}

const batched_op batched_trmm_op = {
  .name = "trmm", .key = "trmm", .variants = {batched_trmm_host, batched_trmm_cuda}, .cost = cost};

int batched_trmm(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, batched_diag diag,
                 batched_scalar alpha, batched_matrix a, batched_matrix b)
{
  bool used = !batched_is_zero(b.type, alpha) && b.m > 0 && b.n > 0;
  if (!ctx) return -1;
  if (side != BATCHED_LEFT && side != BATCHED_RIGHT) return -2;
  if (!batched_is_uplo(uplo)) return -3;
  if (!batched_is_trans(trans)) return -4;
  if (diag != BATCHED_NON_UNIT && diag != BATCHED_UNIT) return -5;
  if (!batched_is_valid(ctx, &a, used) || !batched_is_square(ctx, &a)) return -7;
  batched_extent solved = side == BATCHED_LEFT ? batched_row_extent(&b) : batched_col_extent(&b);
  if (!batched_is_valid_result(ctx, &b) || !batched_same_kind(&a, &b) ||
      !batched_same_extent(ctx, batched_col_extent(&a), solved, b.count))
    return -8;
  if (b.count == 0 || b.m == 0 || b.n == 0) return BATCHED_SUCCESS;
  batched_trmm_args args = {side, uplo, trans, diag, alpha, a, b};
  return batched_run(ctx, &batched_trmm_op, &args);
}
