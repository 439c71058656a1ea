/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/cholesky/host/vendor.h"

#define BODY "batched/cholesky/host/potri_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/cholesky/host/potri_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_potri_args *p = args;
  return FOR_TYPE(p->a.type, ref, ctx, p);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_potri_args *p = args;
  return FOR_TYPE(p->a.type, simd, ctx, p);
}

const batched_variant batched_potri_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  VENDOR_ROW("vendor.lapacke", NULL, potri){"host.ref", NULL, batched_never, ref},
  {0},
};
