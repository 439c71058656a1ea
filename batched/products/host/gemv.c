/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/products/host/vendor.h"

#define BODY "batched/products/host/gemv_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/products/host/gemv_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_gemv_args *g = args;
  return FOR_TYPE(g->y.type, ref, g);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_gemv_args *g = args;
  return FOR_TYPE(g->y.type, simd, ctx, g);
}

const batched_variant batched_gemv_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  VENDOR_ROW("vendor.blas", NULL, gemv){"host.ref", NULL, batched_never, ref},
  {0},
};
