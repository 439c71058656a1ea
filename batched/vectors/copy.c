/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/vectors/vectors.h"

static batched_cost cost(const void *args)
{
  const batched_copy_args *s = args;
  const double each = batched_region_elements(s->region, s->y.m, s->y.n), y = batched_model_count(&s->y) * each;
  const double x = batched_is_shared(&s->x) && y > 0 ? each : y;
  return (batched_cost){0, (x + y) * (double)batched_element_bytes(s->y.type)};
}

const batched_op batched_copy_op = {
  .name = "copy",
  .key = "copy",
  .variants = {batched_copy_host, batched_copy_cuda},
  .cost = cost,
  .operands = {sizeof(batched_copy_args), 2, {offsetof(batched_copy_args, x), offsetof(batched_copy_args, y)}},
};

/* `number`: which argument x is. */
static int copy(batched_ctx *ctx, batched_region region, batched_matrix x, batched_matrix y, int number)
{
  if (!batched_is_valid(ctx, &x, true)) return -number;
  if (!batched_is_valid_result(ctx, &y) || !batched_same_shape(ctx, &x, &y)) return -number - 1;
  if (y.count == 0 || y.m == 0 || y.n == 0) return BATCHED_SUCCESS;
  batched_copy_args args = {x, y, region};
  return batched_run(ctx, &batched_copy_op, &args);
}

int batched_copy(batched_ctx *ctx, batched_matrix x, batched_matrix y)
{
  return ctx ? copy(ctx, BATCHED_WHOLE, x, y, 2) : -1;
}

int batched_copy_triangle(batched_ctx *ctx, batched_uplo uplo, batched_matrix x, batched_matrix y)
{
  if (!ctx) return -1;
  if (!batched_is_uplo(uplo)) return -2;
  return copy(ctx, batched_triangle_region(uplo), x, y, 3);
}
