/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/triangular/host/vendor.h"

#define BODY "batched/triangular/host/trtri_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/triangular/host/trtri_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_trtri_args *t = args;
  return FOR_TYPE(t->a.type, ref, t);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_trtri_args *t = args;
  return FOR_TYPE(t->a.type, simd, ctx, t);
}

/* Half of the cache is left, as of a group one triangle is used: at order 192 2.5 (complex 1.15), at 256 1.0 to 1.7. */
static bool is_small(const void *args)
{
  const batched_trtri_args *t = args;
  return batched_numbers(&t->a) <= 2 * LANE_NUMBERS;
}

const batched_variant batched_trtri_host[] = {
  {"host.simd", NULL, is_small, simd},
  VENDOR_ROW("vendor.lapacke", NULL, trtri){"host.ref", NULL, batched_never, ref},
  {0},
};
