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

/* At order 64 1.1 to 1.3, 128 x 64 1.2, 128 x 32 1.1; 200 x 32 and 256 x 16 0.9. */
static bool is_small(const void *args)
{
  const batched_gesvd_args *g = args;
  return batched_min(g->a.m, g->a.n) <= 64 && batched_max(g->a.m, g->a.n) <= 128;
}

const batched_variant batched_gesvd_host[] = {
  {"host.simd", NULL, is_small, simd},
  VENDOR_ROW("vendor.lapacke", NULL, gesvd){"host.composed", NULL, NULL, batched_gesvd_composed},
  {"host.ref", NULL, batched_never, ref},
  {0},
};
