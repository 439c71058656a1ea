/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/threads.h"
#include "batched/host/rows.h"
#include "batched/tridiagonal/tridiagonal.h"

#define BODY "batched/tridiagonal/host/stedc_ref.h"
#include "batched/host/each_type.h"

static batched_type type_of(const batched_stedc_args *g)
{
  return g->job == BATCHED_VALUES ? g->d.type : g->z.type;
}

static int composed(batched_ctx *ctx, const void *args)
{
  const batched_stedc_args *g = args;
  if (g->job == BATCHED_VALUES) return batched_steqr(ctx, g->job, g->d, g->e, g->z, g->info);
  batched_call_one_by_one(ctx);
  return FOR_TYPE(type_of(g), stedc, ctx, g, true);
}

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_stedc_args *g = args;
  return FOR_TYPE(type_of(g), stedc, ctx, g, false);
}

const batched_variant batched_stedc_host[] = {
  {"host.composed", NULL, NULL, composed},
  {"host.ref", NULL, batched_never, ref},
  {0},
};
