/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/vendor_names.h"

#define BODY "batched/qr/host/vendor_body.h"
#include "batched/host/each_type.h"

int batched_vendor_geqrf(batched_ctx *ctx, const void *args)
{
  const batched_geqrf_args *g = args;
  return FOR_TYPE(g->a.type, geqrf, ctx, g);
}

int batched_vendor_unmqr(batched_ctx *ctx, const void *args)
{
  const batched_unmqr_args *u = args;
  return FOR_TYPE(u->c.type, unmqr, ctx, u);
}

int batched_vendor_ungqr(batched_ctx *ctx, const void *args)
{
  const batched_ungqr_args *g = args;
  return FOR_TYPE(g->a.type, ungqr, ctx, g);
}

int batched_vendor_gels(batched_ctx *ctx, const void *args)
{
  const batched_gels_args *g = args;
  return FOR_TYPE(g->a.type, gels, ctx, g);
}
