/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/rows.h"
#include "batched/tridiagonal/tridiagonal.h"

#define BODY "batched/tridiagonal/host/stein_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_stein_args *g = args;
  return FOR_TYPE(g->z.type, stein_ref, ctx, g);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_stein_args *g = args;
  return FOR_TYPE(g->z.type, stein_simd, ctx, g);
}

const batched_variant batched_stein_host[] = {
  {"host.simd", NULL, NULL, simd},
  {"host.ref", NULL, NULL, ref},
  {0},
};
