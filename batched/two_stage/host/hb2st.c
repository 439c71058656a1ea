/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/two_stage/steps.h"
#include "batched/host/rows.h"

#define BODY "batched/two_stage/host/hb2st_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_hb2st_args *h = args;
  return FOR_TYPE(h->ab.type, ref, ctx, h);
}

const batched_variant batched_hb2st_host[] = {{"host.ref", NULL, NULL, ref}, {0}};
