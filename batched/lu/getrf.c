/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/lu/lu.h"

/* Multiplications and additions: for each of k = min(m, n) columns, m - i - 1 divisions and a product of rank one. */
static batched_cost cost(const void *args)
{
  const batched_getrf_args *p = args;
  double m = p->a.m, n = p->a.n, k = m < n ? m : n, count = batched_model_count(&p->a);
  double flops = 2 * (m * n * k - (m + n) * k * k / 2 + k * k * k / 3);
  return (batched_cost){count * flops * batched_flop_weight(p->a.type),
                        2 * count * m * n * (double)batched_element_bytes(p->a.type)};
}

static const batched_alias aliases[] = {
  {"cuda.register", "cuda.lanes"},  {"cuda.corner", "cuda.warp_tc"}, {"cuda.resident", "cuda.shared_tc"},
  {"cuda.tiles", "cuda.panels_tc"}, {"cuda.shared", "cuda.panels"},  {NULL, NULL},
};

const batched_op batched_getrf_op = {
  .name = "getrf",
  .key = "getrf",
  .variants = {batched_getrf_host, batched_getrf_cuda},
  .cost = cost,
  .operands = {sizeof(batched_getrf_args),
               1,
               {offsetof(batched_getrf_args, a)},
               .info = offsetof(batched_getrf_args, info),
               .pivots = offsetof(batched_getrf_args, ipiv)},
  .aliases = aliases,
};

int batched_getrf(batched_ctx *ctx, batched_matrix a, int *ipiv, int *info)
{
  if (!ctx) return -1;
  if (!batched_is_valid_result(ctx, &a)) return -2;
  if (!batched_is_given(ipiv, "ipiv", a.count > 0 && a.m > 0 && a.n > 0)) return -3;
  if (!batched_is_given(info, "info", a.count > 0)) return -4;
  if (a.count == 0) return BATCHED_SUCCESS;
  batched_getrf_args args = {a, ipiv, info};
  return batched_run(ctx, &batched_getrf_op, &args);
}
