/* SPDX-License-Identifier: BSD-3-Clause */
#include "vendor.h"

#define BODY "syrk_ref.h"
#include "each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_syrk_args *s = args;
  return FOR_TYPE(s->c.type, ref, s);
}

const batched_variant batched_syrk_host[] = {
  VENDOR_ROW("vendor.blas", NULL, batched_vendor_syrk){"host.ref", NULL, NULL, ref},
  {0},
};
