/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/batched_refine.h"
#include "batched/check.h"
#include "batched/lu/lu.h"

/* Multiplications and additions of getrf and getrs. */
static batched_cost cost(const void *args)
{
  const batched_gesv_args *p = args;
  if (batched_is_variable(&p->a) || batched_is_variable(&p->b)) return (batched_cost){0};
  double n = p->a.n, nrhs = p->b.n, count = (double)p->a.count;
  return (batched_cost){count * (2 * n * n * n / 3 + 2 * n * n * nrhs) * batched_flop_weight(p->a.type),
                        2 * count * n * (n + nrhs) * (double)batched_element_bytes(p->a.type)};
}

static const batched_alias aliases[] = {
  {"cuda.steps", "cuda.composed"},
  {NULL, NULL},
};

const batched_op batched_gesv_op = {
  .name = "gesv",
  .key = "gesv",
  .variants = {batched_gesv_host, batched_gesv_cuda},
  .cost = cost,
  .operands = {sizeof(batched_gesv_args),
               2,
               {offsetof(batched_gesv_args, a), offsetof(batched_gesv_args, b)},
               .info = offsetof(batched_gesv_args, info),
               .pivots = offsetof(batched_gesv_args, ipiv)},
  .aliases = aliases,
};

int batched_gesv(batched_ctx *ctx, batched_matrix a, int *ipiv, batched_matrix b, int *info)
{
  if (!ctx) return -1;
  if (!batched_is_valid_result(ctx, &a) || !batched_is_square(ctx, &a)) return -2;
  if (!batched_is_given(ipiv, "ipiv", a.count > 0 && a.n > 0)) return -3;
  if (!batched_is_valid_result(ctx, &b) || !batched_same_kind(&a, &b) ||
      !batched_same_extent(ctx, batched_col_extent(&a), batched_row_extent(&b), b.count))
    return -4;
  if (!batched_is_given(info, "info", a.count > 0)) return -5;
  if (a.count == 0) return BATCHED_SUCCESS;
  batched_gesv_args args = {a, b, ipiv, info};
  batched_begin_refinements(ctx, info);
  return batched_run(ctx, &batched_gesv_op, &args);
}
