/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/vendor_names.h"

#define BODY "batched/triangular/host/vendor_body.h"
#include "batched/host/each_type.h"

int batched_vendor_trsv(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_trsv_args *t = args;
  return FOR_TYPE(t->x.type, trsv, t);
}

int batched_vendor_trmm(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_trmm_args *t = args;
  return FOR_TYPE(t->b.type, trmm, t);
}

int batched_vendor_trtri(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_trtri_args *t = args;
  return FOR_TYPE(t->a.type, trtri, t);
}
