/* SPDX-License-Identifier: BSD-3-Clause */
#include "context.h"

int batched_tuned(const batched_ctx *ctx, const batched_family *family, batched_type type, int m, int n, int k,
                  int otherwise)
{
  (void)type, (void)m, (void)n, (void)k;
  return ctx->forced_family == family ? ctx->forced_config : otherwise;
}

int batched_force_config(batched_ctx *ctx, const batched_family *family, int config)
{
  ctx->forced_family = config < 0 ? NULL : family;
  ctx->forced_config = config;
  return BATCHED_SUCCESS;
}
