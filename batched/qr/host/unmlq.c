/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/qr/host/vendor.h"

#define BODY "batched/qr/host/unmlq_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_unmlq_args *u = args;
  return FOR_TYPE(u->c.type, ref, ctx, u);
}

const batched_variant batched_unmlq_host[] = {
  VENDOR_ROW("vendor.lapacke", NULL, unmlq){"host.ref", NULL, NULL, ref},
  {0},
};
