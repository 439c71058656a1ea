/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/eigen/host/vendor.h"

#define BODY "batched/eigen/host/heev_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/eigen/host/heev_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_heev_args *h = args;
  return FOR_TYPE(h->a.type, ref, ctx, h);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_heev_args *h = args;
  return FOR_TYPE(h->a.type, simd, ctx, h);
}

static int simd_qr(batched_ctx *ctx, const void *args)
{
  const batched_heev_args *h = args;
  return FOR_TYPE(h->a.type, simd_qr, ctx, h);
}

const batched_variant batched_heev_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  {"host.simd_qr", NULL, batched_by_table, simd_qr},
  VENDOR_ROW("vendor.lapacke", NULL, heev){"host.composed", NULL, NULL, batched_heev_composed},
  {"host.two_stage", NULL, batched_never, batched_heev_two_stage},
  {"host.ref", NULL, batched_never, ref},
  {0},
};
