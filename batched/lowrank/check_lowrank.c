/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/lowrank/check_lowrank.h"

bool lowrank_are_ranks(const batched_ctx *ctx, const batched_lowrank *a)
{
  if (!a->ranks || batched_get_space(ctx) != BATCHED_HOST) return true;
  for (int64_t b = 0; b < a->u.count; b++)
    if (a->ranks[b] < 0 || a->ranks[b] > a->u.n)
      return batched_accept(false, "matrix %lld: rank %d is not in 0 .. u.n = %d", (long long)b, a->ranks[b], a->u.n);
  return true;
}

bool lowrank_is_valid(const batched_ctx *ctx, const batched_lowrank *a)
{
  if (lowrank_is_dense(a)) return batched_is_valid(ctx, &a->u, true);
  batched_matrix u = lowrank_sized(a->u, a->u.ms, NULL), v = lowrank_sized(a->v, a->v.ms, NULL);
  return batched_is_valid(ctx, &u, true) && batched_is_valid(ctx, &v, true) && batched_same_kind(&u, &v) &&
         batched_accept(u.n == v.n, "u.n %d is not v.n %d", u.n, v.n) && lowrank_are_ranks(ctx, a);
}

bool lowrank_is_valid_result(const batched_ctx *ctx, const batched_lowrank *c)
{
  if (lowrank_is_dense(c)) return batched_is_valid_result(ctx, &c->u);
  batched_matrix u = lowrank_sized(c->u, c->u.ms, NULL), v = lowrank_sized(c->v, c->v.ms, NULL);
  return batched_is_valid_result(ctx, &u) && batched_is_valid_result(ctx, &v) && batched_same_kind(&u, &v) &&
         batched_accept(u.n == v.n, "u.n %d is not v.n %d", u.n, v.n) &&
         batched_accept(!u.lds && !v.lds, "factors of a result have one leading dimension: lds must be NULL") &&
         batched_is_given(c->ranks, "ranks", u.count > 0);
}

bool lowrank_is_truncation(const batched_truncation *t)
{
  return batched_accept(t->tolerance >= 0, "tolerance %g is not >= 0", t->tolerance) &&
         batched_accept(t->max_rank >= 0, "max_rank %d < 0", t->max_rank) &&
         batched_accept(t->power_iterations >= 0, "power_iterations %d < 0", t->power_iterations);
}
