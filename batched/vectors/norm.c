/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/vectors/vectors.h"

static batched_cost cost(const void *args)
{
  const batched_norm_args *d = args;
  const double n = batched_model_count(&d->a) * d->a.m * d->a.n;
  return (batched_cost){(batched_is_complex(d->a.type) ? 4 : 1) * n,
                        n * (double)batched_element_bytes(d->a.type) +
                          (double)d->r.count * (double)batched_element_bytes(d->r.type)};
}

const batched_op batched_norm_op = {
  .name = "norm",
  .key = "norm",
  .variants = {batched_norm_host, batched_norm_cuda},
  .cost = cost,
  .operands = {sizeof(batched_norm_args), 2, {offsetof(batched_norm_args, a), offsetof(batched_norm_args, r)}},
};

int batched_norm(batched_ctx *ctx, batched_norm_kind kind, batched_matrix a, batched_matrix r)
{
  if (!ctx) return -1;
  if (!batched_accept((unsigned)kind <= BATCHED_FROBENIUS_NORM, "kind %d is not in 0 .. 3, those of batched_norm_kind",
                      (int)kind))
    return -2;
  if (!batched_is_valid(ctx, &a, true)) return -3;
  if (!batched_is_number(ctx, &r, batched_real_type(a.type), a.count)) return -4;
  if (r.count == 0) return BATCHED_SUCCESS;
  batched_norm_args args = {kind, a, r};
  return batched_run(ctx, &batched_norm_op, &args);
}
