/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/tridiagonal/problem.h"

static batched_cost cost(const void *args)
{
  return batched_steqr_cost(args, 8.0 / 3);
}

const batched_op batched_stedc_op = {
  .name = "stedc",
  .key = "stedc",
  .variants = {batched_stedc_host, batched_stedc_cuda},
  .cost = cost,
  .operands = {sizeof(batched_stedc_args),
               3,
               {offsetof(batched_stedc_args, d), offsetof(batched_stedc_args, e), offsetof(batched_stedc_args, z)},
               .info = offsetof(batched_stedc_args, info)},
};

int batched_stedc(batched_ctx *ctx, batched_job job, batched_matrix d, batched_matrix e, batched_matrix z, int *info)
{
  const batched_stedc_args args = {job, d, e, z, info};
  const int wrong = batched_check_steqr(ctx, &args);
  return wrong || d.count == 0 ? wrong : batched_run(ctx, &batched_stedc_op, &args);
}
