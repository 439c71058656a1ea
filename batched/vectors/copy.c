/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/vectors/vectors.h"

static batched_cost cost(const void *args)
{
  const batched_copy_args *s = args;
  const double y = batched_model_count(&s->y) * s->y.m * s->y.n, x = y > 0 ? batched_model_elements(&s->x) : 0;
  return (batched_cost){0, (x + y) * (double)batched_element_bytes(s->y.type)};
}

const batched_op batched_copy_op = {
  .name = "copy",
  .key = "copy",
  .variants = {batched_copy_host, batched_copy_cuda},
  .cost = cost,
  .operands = {sizeof(batched_copy_args), 2, {offsetof(batched_copy_args, x), offsetof(batched_copy_args, y)}},
};

int batched_copy(batched_ctx *ctx, batched_matrix x, batched_matrix y)
{
  if (!ctx) return -1;
  if (!batched_is_valid(ctx, &x, true)) return -2;
  if (!batched_is_valid_result(ctx, &y) || !batched_same_shape(ctx, &x, &y)) return -3;
  if (y.count == 0 || y.m == 0 || y.n == 0) return BATCHED_SUCCESS;
  batched_copy_args args = {x, y};
  return batched_run(ctx, &batched_copy_op, &args);
}
