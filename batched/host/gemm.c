/* SPDX-License-Identifier: BSD-3-Clause */
#include "vendor.h"

#define BODY "gemm_ref.h"
#include "each_type.h"
#define BODY "gemm_simd.h"
#include "each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_gemm_args *g = args;
  return FOR_TYPE(g->c.type, ref, g);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_gemm_args *g = args;
  return FOR_TYPE(g->c.type, simd, ctx, g);
}

static bool is_small(const void *args)
{
  const batched_gemm_args *g = args;
  const int64_t k = g->transa == BATCHED_NO_TRANS ? g->a.n : g->a.m;
  return g->c.m * k * g->c.n <= 128 * 128 * 128;
}

const batched_variant batched_gemm_host[] = {
  {"host.simd", NULL, is_small, simd},
  VENDOR_ROW("vendor.blas", NULL, batched_vendor_gemm){"host.ref", NULL, batched_never, ref},
  {0},
};
