/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/qr/host/vendor.h"

#define BODY "batched/qr/host/unmqr_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_unmqr_args *u = args;
  return FOR_TYPE(u->c.type, ref, u);
}

const batched_variant batched_unmqr_host[] = {
  VENDOR_ROW("vendor.lapacke", batched_by_table, unmqr){"host.ref", NULL, NULL, ref},
  {0},
};
