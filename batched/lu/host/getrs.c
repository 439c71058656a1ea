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

/* With one right-hand side, at order 96 0.9 to 1.1 in all types, at 128 0.7; with many, 1.6 to 2.3 there. */
static bool is_small(const void *args)
{
  const batched_getrs_args *p = args;
  return p->b.m <= 96;
}

const batched_variant batched_getrs_host[] = {
  {"host.simd", NULL, is_small, simd},
  VENDOR_ROW("vendor.lapacke", NULL, getrs){"host.ref", NULL, batched_never, ref},
  {0},
};
