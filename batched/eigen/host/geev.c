/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/eigen/host/vendor.h"

#define BODY "batched/eigen/host/geev_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_geev_args *g = args;
  return FOR_TYPE(g->a.type, geev_ref, ctx, g);
}

const batched_variant batched_geev_host[] = {
  VENDOR_ROW("vendor.lapacke", NULL, geev){"host.ref", NULL, NULL, ref},
  {0},
};
