/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/qr/host/vendor.h"

#define BODY "batched/qr/host/unmqr_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_unmqr_args *u = args;
  return FOR_TYPE(u->c.type, ref, ctx, u);
}

/* The vendor's time over that of the reference, for a square C: at order 24 1.0 (complex 1.1), at 32 0.9 (1.0), at 48
 * 0.5 (0.6). */
static bool is_large(const void *args)
{
  const batched_unmqr_args *u = args;
  return u->a.n > 24;
}

const batched_variant batched_unmqr_host[] = {
  VENDOR_ROW("vendor.lapacke", is_large, unmqr){"host.ref", NULL, NULL, ref},
  {0},
};
