/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/two_stage/steps.h"
#include "batched/host/rows.h"

#define BODY "batched/two_stage/host/unmtr_hb2st_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_unmtr_hb2st_args *u = args;
  (void)ctx;
  FOR_TYPE(u->c.type, ref, u);
  return BATCHED_SUCCESS;
}

const batched_variant batched_unmtr_hb2st_host[] = {{"host.ref", NULL, NULL, ref}, {0}};
