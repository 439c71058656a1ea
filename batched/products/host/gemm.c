/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/products/host/vendor.h"

#define BODY "batched/products/host/gemm_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/products/host/gemm_simd.h"
#include "batched/host/each_type.h"

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

/* To order 256, complex 161: from 112 on, where OpenBLAS copies its operands, 1.1 to 1.5 (complex 1.1), at 320 1.0 to
 * 1.2, at 384 0.9; before, 0.9 to 1.1. */
static bool is_small(const void *args)
{
  const batched_gemm_args *g = args;
  const int64_t k = g->transa == BATCHED_NO_TRANS ? g->a.n : g->a.m;
  return g->c.m * k * g->c.n * (batched_is_complex(g->c.type) ? 4 : 1) <= 1 << 24;
}

const batched_variant batched_gemm_host[] = {
  {"host.simd", NULL, is_small, simd},
  VENDOR_ROW("vendor.blas", NULL, gemm){"host.ref", NULL, batched_never, ref},
  {0},
};
