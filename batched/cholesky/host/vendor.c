/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/vendor_names.h"

#define BODY "batched/cholesky/host/vendor_body.h"
#include "batched/host/each_type.h"

int batched_vendor_potrf(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_potrf_args *p = args;
  return FOR_TYPE(p->a.type, potrf, p);
}

int batched_vendor_potrs(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_potrs_args *p = args;
  return FOR_TYPE(p->b.type, potrs, p);
}

int batched_vendor_posv(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_posv_args *p = args;
  return FOR_TYPE(p->a.type, posv, p);
}

int batched_vendor_potri(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_potri_args *p = args;
  return FOR_TYPE(p->a.type, potri, p);
}
