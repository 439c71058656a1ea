/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/lu/host/factors.h"
#include "batched/host/vendor_names.h"

#define BODY "batched/lu/host/vendor_body.h"
#include "batched/host/each_type.h"

int batched_vendor_getrf(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_getrf_args *p = args;
  return FOR_TYPE(p->a.type, getrf, p);
}

int batched_vendor_getrs(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_getrs_args *p = args;
  return FOR_TYPE(p->b.type, getrs, p);
}

int batched_vendor_gesv(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_gesv_args *p = args;
  return FOR_TYPE(p->a.type, gesv, p);
}

int batched_vendor_getri(batched_ctx *ctx, const void *args)
{
  const batched_getri_args *p = args;
  return FOR_TYPE(p->a.type, getri, ctx, p);
}
