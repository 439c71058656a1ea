/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/context.h"

int batched_measure_each_limit(batched_ctx *ctx, batched_limits *limits)
{
  if (!ctx) return -1;
  return ctx->space == BATCHED_CUDA ? batched_cuda_measure_limits(ctx, limits)
                                    : batched_host_measure_limits(ctx, limits);
}

int batched_measure_limits(batched_ctx *ctx, double *bytes_per_second, double *flops_per_second)
{
  if (!ctx) return -1;
  if (!batched_accept(bytes_per_second, "bytes_per_second is NULL")) return -2;
  if (!batched_accept(flops_per_second, "flops_per_second is NULL")) return -3;
  batched_limits limits;
  int status = batched_measure_each_limit(ctx, &limits);
  if (status) return status;
  *bytes_per_second = limits.triad;
  *flops_per_second = limits.matrix;
  return BATCHED_SUCCESS;
}
