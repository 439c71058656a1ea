/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/vectors/host/vendor.h"

#define BODY "batched/vectors/host/ger_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_ger_args *a = args;
  return FOR_TYPE(a->a.type, ref, a);
}

const batched_variant batched_ger_host[] = {
  {"host.ref", NULL, NULL, ref},
  VENDOR_ROW("vendor.blas", batched_never, ger){0},
};
