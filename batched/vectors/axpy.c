/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/vectors/vectors.h"

static batched_cost cost(const void *args)
{
  const batched_axpy_args *s = args;
  const double y = batched_model_count(&s->y) * s->y.m * s->y.n, x = y > 0 ? batched_model_elements(&s->x) : 0;
  return (batched_cost){2 * batched_flop_weight(s->y.type) * y, (x + 2 * y) * (double)batched_element_bytes(s->y.type)};
}

const batched_op batched_axpy_op = {
  .name = "axpy",
  .key = "axpy",
  .variants = {batched_axpy_host, batched_axpy_cuda},
  .cost = cost,
  .operands = {sizeof(batched_axpy_args), 2, {offsetof(batched_axpy_args, x), offsetof(batched_axpy_args, y)}},
};

int batched_axpy(batched_ctx *ctx, batched_scalar alpha, batched_matrix x, batched_matrix y)
{
  const bool used = !batched_is_zero(y.type, alpha);
  if (!ctx) return -1;
  if (!batched_is_valid(ctx, &x, used)) return -3;
  if (!batched_is_valid_result(ctx, &y) || !batched_same_shape(ctx, &x, &y)) return -4;
  if (!used || y.count == 0 || y.m == 0 || y.n == 0) return BATCHED_SUCCESS;
  batched_axpy_args args = {alpha, x, y};
  return batched_run(ctx, &batched_axpy_op, &args);
}
