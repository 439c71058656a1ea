/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/rows.h"
#include "batched/tridiagonal/tridiagonal.h"

#define BODY "batched/tridiagonal/host/stedc_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_stedc_args *g = args;
  return FOR_TYPE(g->job == BATCHED_VALUES ? g->d.type : g->z.type, stedc_ref, ctx, g);
}

const batched_variant batched_stedc_host[] = {
  {"host.ref", NULL, NULL, ref},
  {0},
};
