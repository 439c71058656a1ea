/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/triangular/host/vendor.h"

#define BODY "batched/triangular/host/trsv_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/triangular/host/trsv_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_trsv_args *t = args;
  return FOR_TYPE(t->x.type, ref, t);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_trsv_args *t = args;
  return FOR_TYPE(t->x.type, simd, ctx, t);
}

/* At order 48 1.1 to 1.2 (complex 1.2 to 1.6), at 64 1.1 (1.15), at 96 1.0. */
static bool is_small(const void *args)
{
  const batched_trsv_args *t = args;
  return t->a.n <= 64;
}

const batched_variant batched_trsv_host[] = {
  {"host.simd", NULL, is_small, simd},
  VENDOR_ROW("vendor.blas", NULL, trsv){"host.ref", NULL, batched_never, ref},
  {0},
};
