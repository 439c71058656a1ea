/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/host/band_rows.h"
#include "batched/band/host/vendor.h"

#define BODY "batched/band/host/tbsv_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/band/host/lanes/tbsv_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_tbsv_args *p = args;
  return FOR_TYPE(p->x.type, ref, p);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_tbsv_args *p = args;
  return FOR_TYPE(p->x.type, simd, ctx, p);
}

static bool has_one_width_and_columns(const void *args)
{
  const batched_tbsv_args *p = args;
  return !p->kd.each && batched_is_column(&p->x);
}

const batched_variant batched_tbsv_host[] = {
  {"host.simd", has_one_width_and_columns, batched_by_table, simd},
  {"host.ref", NULL, batched_by_table, ref},
  VENDOR_ROW("vendor.blas", NULL, tbsv){0},
};
