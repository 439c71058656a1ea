/* SPDX-License-Identifier: BSD-3-Clause */
#include "vendor.h"

#define BODY "trsv_ref.h"
#include "each_type.h"
#define BODY "trsv_simd.h"
#include "each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_trsv_args *t = args;
  return FOR_TYPE(t->x.type, ref, t);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_trsv_args *t = args;
  return FOR_TYPE(t->x.type, simd, ctx, t);
}

/* Measured on one core of a Xeon with AVX-512: the vendor's plain solves catch up sooner than the transposed ones. */
static bool is_small(const void *args)
{
  const batched_trsv_args *t = args;
  return t->a.n <= (t->trans == BATCHED_NO_TRANS ? 32 : 64);
}

const batched_variant batched_trsv_host[] = {
  {"host.simd", NULL, is_small, simd},
  VENDOR_ROW("vendor.blas", NULL, batched_vendor_trsv){"host.ref", NULL, batched_never, ref},
  {0},
};
