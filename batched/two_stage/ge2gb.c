/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/two_stage/general_steps.h"

/* 4 k^2 (l - k / 3), l the longer side; A, read and written once, and the band. */
static batched_cost cost(const void *args)
{
  const batched_ge2gb_args *g = args;
  const double k = g->a.m < g->a.n ? g->a.m : g->a.n, l = g->a.m + g->a.n - k, count = batched_model_count(&g->a);
  return (batched_cost){count * 4 * k * k * (l - k / 3) * batched_flop_weight(g->a.type),
                        count * (2 * k * l + k * (batched_clamp_width((int)k, g->kd) + 3)) *
                          (double)batched_element_bytes(g->a.type)};
}

const batched_op batched_ge2gb_op = {
  .name = "ge2gb",
  .key = "ge2gb",
  .variants = {batched_ge2gb_host, batched_ge2gb_cuda},
  .cost = cost,
  .operands = {sizeof(batched_ge2gb_args),
               4,
               {offsetof(batched_ge2gb_args, a), offsetof(batched_ge2gb_args, ab), offsetof(batched_ge2gb_args, tauq),
                offsetof(batched_ge2gb_args, taup)}},
};

static bool is_band_of(const batched_ctx *ctx, const batched_matrix *ab, int kd, const batched_matrix *a)
{
  return batched_is_valid_result(ctx, ab) && batched_same_kind(a, ab) &&
         batched_is_min_extent(ctx, batched_col_extent(ab), a) && batched_has_band_rows(ctx, ab, kd);
}

int batched_ge2gb(batched_ctx *ctx, int kd, batched_matrix a, batched_matrix ab, batched_matrix tauq,
                  batched_matrix taup)
{
  if (!ctx) return -1;
  if (!batched_is_width(kd)) return -2;
  if (!batched_is_valid_result(ctx, &a)) return -3;
  if (!is_band_of(ctx, &ab, kd, &a)) return -4;
  if (!batched_is_vector_of(ctx, &a, &tauq, a.type, 0)) return -5;
  if (!batched_is_vector_of(ctx, &a, &taup, a.type, 0)) return -6;
  if (a.count == 0 || a.m == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_ge2gb_args args = {kd, a, ab, tauq, taup, false};
  return batched_run(ctx, &batched_ge2gb_op, &args);
}
