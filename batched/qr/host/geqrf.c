/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/qr/host/vendor.h"

#define BODY "batched/qr/host/geqrf_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/qr/host/geqrf_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_geqrf_args *g = args;
  return FOR_TYPE(g->a.type, ref, g);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_geqrf_args *g = args;
  return FOR_TYPE(g->a.type, simd, ctx, g);
}

const batched_variant batched_geqrf_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  VENDOR_ROW("vendor.lapacke", NULL, geqrf){"host.ref", NULL, NULL, ref},
  {0},
};
