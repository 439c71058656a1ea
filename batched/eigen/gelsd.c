/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/eigen/eigen.h"

/* Singular values and vectors, and two products. */
static batched_cost cost(const void *args)
{
  const batched_gelsd_args *g = args;
  double m = g->a.m, n = g->a.n, k = m < n ? m : n, l = m + n - k, nrhs = g->b.n;
  const double count = batched_is_variable(&g->b) ? 0 : batched_model_count(&g->a);
  return (batched_cost){count * (4 * k * k * l - 4 * k * k * k / 3 + 8 * k * k * l + 2 * k * (m + n) * nrhs) *
                          batched_flop_weight(g->a.type),
                        count * (m * n + (m + n) * nrhs) * (double)batched_element_bytes(g->a.type) +
                          count * k * (double)batched_element_bytes(g->s.type)};
}

const batched_op batched_gelsd_op = {
  .name = "gelsd",
  .key = "gelsd",
  .variants = {batched_gelsd_host, batched_gelsd_cuda},
  .cost = cost,
  .operands = {sizeof(batched_gelsd_args),
               3,
               {offsetof(batched_gelsd_args, a), offsetof(batched_gelsd_args, b), offsetof(batched_gelsd_args, s)},
               .info = offsetof(batched_gelsd_args, info),
               .counts = offsetof(batched_gelsd_args, rank)},
};

int batched_gelsd(batched_ctx *ctx, batched_matrix a, batched_matrix b, batched_matrix s, double rcond, int *rank,
                  int *info)
{
  if (!ctx) return -1;
  if (!batched_is_valid(ctx, &a, true)) return -2;
  if (!batched_is_valid_result(ctx, &b) || !batched_same_kind(&a, &b) || !batched_holds_solution(ctx, &a, &b))
    return -3;
  if (!batched_is_vector_of(ctx, &a, &s, batched_real_type(a.type), 0)) return -4;
  if (!batched_accept(rcond == rcond, "rcond is not a number")) return -5;
  if (!batched_is_given(rank, "rank", a.count > 0)) return -6;
  if (!batched_is_given(info, "info", a.count > 0)) return -7;
  if (a.count == 0) return BATCHED_SUCCESS;
  const batched_gelsd_args args = {rcond, a, b, s, rank, info};
  return batched_run(ctx, &batched_gelsd_op, &args);
}
