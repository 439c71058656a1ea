/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/qr/qr.h"

/* LAPACK's count: 2 n^2 (m - n/3) for m >= n, and the same with m and n exchanged otherwise. */
static batched_cost cost(const void *args)
{
  const batched_geqrf_args *g = args;
  double longer = g->a.m > g->a.n ? g->a.m : g->a.n, k = g->a.m > g->a.n ? g->a.n : g->a.m;
  double count = batched_model_count(&g->a);
  return (batched_cost){count * 2 * k * k * (longer - k / 3) * batched_flop_weight(g->a.type),
                        count * (2 * longer * k + k) * (double)batched_element_bytes(g->a.type)};
}

static const batched_alias aliases[] = {
  {"cuda.spread", "cuda.warp_tc"},
  {"cuda.register", "cuda.lanes"},
  {"cuda.shared", "cuda.panels"},
  {"cuda.global", "cuda.blocked"},
  {NULL, NULL},
};

const batched_op batched_geqrf_op = {
  .name = "geqrf",
  .key = "geqrf",
  .variants = {batched_geqrf_host, batched_geqrf_cuda},
  .cost = cost,
  .operands = {sizeof(batched_geqrf_args), 2, {offsetof(batched_geqrf_args, a), offsetof(batched_geqrf_args, tau)}},
  .aliases = aliases,
};

int batched_geqrf(batched_ctx *ctx, batched_matrix a, batched_matrix tau)
{
  if (!ctx) return -1;
  if (!batched_is_valid_result(ctx, &a)) return -2;
  if (!batched_is_valid_result(ctx, &tau) || !batched_same_kind(&a, &tau) ||
      !batched_is_min_extent(ctx, batched_length(&tau), &a))
    return -3;
  if (a.count == 0 || a.m == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_geqrf_args args = {a, tau};
  return batched_run(ctx, &batched_geqrf_op, &args);
}
