/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/qr/host/vendor.h"

#define BODY "batched/qr/host/gels_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_gels_args *g = args;
  return FOR_TYPE(g->a.type, ref, ctx, g);
}

const batched_variant batched_gels_host[] = {
  VENDOR_ROW("vendor.lapacke", batched_by_table, gels){"host.ref", NULL, NULL, ref},
  {0},
};
