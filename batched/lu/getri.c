/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/lu/lu.h"

/* Multiplications and additions of LAPACK's algorithm: U^-1, then A^-1 L = U^-1. */
static batched_cost cost(const void *args)
{
  const batched_getri_args *p = args;
  double n = p->a.n, count = batched_model_count(&p->a);
  return (batched_cost){count * 4 * n * n * n / 3 * batched_flop_weight(p->a.type),
                        2 * count * n * n * (double)batched_element_bytes(p->a.type)};
}

static const batched_alias aliases[] = {
  {"cuda.register", "cuda.lanes"},
  {"cuda.solve", "cuda.composed"},
  {NULL, NULL},
};

const batched_op batched_getri_op = {
  .name = "getri",
  .key = "getri",
  .variants = {batched_getri_host, batched_getri_cuda},
  .cost = cost,
  .operands = {sizeof(batched_getri_args),
               1,
               {offsetof(batched_getri_args, a)},
               .info = offsetof(batched_getri_args, info),
               .pivots = offsetof(batched_getri_args, ipiv)},
  .aliases = aliases,
};

int batched_getri(batched_ctx *ctx, batched_matrix a, const int *ipiv, int *info)
{
  if (!ctx) return -1;
  if (!batched_is_valid_result(ctx, &a) || !batched_is_square(ctx, &a)) return -2;
  if (!batched_is_given(ipiv, "ipiv", a.count > 0 && a.n > 0)) return -3;
  if (!batched_is_given(info, "info", a.count > 0)) return -4;
  if (a.count == 0) return BATCHED_SUCCESS;
  batched_getri_args args = {a, ipiv, info};
  return batched_run(ctx, &batched_getri_op, &args);
}
