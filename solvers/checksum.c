/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/solvers.h"
#include "solvers/tables.h"

static batched_cost cost(const void *p)
{
  return (batched_cost){.bytes = (double)((const solver_checksum_args *)p)->bytes};
}

const batched_op solver_checksum_op = {
  .name = "checksum",
  .key = "checksum",
  .variants = {solver_host_checksum, solver_cuda_checksum},
  .cost = cost,
};

int solver_checksum(batched_ctx *ctx, size_t bytes, const void *data, uint64_t *sum)
{
  return batched_run(ctx, &solver_checksum_op, &(solver_checksum_args){.bytes = bytes, .data = data, .sum = sum});
}
