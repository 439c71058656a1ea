/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/solvers.h"
#include "solvers/tables.h"

static batched_cost cost(const void *p)
{
  const solver_combine_args *a = p;
  double n = (double)a->n;
  return (batched_cost){.flops = (2.0 * a->nterms - 1.0) * n, .bytes = 8.0 * (a->nterms + 1) * n};
}

const batched_op solver_combine_op = {
  .name = "combine",
  .key = "vector",
  .variants = {solver_host_combine, solver_cuda_combine},
  .cost = cost,
};

int solver_combine(batched_ctx *ctx, const solver_combine_args *args)
{
  return batched_run(ctx, &solver_combine_op, args);
}
