/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/threads.h"
#include "batched/host/rows.h"
#include "batched/tridiagonal/tridiagonal.h"

#define BODY "batched/tridiagonal/host/bdsdc_ref.h"
#include "batched/host/each_type.h"

static int composed(batched_ctx *ctx, const void *args)
{
  const batched_bdsdc_args *g = args;
  batched_call_one_by_one(ctx);
  return FOR_TYPE(batched_bdsdc_type(g), bdsdc, ctx, g, true);
}

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_bdsdc_args *g = args;
  return FOR_TYPE(batched_bdsdc_type(g), bdsdc, ctx, g, false);
}

const batched_variant batched_bdsdc_host[] = {
  {"host.composed", NULL, NULL, composed},
  {"host.ref", NULL, batched_never, ref},
  {0},
};
