/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/qr/host/vendor.h"

#define BODY "batched/qr/host/unglq_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_unglq_args *g = args;
  return FOR_TYPE(g->a.type, ref, ctx, g);
}

const batched_variant batched_unglq_host[] = {
  VENDOR_ROW("vendor.lapacke", NULL, unglq){"host.ref", NULL, NULL, ref},
  {0},
};
