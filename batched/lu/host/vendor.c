/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/lu/host/factors.h"
#include "batched/host/vendor_names.h"
#include "batched/lu/host/vendor.h"

#define BODY "batched/lu/host/vendor_body.h"
#include "batched/host/each_type.h"

BATCHED_VENDOR_RUN(getrf, a)
BATCHED_VENDOR_RUN(getrs, b)
BATCHED_VENDOR_RUN(gesv, a)

int batched_vendor_getri(batched_ctx *ctx, const void *args)
{
  return batched_invert_by(ctx, args, "vendor.lapacke");
}

BATCHED_VENDOR_FITS(getrf, &p->a)
BATCHED_VENDOR_FITS(getrs, &p->a, &p->b)
BATCHED_VENDOR_FITS(gesv, &p->a, &p->b)
BATCHED_VENDOR_FITS(getri, &p->a)
