/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/triangular/triangular.h"

batched_cost batched_triangle_and_vector_cost(const void *args)
{
  const batched_trsv_args *t = args;
  if (batched_is_variable(&t->a) || batched_is_variable(&t->x)) return (batched_cost){0};
  double n = t->a.m, count = (double)t->x.count,
         triangle = batched_model_elements(&t->a) * (n + 1) / (2 * (n > 0 ? n : 1));
  return (batched_cost){count * n * n * batched_flop_weight(t->x.type),
                        (triangle + 2 * count * n) * (double)batched_element_bytes(t->x.type)};
}

int batched_check_triangle_and_vector(const batched_ctx *ctx, const batched_trsv_args *t)
{
  if (!ctx) return -1;
  if (!batched_is_uplo(t->uplo)) return -2;
  if (!batched_is_trans(t->trans)) return -3;
  if (!batched_is_diag(t->diag)) return -4;
  if (!batched_is_valid(ctx, &t->a, true) || !batched_is_square(ctx, &t->a)) return -5;
  if (!batched_is_valid_result(ctx, &t->x) || !batched_same_kind(&t->a, &t->x) ||
      !batched_same_extent(ctx, batched_col_extent(&t->a), batched_length(&t->x), t->x.count))
    return -6;
  return 0;
}

batched_cost batched_triangle_cost(const void *args)
{
  const batched_trsm_args *t = args;
  if (batched_is_variable(&t->a) || batched_is_variable(&t->b)) return (batched_cost){0};
  double n = t->a.m, nrhs = t->side == BATCHED_LEFT ? t->b.n : t->b.m, count = (double)t->b.count;
  double triangle = batched_model_elements(&t->a) * (n + 1) / (2 * (n > 0 ? n : 1));
  return (batched_cost){count * n * n * nrhs * batched_flop_weight(t->b.type),
                        (triangle + 2 * count * n * nrhs) * (double)batched_element_bytes(t->b.type)};
}

int batched_check_triangle(const batched_ctx *ctx, const batched_trsm_args *t)
{
  const bool used = !batched_is_zero(t->b.type, t->alpha) && t->b.m > 0 && t->b.n > 0;
  if (!ctx) return -1;
  if (!batched_is_side(t->side)) return -2;
  if (!batched_is_uplo(t->uplo)) return -3;
  if (!batched_is_trans(t->trans)) return -4;
  if (!batched_is_diag(t->diag)) return -5;
  if (!batched_is_valid(ctx, &t->a, used) || !batched_is_square(ctx, &t->a)) return -7;
  const batched_extent order = t->side == BATCHED_LEFT ? batched_row_extent(&t->b) : batched_col_extent(&t->b);
  if (!batched_is_valid_result(ctx, &t->b) || !batched_same_kind(&t->a, &t->b) ||
      !batched_same_extent(ctx, batched_col_extent(&t->a), order, t->b.count))
    return -8;
  return 0;
}
