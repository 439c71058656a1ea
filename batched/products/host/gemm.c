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

const batched_variant batched_gemm_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  VENDOR_ROW("vendor.blas", NULL, gemm){"host.ref", NULL, batched_never, ref},
  {0},
};
