/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/checksums.h"
#include "solvers/tables.h"

static batched_cost cost(const void *p)
{
  const solver_checksums_args *a = p;
  batched_cost sum = {0};
  for (int i = 0; i < a->n; i++) sum.bytes += (double)a->each[i].bytes;
  return sum;
}

const batched_op solver_checksum_op = {
  .name = "checksum",
  .key = "checksum",
  .variants = {solver_host_checksum, solver_cuda_checksum},
  .cost = cost,
};

int solver_checksums(batched_ctx *ctx, int n, const solver_checksum_args *each)
{
  return batched_run(ctx, &solver_checksum_op, &(solver_checksums_args){.n = n, .each = each});
}

int solver_checksum(batched_ctx *ctx, size_t bytes, const void *data, uint64_t *sum)
{
  return solver_checksums(ctx, 1, &(solver_checksum_args){.bytes = bytes, .data = data, .sum = sum});
}
