/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/vendor_names.h"

#define BODY "batched/products/host/vendor_body.h"
#include "batched/host/each_type.h"

int batched_vendor_syrk(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_syrk_args *s = args;
  return FOR_TYPE(s->c.type, syrk, s);
}
