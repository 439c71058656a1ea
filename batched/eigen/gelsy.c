/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/eigen/eigen.h"

/* Two factorisations, and products with their Q. */
static batched_cost cost(const void *args)
{
  const batched_gelsy_args *g = args;
  double m = g->a.m, n = g->a.n, k = m < n ? m : n, l = m + n - k, nrhs = g->b.n;
  const double count = batched_is_variable(&g->b) ? 0 : batched_model_count(&g->a);
  return (batched_cost){count * (2 * k * k * (l - k / 3) + 4 * k * l * nrhs) * batched_flop_weight(g->a.type),
                        count * (m * n + (m + n) * nrhs) * (double)batched_element_bytes(g->a.type)};
}

const batched_op batched_gelsy_op = {
  .name = "gelsy",
  .key = "gelsy",
  .variants = {batched_gelsy_host, batched_gelsy_cuda},
  .cost = cost,
  .operands = {sizeof(batched_gelsy_args),
               2,
               {offsetof(batched_gelsy_args, a), offsetof(batched_gelsy_args, b)},
               .counts = offsetof(batched_gelsy_args, rank)},
};

int batched_gelsy(batched_ctx *ctx, batched_matrix a, batched_matrix b, double rcond, int *rank)
{
  if (!ctx) return -1;
  if (!batched_is_valid(ctx, &a, true)) return -2;
  if (!batched_is_valid_result(ctx, &b) || !batched_same_kind(&a, &b) || !batched_holds_solution(ctx, &a, &b))
    return -3;
  if (!batched_accept(rcond == rcond, "rcond is not a number")) return -4;
  if (!batched_is_given(rank, "rank", a.count > 0)) return -5;
  if (a.count == 0) return BATCHED_SUCCESS;
  const batched_gelsy_args args = {rcond, a, b, rank};
  return batched_run(ctx, &batched_gelsy_op, &args);
}
