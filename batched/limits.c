/* SPDX-License-Identifier: BSD-3-Clause */
#include "context.h"

int batched_measure_limits(batched_ctx *ctx, double *bytes_per_second, double *flops_per_second)
{
  if (!ctx) return -1;
  if (!bytes_per_second) return -2;
  if (!flops_per_second) return -3;
  if (ctx->space == BATCHED_CUDA) return batched_cuda_measure_limits(ctx, bytes_per_second, flops_per_second);
  return batched_host_measure_limits(ctx, bytes_per_second, flops_per_second);
}
