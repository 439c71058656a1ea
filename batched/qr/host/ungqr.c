/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/qr/host/vendor.h"

#define BODY "batched/qr/host/ungqr_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_ungqr_args *g = args;
  return FOR_TYPE(g->a.type, ref, ctx, g);
}

/* The vendor's time over that of the reference: at order 32 1.4 (complex 1.0), at 48 1.05 (0.8), at 64 0.9. */
static bool is_large(const void *args)
{
  const batched_ungqr_args *g = args;
  return g->a.n > (batched_is_complex(g->a.type) ? 32 : 48);
}

const batched_variant batched_ungqr_host[] = {
  VENDOR_ROW("vendor.lapacke", is_large, ungqr){"host.ref", NULL, NULL, ref},
  {0},
};
