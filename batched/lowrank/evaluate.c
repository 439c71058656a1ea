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
  if (!k || (unsigned)k->function > BATCHED_LAPLACE) return false;
  if (k->function == BATCHED_HILBERT) return true;
  return k->dim >= 1 && k->dim <= 3 && k->points && k->length > 0;
}

int batched_evaluate(batched_ctx *ctx, const batched_kernel *kernel, batched_extent row, batched_extent column,
                     batched_matrix a)
{
  if (!ctx) return -1;
  if (!is_kernel(kernel)) return -2;
  if (row.bound < 0) return -3;
  if (column.bound < 0) return -4;
  if (!batched_is_valid_result(ctx, &a)) return -5;
  if (a.count == 0 || a.m == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_evaluate_args args = {*kernel, row, column, a};
  return batched_run(ctx, &batched_evaluate_op, &args);
}
