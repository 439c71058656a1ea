/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/host/band_rows.h"
#include "batched/band/host/vendor.h"

#define BODY "batched/band/host/pbtrf_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/band/host/lanes/definite_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_pbtrf_args *p = args;
  return FOR_TYPE(p->ab.type, ref, p);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_pbtrf_args *p = args;
  const batched_pbsv_args factor = {.uplo = p->uplo, .kd = p->kd, .ab = p->ab, .info = p->info};
  return FOR_TYPE(p->ab.type, simd, ctx, &factor, false);
}

static bool has_one_width(const void *args)
{
  const batched_pbtrf_args *p = args;
  return !p->kd.each;
}

const batched_variant batched_pbtrf_host[] = {
  {"host.simd", has_one_width, batched_by_table, simd},
  {"host.ref", NULL, batched_by_table, ref},
  VENDOR_ROW("vendor.lapacke", NULL, pbtrf){0},
};
