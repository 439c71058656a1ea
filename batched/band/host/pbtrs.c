/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/host/band_rows.h"
#include "batched/band/host/vendor.h"

#define BODY "batched/band/host/pbtrs_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/band/host/lanes/pbtrs_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_pbtrs_args *p = args;
  return FOR_TYPE(p->b.type, ref, p);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_pbtrs_args *p = args;
  return FOR_TYPE(p->b.type, simd, ctx, p);
}

static bool has_one_width(const void *args)
{
  const batched_pbtrs_args *p = args;
  return !p->kd.each;
}

const batched_variant batched_pbtrs_host[] = {
  {"host.simd", has_one_width, batched_by_table, simd},
  {"host.ref", NULL, batched_by_table, ref},
  VENDOR_ROW("vendor.lapacke", NULL, pbtrs){0},
};
