/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/vendor_names.h"

#define BODY "batched/host/vendor_body.h"
#include "batched/host/each_type.h"

int batched_vendor_gemm(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_gemm_args *g = args;
  return FOR_TYPE(g->c.type, gemm, g);
}

int batched_vendor_gemv(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_gemv_args *g = args;
  return FOR_TYPE(g->y.type, gemv, g);
}

int batched_vendor_trsm(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_trsm_args *t = args;
  return FOR_TYPE(t->b.type, trsm, t);
}

int batched_vendor_heev(batched_ctx *ctx, const void *args)
{
  const batched_heev_args *h = args;
  return FOR_TYPE(h->a.type, heev, ctx, h);
}

int batched_vendor_gesvd(batched_ctx *ctx, const void *args)
{
  const batched_gesvd_args *g = args;
  return FOR_TYPE(g->a.type, gesvd, ctx, g);
}
