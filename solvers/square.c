/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/solvers.h"
#include "solvers/tables.h"

static batched_cost cost(const void *p)
{
  const double n = (double)((const solver_square_args *)p)->n;
  return (batched_cost){.flops = 2.0 * n, .bytes = 8.0 * n};
}

const batched_op solver_square_op = {
  .name = "square",
  .key = "vector",
  .variants = {solver_host_square, solver_cuda_square},
  .cost = cost,
};

int solver_square(batched_ctx *ctx, int64_t n, const double *x, double *square)
{
  return batched_run(ctx, &solver_square_op, &(solver_square_args){.n = n, .x = x, .square = square});
}
