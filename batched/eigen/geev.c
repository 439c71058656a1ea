/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/eigen/eigen.h"

/* LAPACK's count: 10 n^3 for values, 25 n^3 with vectors of one side. */
static batched_cost cost(const void *args)
{
  const batched_geev_args *g = args;
  double n = g->a.n, count = batched_model_count(&g->a);
  const int sides = (g->vl.count > 0) + (g->vr.count > 0);
  return (batched_cost){count * n * n * n * (sides ? 23 + 2 * sides : 10) * batched_flop_weight(g->a.type),
                        count * n * n * (double)batched_element_bytes(g->a.type) +
                          count * n * (1 + sides * n) * (double)batched_element_bytes(g->w.type)};
}

const batched_op batched_geev_op = {
  .name = "geev",
  .key = "geev",
  .variants = {batched_geev_host, batched_geev_cuda},
  .cost = cost,
  .operands = {sizeof(batched_geev_args),
               4,
               {offsetof(batched_geev_args, a), offsetof(batched_geev_args, w), offsetof(batched_geev_args, vl),
                offsetof(batched_geev_args, vr)},
               .info = offsetof(batched_geev_args, info)},
};

static batched_type complex_type(batched_type type)
{
  return batched_real_type(type) == BATCHED_S ? BATCHED_C : BATCHED_Z;
}

static bool is_wrong(const batched_ctx *ctx, const batched_matrix *a, const batched_matrix *v)
{
  if (v->count == 0 && !v->data && !v->array) return false;
  return !batched_is_valid_result(ctx, v) ||
         !batched_accept(v->count == a->count, "counts %lld and %lld do not agree", (long long)v->count,
                         (long long)a->count) ||
         !batched_accept(v->type == complex_type(a->type), "vectors are complex") || !batched_is_square(ctx, v) ||
         !batched_same_extent(ctx, batched_row_extent(v), batched_row_extent(a), a->count);
}

int batched_geev(batched_ctx *ctx, batched_matrix a, batched_matrix w, batched_matrix vl, batched_matrix vr, int *info)
{
  if (!ctx) return -1;
  if (!batched_is_valid(ctx, &a, true) || !batched_is_square(ctx, &a)) return -2;
  if (!batched_is_vector_of(ctx, &a, &w, complex_type(a.type), 0)) return -3;
  if (is_wrong(ctx, &a, &vl)) return -4;
  if (is_wrong(ctx, &a, &vr)) return -5;
  if (!batched_is_given(info, "info", a.count > 0)) return -6;
  if (a.count == 0) return BATCHED_SUCCESS;
  const batched_geev_args args = {a, w, vl, vr, info};
  return batched_run(ctx, &batched_geev_op, &args);
}
