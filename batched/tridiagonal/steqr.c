/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/tridiagonal/problem.h"

static batched_cost cost(const void *args)
{
  return batched_steqr_cost(args, 6);
}

const batched_op batched_steqr_op = {
  .name = "steqr",
  .key = "steqr",
  .variants = {batched_steqr_host, batched_steqr_cuda},
  .cost = cost,
  .operands = {sizeof(batched_steqr_args),
               3,
               {offsetof(batched_steqr_args, d), offsetof(batched_steqr_args, e), offsetof(batched_steqr_args, z)},
               .info = offsetof(batched_steqr_args, info)},
};

int batched_steqr(batched_ctx *ctx, batched_job job, batched_matrix d, batched_matrix e, batched_matrix z, int *info)
{
  const batched_steqr_args args = {job, d, e, z, info};
  const int wrong = batched_check_steqr(ctx, &args);
  return wrong || d.count == 0 ? wrong : batched_run(ctx, &batched_steqr_op, &args);
}
