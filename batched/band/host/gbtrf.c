/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/host/band_rows.h"
#include "batched/band/host/vendor.h"

#define BODY "batched/band/host/gbtrf_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/band/host/lanes/band_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_gbtrf_args *p = args;
  return FOR_TYPE(p->ab.type, ref, p);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_gbtrf_args *p = args;
  const batched_gbsv_args lu = {.kl = p->kl, .ku = p->ku, .ab = p->ab, .ipiv = p->ipiv, .info = p->info};
  return FOR_TYPE(p->ab.type, simd, ctx, p->m.bound, &lu, false);
}

static bool has_one_width(const void *args)
{
  const batched_gbtrf_args *p = args;
  return !p->kl.each && !p->ku.each && !p->m.each;
}

const batched_variant batched_gbtrf_host[] = {
  {"host.simd", has_one_width, batched_by_table, simd},
  {"host.ref", NULL, batched_by_table, ref},
  VENDOR_ROW("vendor.lapacke", NULL, gbtrf){0},
};
