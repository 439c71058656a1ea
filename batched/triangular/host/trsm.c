/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/triangular/host/vendor.h"

#define BODY "batched/triangular/host/trsm_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/triangular/host/trsm_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_trsm_args *t = args;
  return FOR_TYPE(t->b.type, ref, t);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_trsm_args *t = args;
  return FOR_TYPE(t->b.type, simd, ctx, t);
}

/* The triangle.  With as many columns, at order 128 2.9 (complex 1.3), at 192 2.2 (0.8), at 256 1.4; with one, 1.1
 * (0.8), 1.3, 0.9. */
static bool is_small(const void *args)
{
  const batched_trsm_args *t = args;
  return batched_numbers(&t->a) <= LANE_NUMBERS;
}

const batched_variant batched_trsm_host[] = {
  {"host.simd", NULL, is_small, simd},
  VENDOR_ROW("vendor.blas", NULL, trsm){"host.ref", NULL, batched_never, ref},
  {0},
};
