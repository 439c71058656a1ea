/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/context.h"

int batched_measure_each_limit(batched_ctx *ctx, batched_limits *limits)
{
  return ctx->space == BATCHED_CUDA ? batched_cuda_measure_limits(ctx, limits)
                                    : batched_host_measure_limits(ctx, limits);
}

int batched_measure_limits(batched_ctx *ctx, double *bytes_per_second, double *flops_per_second)
{
  if (!ctx) return -1;
  if (!bytes_per_second) return -2;
  if (!flops_per_second) return -3;
  batched_limits limits;
  int status = batched_measure_each_limit(ctx, &limits);
  if (status) return status;
  *bytes_per_second = limits.triad;
  *flops_per_second = limits.matrix;
  return BATCHED_SUCCESS;
}
