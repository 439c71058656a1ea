/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/lowrank/lowrank.h"

static batched_cost cost(const void *args)
{
  const batched_random_args *r = args;
  const double elements = batched_model_count(&r->a) * r->a.m * r->a.n;
  return (batched_cost){0, elements * (double)batched_element_bytes(r->a.type)};
}

const batched_op batched_random_op = {
  .name = "random",
  .key = "random",
  .variants = {batched_random_host, batched_random_cuda},
  .cost = cost,
  .operands = {sizeof(batched_random_args), 1, {offsetof(batched_random_args, a)}},
};

int batched_random(batched_ctx *ctx, uint64_t seed, int64_t column, batched_matrix a)
{
  if (!ctx) return -1;
  if (!batched_accept(column >= 0, "column %lld < 0", (long long)column)) return -3;
  if (!batched_is_valid_result(ctx, &a)) return -4;
  if (a.count == 0 || a.m == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_random_args args = {seed, column, a};
  return batched_run(ctx, &batched_random_op, &args);
}
