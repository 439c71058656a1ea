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

/* A matrix that the second-level cache holds: 1.0 at order 256 in d, 0.7 to 1.1 at 512, 0.8 to 0.9 at 768. */
static bool is_small(const void *args)
{
  const batched_gemv_args *g = args;
  return (int64_t)g->a.m * g->a.n * (int64_t)batched_element_bytes(g->a.type) <= 1 << 21;
}

const batched_variant batched_gemv_host[] = {
  {"host.simd", NULL, is_small, simd},
  VENDOR_ROW("vendor.blas", NULL, gemv){"host.ref", NULL, batched_never, ref},
  {0},
};
