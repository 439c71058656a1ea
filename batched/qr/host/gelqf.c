/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/qr/host/vendor.h"

#define BODY "batched/qr/host/gelqf_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_gelqf_args *g = args;
  return FOR_TYPE(g->a.type, ref, ctx, g);
}

const batched_variant batched_gelqf_host[] = {
  VENDOR_ROW("vendor.lapacke", NULL, gelqf){"host.ref", NULL, NULL, ref},
  {0},
};
