/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/qr/qr.h"

/* The factorisation, one product with Q and one triangular solve. */
static batched_cost cost(const void *args)
{
  const batched_gels_args *g = args;
  if (batched_is_variable(&g->a) || batched_is_variable(&g->b)) return (batched_cost){0};
  double m = g->a.m, n = g->a.n, longer = m > n ? m : n, k = m > n ? n : m, nrhs = g->b.n, count = (double)g->a.count;
  double flops = 2 * k * k * (longer - k / 3) + 2 * nrhs * k * (2 * longer - k) + k * k * nrhs;
  return (batched_cost){count * flops * batched_flop_weight(g->a.type),
                        count * (m * n + (m + n) * nrhs) * (double)batched_element_bytes(g->a.type)};
}

static const batched_alias aliases[] = {
  {"cuda.qr", "cuda.composed"},
  {NULL, NULL},
};

const batched_op batched_gels_op = {
  .name = "gels",
  .key = "gels",
  .variants = {batched_gels_host, batched_gels_cuda},
  .cost = cost,
  .operands = {sizeof(batched_gels_args),
               2,
               {offsetof(batched_gels_args, a), offsetof(batched_gels_args, b)},
               .info = offsetof(batched_gels_args, info)},
  .aliases = aliases,
};

int batched_gels(batched_ctx *ctx, batched_trans trans, batched_matrix a, batched_matrix b, int *info)
{
  if (!ctx) return -1;
  if (!batched_is_q_trans(trans, a.type)) return -2;
  if (!batched_is_valid_result(ctx, &a)) return -3;
  if (!batched_is_valid_result(ctx, &b) || !batched_same_kind(&a, &b) || !batched_holds_solution(ctx, &a, &b))
    return -4;
  if (!batched_is_given(info, "info", a.count > 0)) return -5;
  if (a.count == 0) return BATCHED_SUCCESS;
  batched_gels_args args = {trans, a, b, info};
  return batched_run(ctx, &batched_gels_op, &args);
}
