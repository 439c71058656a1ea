/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/vectors/vectors.h"

static batched_cost cost(const void *args)
{
  const batched_scal_args *s = args;
  const double elements = batched_model_count(&s->x) * s->x.m * s->x.n;
  const bool reads = !batched_is_zero(s->x.type, s->alpha);
  return (batched_cost){(reads ? 0.5 : 0) * batched_flop_weight(s->x.type) * elements,
                        (reads ? 2 : 1) * elements * (double)batched_element_bytes(s->x.type)};
}

const batched_op batched_scal_op = {
  .name = "scal",
  .key = "scal",
  .variants = {batched_scal_host, batched_scal_cuda},
  .cost = cost,
  .operands = {sizeof(batched_scal_args), 1, {offsetof(batched_scal_args, x)}},
};

int batched_scal(batched_ctx *ctx, batched_scalar alpha, batched_matrix x)
{
  if (!ctx) return -1;
  if (!batched_is_valid_result(ctx, &x)) return -3;
  if (x.count == 0 || x.m == 0 || x.n == 0) return BATCHED_SUCCESS;
  batched_scal_args args = {alpha, x};
  return batched_run(ctx, &batched_scal_op, &args);
}
