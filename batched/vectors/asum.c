/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/vectors/vectors.h"

static batched_cost cost(const void *args)
{
  const batched_asum_args *d = args;
  const double parts = batched_is_complex(d->x.type) ? 2 : 1;
  const double n = batched_model_count(&d->x) > 0 ? batched_model_elements(&d->x) : 0;
  return (batched_cost){parts * batched_model_count(&d->x) * d->x.m * d->x.n,
                        n * (double)batched_element_bytes(d->x.type) +
                          (double)d->r.count * (double)batched_element_bytes(d->r.type)};
}

const batched_op batched_asum_op = {
  .name = "asum",
  .key = "asum",
  .variants = {batched_asum_host, batched_asum_cuda},
  .cost = cost,
  .operands = {sizeof(batched_asum_args), 2, {offsetof(batched_asum_args, x), offsetof(batched_asum_args, r)}},
};

int batched_asum(batched_ctx *ctx, batched_matrix x, batched_matrix r)
{
  if (!ctx) return -1;
  if (!batched_is_valid(ctx, &x, true) || !batched_is_vector(&x)) return -2;
  if (!batched_is_number(ctx, &r, batched_real_type(x.type), x.count)) return -3;
  if (r.count == 0) return BATCHED_SUCCESS;
  batched_asum_args args = {x, r};
  return batched_run(ctx, &batched_asum_op, &args);
}
