/* SPDX-License-Identifier: BSD-3-Clause */
#include "vendor.h"

#define BODY "geqrf_ref.h"
#include "each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_geqrf_args *g = args;
  return FOR_TYPE(g->a.type, ref, ctx, g);
}

/* LAPACK's own blocks begin to pay beyond this size. */
static bool is_large(const void *args)
{
  const batched_geqrf_args *g = args;
  return g->a.m > 24 || g->a.n > 24;
}

const batched_variant batched_geqrf_host[] = {
  VENDOR_ROW("vendor.lapacke", is_large, batched_vendor_geqrf){"host.ref", NULL, NULL, ref},
  {0},
};
