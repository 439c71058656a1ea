/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/qr/host/vendor.h"

#define BODY "batched/qr/host/geqp3_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_geqp3_args *g = args;
  return FOR_TYPE(g->a.type, geqp3_ref, ctx, g);
}

const batched_variant batched_geqp3_host[] = {
  VENDOR_ROW("vendor.lapacke", NULL, geqp3){"host.ref", NULL, NULL, ref},
  {0},
};
