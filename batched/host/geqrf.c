/* SPDX-License-Identifier: BSD-3-Clause */
#include "vendor.h"

#define BODY "geqrf_ref.h"
#include "each_type.h"
#define BODY "geqrf_simd.h"
#include "each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_geqrf_args *g = args;
  return FOR_TYPE(g->a.type, ref, ctx, g);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_geqrf_args *g = args;
  return FOR_TYPE(g->a.type, simd, ctx, g);
}

/* Beyond this a group of matrices leaves the second-level cache. */
static bool is_small(const void *args)
{
  const batched_geqrf_args *g = args;
  return (int64_t)g->a.m * g->a.n <= 64 * 64;
}

const batched_variant batched_geqrf_host[] = {
  {"host.simd", NULL, is_small, simd},
  VENDOR_ROW("vendor.lapacke", NULL, batched_vendor_geqrf){"host.ref", NULL, NULL, ref},
  {0},
};
