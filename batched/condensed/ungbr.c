/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/condensed/condensed.h"

static batched_cost cost(const void *args)
{
  const batched_ungbr_args *g = args;
  double m = g->a.m, n = g->a.n, k = batched_length(&g->tau).bound, count = batched_model_count(&g->a);
  return (batched_cost){count * (4 * m * n * k - 2 * (m + n) * k * k + 4 * k * k * k / 3) *
                          batched_flop_weight(g->a.type),
                        count * 2 * m * n * (double)batched_element_bytes(g->a.type)};
}

const batched_op batched_ungbr_op = {
  .name = "ungbr",
  .key = "ungbr",
  .variants = {batched_ungbr_host, batched_ungbr_cuda},
  .cost = cost,
  .operands = {sizeof(batched_ungbr_args), 2, {offsetof(batched_ungbr_args, a), offsetof(batched_ungbr_args, tau)}},
};

/* True for m x n parts of a Q of order m, or of a P^H of order n, with `reflectors` elements of tau. */
static bool is_part(bool q, int m, int n, int reflectors)
{
  return q ? m >= n && n >= reflectors : n >= m && m >= reflectors;
}

static bool conform(const batched_ctx *ctx, bool q, int k, const batched_matrix *a, const batched_matrix *tau)
{
  const batched_extent length = batched_length(tau);
  const int order = q ? a->m : a->n, wanted = k < order ? k : order;
  const char *const rule = q ? "m >= n >= length of tau" : "n >= m >= length of tau";
  if (!batched_is_vector(tau) ||
      !batched_accept(length.bound == wanted, "its length is %d, not min(%c, k) = %d", length.bound, q ? 'm' : 'n',
                      wanted) ||
      !batched_accept(is_part(q, a->m, a->n, wanted), "m %d, n %d and its length %d break %s", a->m, a->n, wanted,
                      rule))
    return false;
  if (!(a->ms || a->ns || length.each) || batched_get_space(ctx) != BATCHED_HOST) return true;
  for (int64_t b = 0; b < a->count; b++) {
    const int m = batched_rows(a, b), n = batched_cols(a, b), reflectors = batched_extent_at(length, b);
    if (!is_part(q, m, n, reflectors))
      return batched_accept(false, "matrix %lld: m %d, n %d and its length %d break %s", (long long)b, m, n, reflectors,
                            rule);
  }
  return true;
}

int batched_ungbr(batched_ctx *ctx, batched_which which, int k, batched_matrix a, batched_matrix tau)
{
  if (!ctx) return -1;
  if (!batched_is_which(which)) return -2;
  if (!batched_accept(k >= 0, "k %d < 0", k)) return -3;
  if (!batched_is_valid_result(ctx, &a) || !batched_accept(which == BATCHED_Q ? a.m >= a.n : a.n >= a.m,
                                                           "m %d and n %d: Q takes m >= n, P n >= m", a.m, a.n))
    return -4;
  if (!batched_is_valid(ctx, &tau, a.m > 0 && a.n > 0) || !batched_same_kind(&a, &tau) ||
      !conform(ctx, which == BATCHED_Q, k, &a, &tau))
    return -5;
  if (a.count == 0 || a.m == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_ungbr_args args = {which, k, a, tau};
  return batched_run(ctx, &batched_ungbr_op, &args);
}
