/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/vectors/vectors.h"

static batched_cost cost(const void *args)
{
  const batched_dot_args *d = args;
  const double n = batched_model_count(&d->x) * d->x.m * d->x.n;
  const double elements = n > 0 ? batched_model_elements(&d->x) + batched_model_elements(&d->y) : 0;
  return (batched_cost){2 * batched_flop_weight(d->x.type) * n,
                        (elements + (double)d->r.count) * (double)batched_element_bytes(d->x.type)};
}

const batched_op batched_dot_op = {
  .name = "dot",
  .key = "dot",
  .variants = {batched_dot_host, batched_dot_cuda},
  .cost = cost,
  .operands = {sizeof(batched_dot_args),
               3,
               {offsetof(batched_dot_args, x), offsetof(batched_dot_args, y), offsetof(batched_dot_args, r)}},
};

int batched_dot(batched_ctx *ctx, batched_trans trans, batched_matrix x, batched_matrix y, batched_matrix r)
{
  if (!ctx) return -1;
  if (!batched_is_transposing(trans)) return -2;
  if (!batched_is_valid(ctx, &x, true) || !batched_is_vector(&x)) return -3;
  if (!batched_is_valid(ctx, &y, true) || !batched_same_kind(&x, &y) ||
      !batched_same_extent(ctx, batched_length(&x), batched_length(&y), y.count))
    return -4;
  if (!batched_is_number(ctx, &r, x.type, x.count)) return -5;
  if (r.count == 0) return BATCHED_SUCCESS;
  batched_dot_args args = {trans, x, y, r};
  return batched_run(ctx, &batched_dot_op, &args);
}
