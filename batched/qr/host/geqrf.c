/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/qr/host/vendor.h"

#define BODY "batched/qr/host/geqrf_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/qr/host/geqrf_simd.h"
#include "batched/host/each_type.h"

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

/* At order 128 1.4 to 1.6 (complex 1.1 to 1.3), at 160 0.9; 256 x 16 and 512 x 32 0.9, 2048 x 8 0.75. */
static bool is_small(const void *args)
{
  const batched_geqrf_args *g = args;
  return (int64_t)g->a.m * g->a.n <= 128 * 128 && g->a.m <= 256;
}

const batched_variant batched_geqrf_host[] = {
  {"host.simd", NULL, is_small, simd},
  VENDOR_ROW("vendor.lapacke", NULL, geqrf){"host.ref", NULL, NULL, ref},
  {0},
};
