/* SPDX-License-Identifier: BSD-3-Clause */
#include "vendor.h"

#define BODY "unmqr_ref.h"
#include "each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_unmqr_args *u = args;
  return FOR_TYPE(u->c.type, ref, ctx, u);
}

/* LAPACK's own blocks begin to pay beyond this size. */
static bool is_large(const void *args)
{
  const batched_unmqr_args *u = args;
  return u->a.n > 24;
}

const batched_variant batched_unmqr_host[] = {
  VENDOR_ROW("vendor.lapacke", is_large, batched_vendor_unmqr){"host.ref", NULL, NULL, ref},
  {0},
};
