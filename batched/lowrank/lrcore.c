/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Singular values and left singular vectors of the small matrices that rounding ends with.
 */
#include "batched/lowrank/check_lowrank.h"

/* About 12 sweeps of rotations, as the plainest SVD takes them, and one side of vectors. */
static batched_cost cost(const void *args)
{
  const batched_lrcore_args *c = args;
  const double count = batched_model_count(&c->a), m = c->a.m, n = c->a.n;
  return (batched_cost){12 * count * m * n * n * batched_flop_weight(c->a.type),
                        count * 2 * m * n * (double)batched_element_bytes(c->a.type)};
}

const batched_op batched_lrcore_op = {
  .name = "lrcore",
  .key = "lrcore",
  .variants = {batched_lrcore_host, batched_lrcore_cuda},
  .cost = cost,
  .operands = {sizeof(batched_lrcore_args),
               3,
               {offsetof(batched_lrcore_args, a), offsetof(batched_lrcore_args, s), offsetof(batched_lrcore_args, p)},
               .info = offsetof(batched_lrcore_args, info)},
  .whatever_count = true,
};

static int multiply(batched_ctx *ctx, batched_matrix t, batched_trans trans, batched_matrix a)
{
  if (!lowrank_is_there(&t)) return BATCHED_SUCCESS;
  return batched_trmm(ctx, BATCHED_LEFT, BATCHED_UPPER, trans, BATCHED_NON_UNIT, batched_real(1), t, a);
}

int lowrank_compose_lrcore(batched_ctx *ctx, const void *args)
{
  const batched_lrcore_args *c = args;
  lowrank_work w = {.ctx = ctx};
  LOWRANK_DO(&w, multiply(ctx, c->t, BATCHED_CONJ_TRANS, c->a));
  LOWRANK_DO(&w, batched_gesvd(ctx, BATCHED_VECTORS, c->a, c->s, c->p, (batched_matrix){0}, c->info));
  LOWRANK_DO(&w, multiply(ctx, c->t, BATCHED_NO_TRANS, c->p));
  return w.status;
}

static bool is_triangle_of(const batched_ctx *ctx, const batched_matrix *t, const batched_matrix *a)
{
  return batched_is_valid(ctx, t, true) && batched_same_kind(a, t) && !batched_is_variable(t) &&
         !batched_is_variable(a) && batched_accept(t->m == a->m && t->n == a->m, "t is no triangle of a's rows");
}

int batched_lrcore(batched_ctx *ctx, batched_matrix a, batched_matrix t, batched_matrix s, batched_matrix p, int *info)
{
  if (!ctx) return -1;
  if (!batched_is_valid_result(ctx, &a)) return -2;
  if (lowrank_is_there(&t) && !is_triangle_of(ctx, &t, &a)) return -3;
  if (!batched_is_valid_result(ctx, &s) || s.type != batched_real_type(a.type) || s.count != a.count) return -4;
  if (!batched_is_valid_result(ctx, &p) || !batched_same_kind(&a, &p) ||
      !batched_same_extent(ctx, batched_row_extent(&p), batched_row_extent(&a), a.count) ||
      !batched_same_extent(ctx, batched_col_extent(&p), batched_length(&s), a.count))
    return -5;
  if (a.count == 0) return BATCHED_SUCCESS;
  if (!batched_is_given(info, "info", true)) return -6;
  batched_lrcore_args args = {a, s, p, t, info};
  return batched_run(ctx, &batched_lrcore_op, &args);
}
