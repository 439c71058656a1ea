/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/eigen/host/vendor.h"

#define BODY "batched/eigen/host/gesvd_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/eigen/host/gesvd_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_gesvd_args *g = args;
  return FOR_TYPE(g->a.type, ref, ctx, g);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_gesvd_args *g = args;
  return FOR_TYPE(g->a.type, simd, ctx, g);
}

const batched_variant batched_gesvd_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  VENDOR_ROW("vendor.lapacke", NULL, gesvd){"host.composed", NULL, NULL, batched_gesvd_composed},
  {"host.ref", NULL, batched_never, ref},
  {0},
};
