/* SPDX-License-Identifier: BSD-3-Clause */
#include "vendor.h"

#define BODY "gemv_ref.h"
#include "each_type.h"
#define BODY "gemv_simd.h"
#include "each_type.h"

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

static bool is_small(const void *args)
{
  const batched_gemv_args *g = args;
  return (int64_t)g->a.m * g->a.n <= 1 << 20;
}

const batched_variant batched_gemv_host[] = {
  {"host.simd", NULL, is_small, simd},
  VENDOR_ROW("vendor.blas", NULL, batched_vendor_gemv){"host.ref", NULL, batched_never, ref},
  {0},
};
