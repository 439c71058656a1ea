/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/lu/host/factors.h"
#include "batched/lu/host/vendor.h"

#define BODY "batched/lu/host/getrs_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/lu/host/getrs_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_getrs_args *p = args;
  return FOR_TYPE(p->b.type, ref, p);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_getrs_args *p = args;
  return FOR_TYPE(p->b.type, simd, ctx, p);
}

const batched_variant batched_getrs_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  VENDOR_ROW("vendor.lapacke", NULL, getrs){"host.ref", NULL, batched_never, ref},
  {0},
};
