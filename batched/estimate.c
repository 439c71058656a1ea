/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/batched_estimate.h"
#include "batched/check.h"
#include "batched/context.h"

#include <stdlib.h>
#include <string.h>

/* What the context has meanwhile put aside. */
struct batched_estimate {
  int nscratch;
  batched_scratch scratch[BATCHED_MAX_SCRATCH];
};

int batched_begin_estimate(batched_ctx *ctx)
{
  if (!ctx) return -1;
  if (ctx->space == BATCHED_HOST) return BATCHED_NO_DEVICE;
  if (ctx->estimate || ctx->scratch_top > 0 || !ctx->stream) return BATCHED_DEVICE_FAILED;
  batched_estimate *before = malloc(sizeof *before);
  if (!before) return BATCHED_NO_MEMORY;
  const int status = batched_cuda_begin_discarded(ctx);
  if (status) {
    free(before);
    return status;
  }
  before->nscratch = ctx->nscratch;
  memcpy(before->scratch, ctx->scratch, (size_t)ctx->nscratch * sizeof *ctx->scratch);
  ctx->estimate = before;
  return BATCHED_SUCCESS;
}

int batched_end_estimate(batched_ctx *ctx, size_t *bytes)
{
  if (!ctx) return -1;
  if (!batched_accept(bytes, "bytes is NULL")) return -2;
  batched_estimate *before = ctx->estimate;
  if (!before) return BATCHED_DEVICE_FAILED;
  *bytes = batched_workspace(ctx);
  ctx->nscratch = before->nscratch;
  memcpy(ctx->scratch, before->scratch, (size_t)before->nscratch * sizeof *ctx->scratch);
  ctx->estimate = NULL;
  free(before);
  return batched_cuda_end_discarded(ctx);
}
