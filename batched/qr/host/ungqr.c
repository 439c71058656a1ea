/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/qr/host/vendor.h"

#define BODY "batched/qr/host/ungqr_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_ungqr_args *g = args;
  return FOR_TYPE(g->a.type, ref, g);
}

const batched_variant batched_ungqr_host[] = {
  VENDOR_ROW("vendor.lapacke", batched_by_table, ungqr){"host.ref", NULL, NULL, ref},
  {0},
};
