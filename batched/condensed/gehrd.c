/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/condensed/condensed.h"
#include "batched/condensed/range.h"

/* 10/3 n^3 for all columns; for r + 1 of them those that a reflector of length l meets: 4 l (n + l) and the like. */
static batched_cost cost(const void *args)
{
  const batched_gehrd_args *g = args;
  double n = g->a.n, r = g->ihi - g->ilo, below = g->ihi, right = n - g->ilo, count = batched_model_count(&g->a);
  return (batched_cost){count * (2 * r * r * (below + right) - 2 * r * r * r / 3) * batched_flop_weight(g->a.type),
                        count * (2 * n * n + n) * (double)batched_element_bytes(g->a.type)};
}

const batched_op batched_gehrd_op = {
  .name = "gehrd",
  .key = "gehrd",
  .variants = {batched_gehrd_host, batched_gehrd_cuda},
  .cost = cost,
  .operands = {sizeof(batched_gehrd_args), 2, {offsetof(batched_gehrd_args, a), offsetof(batched_gehrd_args, tau)}},
};

int batched_gehrd(batched_ctx *ctx, int ilo, int ihi, batched_matrix a, batched_matrix tau)
{
  if (!ctx) return -1;
  if (!batched_is_valid_result(ctx, &a) || !batched_is_square(ctx, &a)) return -4;
  const int wrong = batched_check_rows(a.n, &ilo, &ihi, 2);
  if (wrong) return wrong;
  if (!batched_is_vector_of(ctx, &a, &tau, a.type, 1)) return -5;
  if (a.count == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_gehrd_args args = {ilo, ihi, a, tau};
  return batched_run(ctx, &batched_gehrd_op, &args);
}
