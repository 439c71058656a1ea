/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/qr/qr.h"

static batched_cost cost(const void *args)
{
  const batched_ungqr_args *g = args;
  double m = g->a.m, n = g->a.n, k = batched_length(&g->tau).bound, count = batched_model_count(&g->a);
  return (batched_cost){count * (4 * m * n * k - 2 * (m + n) * k * k + 4 * k * k * k / 3) *
                          batched_flop_weight(g->a.type),
                        count * 2 * m * n * (double)batched_element_bytes(g->a.type)};
}

static const batched_alias aliases[] = {
  {"cuda.shared", "cuda.panels"},
  {"cuda.global", "cuda.blocked"},
  {NULL, NULL},
};

const batched_op batched_ungqr_op = {
  .name = "ungqr",
  .key = "ungqr",
  .variants = {batched_ungqr_host, batched_ungqr_cuda},
  .cost = cost,
  .operands = {sizeof(batched_ungqr_args), 2, {offsetof(batched_ungqr_args, a), offsetof(batched_ungqr_args, tau)}},
  .aliases = aliases,
};

/* No more reflectors than columns. */
static bool conform(const batched_ctx *ctx, const batched_matrix *a, const batched_matrix *tau)
{
  const batched_extent length = batched_length(tau);
  if (!batched_is_vector(tau) ||
      !batched_accept(length.bound <= a->n, "its length %d is more than n = %d", length.bound, a->n))
    return false;
  if ((!a->ns && !length.each) || batched_get_space(ctx) != BATCHED_HOST) return true;
  for (int64_t b = 0; b < a->count; b++) {
    const int k = batched_extent_at(length, b), n = batched_cols(a, b);
    if (k < 0 || k > n)
      return batched_accept(false, "matrix %lld: its length %d is not in 0 .. n = %d", (long long)b, k, n);
  }
  return true;
}

int batched_ungqr(batched_ctx *ctx, batched_matrix a, batched_matrix tau)
{
  if (!ctx) return -1;
  if (!batched_is_valid_result(ctx, &a) || !batched_is_tall(ctx, &a)) return -2;
  if (!batched_is_valid(ctx, &tau, a.m > 0 && a.n > 0) || !batched_same_kind(&a, &tau) || !conform(ctx, &a, &tau))
    return -3;
  if (a.count == 0 || a.m == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_ungqr_args args = {a, tau};
  return batched_run(ctx, &batched_ungqr_op, &args);
}
