/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/solvers.h"
#include "solvers/tables.h"

static batched_cost cost(const void *p)
{
  const solver_dot_args *a = p;
  const double n = (double)a->n;
  return (batched_cost){.flops = 2.0 * n, .bytes = (a->x == a->y ? 8.0 : 16.0) * n};
}

const batched_op solver_dot_op = {
  .name = "dot",
  .key = "vector",
  .variants = {solver_host_dot, solver_cuda_dot},
  .cost = cost,
};

int solver_dot(batched_ctx *ctx, int64_t n, const double *x, const double *y, double *dot)
{
  return batched_run(ctx, &solver_dot_op, &(solver_dot_args){.n = n, .x = x, .y = y, .dot = dot});
}
