/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/condensed/host/vendor.h"

#define BODY "batched/condensed/host/hetrd_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/condensed/host/hetrd_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_hetrd_args *h = args;
  return FOR_TYPE(h->a.type, ref, ctx, h);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_hetrd_args *h = args;
  return FOR_TYPE(h->a.type, simd, ctx, h);
}

const batched_variant batched_hetrd_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  VENDOR_ROW("vendor.lapacke", NULL, hetrd){"host.ref", NULL, NULL, ref},
  {0},
};
