/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/triangular/host/vendor.h"

#define BODY "batched/triangular/host/trmm_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/triangular/host/trmm_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_trmm_args *t = args;
  return FOR_TYPE(t->b.type, ref, t);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_trmm_args *t = args;
  return FOR_TYPE(t->b.type, simd, ctx, t);
}

/* The order of the triangle.  With as many columns, 0.9 to 1.2 from order 32 on; with one, 1.1 to 1.5 at 64, 1.0 at
 * 128. */
static bool is_small(const void *args)
{
  const batched_trmm_args *t = args;
  return (t->side == BATCHED_LEFT ? t->b.m : t->b.n) <= 64;
}

const batched_variant batched_trmm_host[] = {
  {"host.simd", NULL, is_small, simd},
  VENDOR_ROW("vendor.blas", NULL, trmm){"host.ref", NULL, batched_never, ref},
  {0},
};
