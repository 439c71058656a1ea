/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/host/band_rows.h"
#include "batched/band/host/vendor.h"

#define BODY "batched/band/host/gbmv_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/band/host/lanes/gbmv_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_gbmv_args *p = args;
  return FOR_TYPE(p->y.type, ref, p);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_gbmv_args *p = args;
  return FOR_TYPE(p->y.type, simd, ctx, p);
}

/* One size and width, and A is read. */
static bool is_uniform(const void *args)
{
  const batched_gbmv_args *p = args;
  return !p->m.each && !p->kl.each && !p->ku.each && !p->ab.ns && !p->x.ms && !p->y.ms && batched_is_column(&p->x) &&
         batched_is_column(&p->y) && !batched_is_zero(p->y.type, p->alpha);
}

const batched_variant batched_gbmv_host[] = {
  {"host.simd", is_uniform, batched_by_table, simd},
  {"host.ref", NULL, batched_by_table, ref},
  VENDOR_ROW("vendor.blas", NULL, gbmv){0},
};
