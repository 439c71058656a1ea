/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/lowrank/check_lowrank.h"

/* Two factorisations and two products with Q. */
static batched_cost cost(const void *args)
{
  const batched_lrround_args *r = args;
  const double k = r->au.n, heights = (double)r->au.m + r->av.m, count = (double)r->au.count;
  if (r->au.ms || r->av.ms) return (batched_cost){0};
  return (batched_cost){count * 6 * heights * k * k * batched_flop_weight(r->au.type),
                        2 * count * lowrank_elements(&r->au, &r->av) * (double)batched_element_bytes(r->au.type)};
}

const batched_op batched_lrround_op = {
  .name = "lrround",
  .key = "lrround",
  .variants = {batched_lrround_host, batched_lrround_cuda},
  .cost = cost,
  .operands = {sizeof(batched_lrround_args),
               4,
               {offsetof(batched_lrround_args, au), offsetof(batched_lrround_args, av),
                offsetof(batched_lrround_args, cu), offsetof(batched_lrround_args, cv)},
               .info = offsetof(batched_lrround_args, info),
               .counts = offsetof(batched_lrround_args, ranks)},
  .whatever_count = true,
};

int batched_lrround(batched_ctx *ctx, batched_lowrank a, batched_lowrank c, batched_truncation t, int *info)
{
  if (!ctx) return -1;
  if (!batched_accept(!lowrank_is_dense(&a), "a is dense") || !lowrank_is_valid(ctx, &a)) return -2;
  if (!batched_accept(!lowrank_is_dense(&c), "c is dense") || !lowrank_is_valid_result(ctx, &c) ||
      !batched_same_kind(&a.u, &c.u) || !batched_same_extent(ctx, lowrank_rows(&a), lowrank_rows(&c), a.u.count) ||
      !batched_same_extent(ctx, lowrank_cols(&a), lowrank_cols(&c), a.u.count))
    return -3;
  if (!lowrank_is_truncation(&t)) return -4;
  if (!batched_is_given(info, "info", a.u.count > 0)) return -5;
  if (a.u.count == 0) return BATCHED_SUCCESS;
  batched_lrround_args args = {lowrank_left(&a), lowrank_right(&a), c.u, c.v, c.ranks, t, info};
  return batched_run(ctx, &batched_lrround_op, &args);
}

int lowrank_compose_lrround(batched_ctx *ctx, const void *args)
{
  const batched_lrround_args *r = args;
  lowrank_work w = {.ctx = ctx};
  batched_matrix x = lowrank_zeros(&w, r->au.type, r->au.m, r->au.n, r->au.count);
  batched_matrix y = lowrank_zeros(&w, r->av.type, r->av.m, r->av.n, r->av.count);
  LOWRANK_DO(&w, batched_copy(ctx, r->au, lowrank_sized(x, r->au.ms, r->au.ns)));
  LOWRANK_DO(&w, batched_copy(ctx, r->av, lowrank_sized(y, r->av.ms, r->av.ns)));
  LOWRANK_DO(&w, lowrank_round(ctx, x, y, r->cu, r->cv, r->ranks, r->t, r->info));
  return lowrank_end(&w);
}
