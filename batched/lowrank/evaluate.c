/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/lowrank/lowrank.h"

static batched_cost cost(const void *args)
{
  const batched_evaluate_args *e = args;
  const double elements = batched_model_count(&e->a) * e->a.m * e->a.n;
  return (batched_cost){0, elements * (double)batched_element_bytes(e->a.type)};
}

const batched_op batched_evaluate_op = {
  .name = "evaluate",
  .key = "evaluate",
  .variants = {batched_evaluate_host, batched_evaluate_cuda},
  .cost = cost,
  .operands = {sizeof(batched_evaluate_args),
               1,
               {offsetof(batched_evaluate_args, a)},
               .nextents = 2,
               .extents = {offsetof(batched_evaluate_args, row), offsetof(batched_evaluate_args, column)}},
};

static bool is_kernel(const batched_kernel *k)
{
  if (!batched_is_given(k, "kernel", true)) return false;
  if (!batched_accept((unsigned)k->function <= BATCHED_LAPLACE, "function %d is none of batched_function, 0 .. %d",
                      (int)k->function, (int)BATCHED_LAPLACE))
    return false;
  if (k->function == BATCHED_HILBERT) return true;
  return batched_accept(k->dim >= 1 && k->dim <= 3, "dim %d is not 1, 2 or 3", k->dim) &&
         batched_is_given(k->points, "points", true) &&
         batched_accept(k->length > 0, "length %g is not > 0", k->length);
}

int batched_evaluate(batched_ctx *ctx, const batched_kernel *kernel, batched_extent row, batched_extent column,
                     batched_matrix a)
{
  if (!ctx) return -1;
  if (!is_kernel(kernel)) return -2;
  if (!batched_accept(row.bound >= 0, "row %d < 0", row.bound)) return -3;
  if (!batched_accept(column.bound >= 0, "column %d < 0", column.bound)) return -4;
  if (!batched_is_valid_result(ctx, &a)) return -5;
  if (a.count == 0 || a.m == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_evaluate_args args = {*kernel, row, column, a};
  return batched_run(ctx, &batched_evaluate_op, &args);
}
