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

const batched_variant batched_trsv_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  VENDOR_ROW("vendor.blas", NULL, trsv){"host.ref", NULL, batched_never, ref},
  {0},
};
