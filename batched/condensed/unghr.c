/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/condensed/condensed.h"
#include "batched/condensed/range.h"

static batched_cost cost(const void *args)
{
  const batched_unghr_args *g = args;
  double n = g->a.n, r = g->ihi - g->ilo, count = batched_model_count(&g->a);
  return (batched_cost){count * 4 * r * r * r / 3 * batched_flop_weight(g->a.type),
                        count * 2 * n * n * (double)batched_element_bytes(g->a.type)};
}

const batched_op batched_unghr_op = {
  .name = "unghr",
  .key = "unghr",
  .variants = {batched_unghr_host, batched_unghr_cuda},
  .cost = cost,
  .operands = {sizeof(batched_unghr_args), 2, {offsetof(batched_unghr_args, a), offsetof(batched_unghr_args, tau)}},
};

int batched_unghr(batched_ctx *ctx, int ilo, int ihi, batched_matrix a, batched_matrix tau)
{
  if (!ctx) return -1;
  if (!batched_is_valid_result(ctx, &a) || !batched_is_square(ctx, &a)) return -4;
  const int wrong = batched_check_rows(a.n, &ilo, &ihi, 2);
  if (wrong) return wrong;
  if (!batched_is_valid(ctx, &tau, true) || !batched_same_kind(&a, &tau) ||
      !batched_is_min_extent_less(ctx, batched_length(&tau), &a, 1))
    return -5;
  if (a.count == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_unghr_args args = {ilo, ihi, a, tau};
  return batched_run(ctx, &batched_unghr_op, &args);
}
