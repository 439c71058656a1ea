/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/two_stage/steps.h"
#include "batched/host/rows.h"

#define BODY "batched/two_stage/host/gb2bd_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_gb2bd_args *g = args;
  return FOR_TYPE(g->ab.type, ref, ctx, g);
}

const batched_variant batched_gb2bd_host[] = {{"host.ref", NULL, NULL, ref}, {0}};
