/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/vectors/vectors.h"

static batched_cost cost(const void *args)
{
  const batched_set_args *s = args;
  const double elements = batched_model_count(&s->a) * batched_region_elements(s->region, s->a.m, s->a.n);
  return (batched_cost){0, elements * (double)batched_element_bytes(s->a.type)};
}

const batched_op batched_set_op = {
  .name = "set",
  .key = "set",
  .variants = {batched_set_host, batched_set_cuda},
  .cost = cost,
  .operands = {sizeof(batched_set_args), 1, {offsetof(batched_set_args, a)}},
};

/* `number`: which argument a is. */
static int set(batched_ctx *ctx, batched_region region, batched_scalar off, batched_scalar diag, batched_matrix a,
               int number)
{
  if (!batched_is_valid_result(ctx, &a)) return -number;
  if (a.count == 0 || a.m == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_set_args args = {off, diag, a, region};
  return batched_run(ctx, &batched_set_op, &args);
}

int batched_set(batched_ctx *ctx, batched_scalar off, batched_scalar diag, batched_matrix a)
{
  return ctx ? set(ctx, BATCHED_WHOLE, off, diag, a, 4) : -1;
}

int batched_set_triangle(batched_ctx *ctx, batched_uplo uplo, batched_scalar off, batched_scalar diag, batched_matrix a)
{
  if (!ctx) return -1;
  if (!batched_is_uplo(uplo)) return -2;
  return set(ctx, batched_triangle_region(uplo), off, diag, a, 5);
}
