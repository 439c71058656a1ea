/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

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

const batched_variant batched_symv_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  VENDOR_ROW("vendor.blas", NULL, symv){"host.ref", NULL, batched_never, ref},
  {0},
};
