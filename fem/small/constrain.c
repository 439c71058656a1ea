/* SPDX-License-Identifier: BSD-3-Clause */
#include "fem/fem.h"
#include "fem/tables.h"

static batched_cost cost(const void *p)
{
  const fem_space *s = ((const fem_constrain_args *)p)->space;
  return (batched_cost){.bytes = 12.0 * s->constrained_start[s->dim]};
}

const batched_op fem_constrain_op = {
  .name = "constrain",
  .key = "constrain",
  .variants = {fem_host_constrain, fem_cuda_constrain},
  .cost = cost,
};

int fem_constrain(batched_ctx *ctx, const fem_space *s, double *u)
{
  return batched_run(ctx, &fem_constrain_op, &(fem_constrain_args){.space = s, .u = u});
}
