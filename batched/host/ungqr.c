/* SPDX-License-Identifier: BSD-3-Clause */
#include "vendor.h"

#define BODY "ungqr_ref.h"
#include "each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_ungqr_args *g = args;
  return FOR_TYPE(g->a.type, ref, ctx, g);
}

/* LAPACK's own blocks begin to pay beyond this size. */
static bool is_large(const void *args)
{
  const batched_ungqr_args *g = args;
  return g->a.n > 24;
}

const batched_variant batched_ungqr_host[] = {
  VENDOR_ROW("vendor.lapacke", is_large, batched_vendor_ungqr){"host.ref", NULL, NULL, ref},
  {0},
};
