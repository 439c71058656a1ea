/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/vectors/vectors.h"

static batched_cost cost(const void *args)
{
  const batched_amax_args *d = args;
  const double n = batched_model_count(&d->x) > 0 ? batched_model_elements(&d->x) : 0;
  return (batched_cost){0, n * (double)batched_element_bytes(d->x.type) + (double)d->x.count * (double)sizeof(int)};
}

const batched_op batched_amax_op = {
  .name = "amax",
  .key = "amax",
  .variants = {batched_amax_host, batched_amax_cuda},
  .cost = cost,
  .operands = {.bytes = sizeof(batched_amax_args),
               .nmatrices = 1,
               .matrices = {offsetof(batched_amax_args, x)},
               .info = offsetof(batched_amax_args, index)},
};

int batched_amax(batched_ctx *ctx, batched_matrix x, int *index)
{
  if (!ctx) return -1;
  if (!batched_is_valid(ctx, &x, true) || !batched_is_vector(&x)) return -2;
  if (!batched_is_given(index, "index", x.count > 0)) return -3;
  if (x.count == 0) return BATCHED_SUCCESS;
  batched_amax_args args = {x, index};
  return batched_run(ctx, &batched_amax_op, &args);
}
