/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/condensed/host/vendor.h"

#define BODY "batched/condensed/host/unmhr_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_unmhr_args *u = args;
  return FOR_TYPE(u->c.type, ref, ctx, u);
}

const batched_variant batched_unmhr_host[] = {
  VENDOR_ROW("vendor.lapacke", NULL, unmhr){"host.ref", NULL, NULL, ref},
  {0},
};
