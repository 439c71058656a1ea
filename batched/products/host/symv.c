/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/products/host/vendor.h"

#define BODY "batched/products/host/symv_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/products/host/symv_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_symv_args *a = args;
  return FOR_TYPE(a->y.type, ref, a);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_symv_args *a = args;
  return FOR_TYPE(a->y.type, simd, ctx, a);
}

/* At order 32 0.9, at 64 and beyond 0.8. */
static bool is_small(const void *args)
{
  const batched_symv_args *a = args;
  return a->a.n <= 32;
}

const batched_variant batched_symv_host[] = {
  {"host.simd", NULL, is_small, simd},
  VENDOR_ROW("vendor.blas", NULL, symv){"host.ref", NULL, batched_never, ref},
  {0},
};
