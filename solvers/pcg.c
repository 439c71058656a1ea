/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/charge.h"
#include "solvers/solvers.h"
#include "solvers/tables.h"

const batched_op solver_pcg_op = {
  .name = "pcg",
  .key = "pcg",
  .variants = {solver_host_pcg, solver_cuda_pcg},
};

int solver_pcg(batched_ctx *ctx, const solver_pcg_args *args)
{
  return batched_run_as_whole(ctx, &solver_pcg_op, args);
}

void solver_operator_forget(solver_operator *matrix)
{
  if (matrix->cache) matrix->cache->destroy(matrix->cache);
  matrix->cache = NULL;
}
