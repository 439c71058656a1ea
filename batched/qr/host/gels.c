/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/qr/host/vendor.h"

#define BODY "batched/qr/host/gels_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_gels_args *g = args;
  return FOR_TYPE(g->a.type, ref, ctx, g);
}

/* The vendor's time over that of the reference: with one right-hand side 2.5 at order 48, 1.4 at 96; with as many as
 * the order, 0.9 (complex 1.2) at 48, 0.8 at 64. */
static bool is_large(const void *args)
{
  const batched_gels_args *g = args;
  return g->b.n > 0 && (g->a.m > 48 || g->a.n > 48);
}

const batched_variant batched_gels_host[] = {
  VENDOR_ROW("vendor.lapacke", is_large, gels){"host.ref", NULL, NULL, ref},
  {0},
};
