/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

/* LAPACK's count: 2 n^2 (m - n/3) for m >= n, and the same with m and n exchanged otherwise. */
static batched_cost cost(const void *args)
{
  const batched_geqrf_args *g = args;
  double longer = g->a.m > g->a.n ? g->a.m : g->a.n, k = g->a.m > g->a.n ? g->a.n : g->a.m;
  double count = batched_model_count(&g->a);
  return (batched_cost){count * 2 * k * k * (longer - k / 3) * batched_flop_weight(g->a.type),
                        count * (2 * longer * k + k) * (double)batched_element_bytes(g->a.type)};
}

const batched_op batched_geqrf_op = {
  .name = "geqrf", .key = "geqrf", .variants = {batched_geqrf_host, batched_geqrf_cuda}, .cost = cost};

/* tau has min(m, n) elements for each matrix. */
static bool conform(const batched_ctx *ctx, const batched_matrix *a, const batched_matrix *tau)
{
  batched_extent length = batched_length(tau);
  if (!batched_is_variable(a) && !length.each) return length.bound == (a->m < a->n ? a->m : a->n);
  if (batched_get_space(ctx) != BATCHED_HOST) return true;
  for (int64_t b = 0; b < a->count; b++) {
    int m = batched_rows(a, b), n = batched_cols(a, b), k = m < n ? m : n;
    if ((length.each ? length.each[b] : length.bound) != k) return false;
  }
  return true;
}

int batched_geqrf(batched_ctx *ctx, batched_matrix a, batched_matrix tau)
{
  if (!ctx) return -1;
  if (!batched_is_valid_result(ctx, &a)) return -2;
  if (!batched_is_valid_result(ctx, &tau) || !batched_same_kind(&a, &tau) || !conform(ctx, &a, &tau)) return -3;
  if (a.count == 0 || a.m == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_geqrf_args args = {a, tau};
  return batched_run(ctx, &batched_geqrf_op, &args);
}
