/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/vectors/vectors.h"

static batched_cost cost(const void *args)
{
  const batched_swap_args *s = args;
  const double elements = batched_model_count(&s->y) * s->y.m * s->y.n;
  return (batched_cost){0, 4 * elements * (double)batched_element_bytes(s->y.type)};
}

const batched_op batched_swap_op = {
  .name = "swap",
  .key = "swap",
  .variants = {batched_swap_host, batched_swap_cuda},
  .cost = cost,
  .operands = {sizeof(batched_swap_args), 2, {offsetof(batched_swap_args, x), offsetof(batched_swap_args, y)}},
};

int batched_swap(batched_ctx *ctx, batched_matrix x, batched_matrix y)
{
  if (!ctx) return -1;
  if (!batched_is_valid_result(ctx, &x)) return -2;
  if (!batched_is_valid_result(ctx, &y) || !batched_same_shape(ctx, &x, &y)) return -3;
  if (y.count == 0 || y.m == 0 || y.n == 0) return BATCHED_SUCCESS;
  batched_swap_args args = {x, y};
  return batched_run(ctx, &batched_swap_op, &args);
}
