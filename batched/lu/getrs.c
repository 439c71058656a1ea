/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/lu/lu.h"

static batched_cost cost(const void *args)
{
  const batched_getrs_args *p = args;
  if (batched_is_variable(&p->a) || batched_is_variable(&p->b)) return (batched_cost){0};
  double n = p->b.m, nrhs = p->b.n, count = (double)p->b.count;
  return (batched_cost){2 * count * n * n * nrhs * batched_flop_weight(p->b.type),
                        (batched_model_elements(&p->a) + 2 * count * n * nrhs) *
                          (double)batched_element_bytes(p->b.type)};
}

static const batched_alias aliases[] = {
  {"cuda.register", "cuda.lanes"},
  {"cuda.triangles", "cuda.composed"},
  {NULL, NULL},
};

const batched_op batched_getrs_op = {
  .name = "getrs",
  .key = "getrs",
  .variants = {batched_getrs_host, batched_getrs_cuda},
  .cost = cost,
  .operands = {sizeof(batched_getrs_args),
               2,
               {offsetof(batched_getrs_args, a), offsetof(batched_getrs_args, b)},
               .pivots = offsetof(batched_getrs_args, ipiv)},
  .aliases = aliases,
};

int batched_getrs(batched_ctx *ctx, batched_trans trans, batched_matrix a, const int *ipiv, batched_matrix b)
{
  if (!ctx) return -1;
  if (!batched_is_trans(trans)) return -2;
  if (!batched_is_valid(ctx, &a, b.n > 0) || !batched_is_square(ctx, &a)) return -3;
  if (!batched_is_given(ipiv, "ipiv", a.count > 0 && a.n > 0 && b.n > 0)) return -4;
  if (!batched_is_valid_result(ctx, &b) || !batched_same_kind(&a, &b) ||
      !batched_same_extent(ctx, batched_col_extent(&a), batched_row_extent(&b), b.count))
    return -5;
  if (b.count == 0 || b.m == 0 || b.n == 0) return BATCHED_SUCCESS;
  batched_getrs_args args = {trans, a, b, ipiv};
  return batched_run(ctx, &batched_getrs_op, &args);
}
