/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/qr/qr.h"

static batched_cost cost(const void *args)
{
  const batched_geqp3_args *g = args;
  return batched_reflectors_cost(&(batched_geqrf_args){g->a, g->tau});
}

static int64_t columns(const void *args)
{
  return ((const batched_geqp3_args *)args)->a.n;
}

const batched_op batched_geqp3_op = {
  .name = "geqp3",
  .key = "geqp3",
  .variants = {batched_geqp3_host, batched_geqp3_cuda},
  .cost = cost,
  .operands = {sizeof(batched_geqp3_args),
               2,
               {offsetof(batched_geqp3_args, a), offsetof(batched_geqp3_args, tau)},
               .pivots = offsetof(batched_geqp3_args, jpvt),
               .npivots = columns},
};

int batched_geqp3(batched_ctx *ctx, batched_matrix a, int *jpvt, batched_matrix tau)
{
  if (!ctx) return -1;
  if (!batched_is_valid_result(ctx, &a)) return -2;
  if (!batched_is_given(jpvt, "jpvt", a.count > 0 && a.n > 0)) return -3;
  if (!batched_is_vector_of(ctx, &a, &tau, a.type, 0)) return -4;
  if (a.count == 0 || a.n == 0) return BATCHED_SUCCESS;
  const batched_geqp3_args args = {a, tau, jpvt};
  return batched_run(ctx, &batched_geqp3_op, &args);
}
