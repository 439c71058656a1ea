/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/lu/host/vendor.h"

#define BODY "batched/lu/host/getrf_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/lu/host/getrf_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_getrf_args *p = args;
  return FOR_TYPE(p->a.type, ref, p);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_getrf_args *p = args;
  return FOR_TYPE(p->a.type, simd, ctx, p);
}

/* At order 128 1.2 to 1.3, at 192 1.1, at 256 0.85; complex at 64 1.1 to 1.4, at 96 0.9 to 1.1, at 128 0.8 to 1.0. */
static bool is_small(const void *args)
{
  const batched_getrf_args *p = args;
  return batched_numbers(&p->a) <= (batched_is_complex(p->a.type) ? LANE_NUMBERS / 2 : LANE_NUMBERS);
}

const batched_variant batched_getrf_host[] = {
  {"host.simd", NULL, is_small, simd},
  VENDOR_ROW("vendor.lapacke", NULL, getrf){"host.ref", NULL, batched_never, ref},
  {0},
};
