/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/condensed/host/vendor.h"

#define BODY "batched/condensed/host/unghr_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_unghr_args *g = args;
  return FOR_TYPE(g->a.type, ref, ctx, g);
}

const batched_variant batched_unghr_host[] = {
  VENDOR_ROW("vendor.lapacke", NULL, unghr){"host.ref", NULL, NULL, ref},
  {0},
};
