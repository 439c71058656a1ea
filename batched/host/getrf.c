/* SPDX-License-Identifier: BSD-3-Clause */
#include "vendor.h"

#define BODY "getrf_ref.h"
#include "each_type.h"
#define BODY "getrf_simd.h"
#include "each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_getrf_args *p = args;
  return FOR_TYPE(p->a.type, ref, p);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_getrf_args *p = args;
  return FOR_TYPE(p->a.type, simd, ctx, p);
}

/* Beyond this size a group of matrices leaves the second-level cache. */
static bool is_small(const void *args)
{
  const batched_getrf_args *p = args;
  return (int64_t)p->a.m * p->a.n <= 64 * 64;
}

const batched_variant batched_getrf_host[] = {
  {"host.simd", NULL, is_small, simd},
  VENDOR_ROW("vendor.lapacke", NULL, batched_vendor_getrf){"host.ref", NULL, batched_never, ref},
  {0},
};
