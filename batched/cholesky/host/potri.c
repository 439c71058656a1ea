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

/* At order 160 1.3, at 192 1.15, at 256 0.6; complex at 80 1.3, at 96 0.8. */
static bool is_small(const void *args)
{
  const batched_potri_args *p = args;
  return batched_numbers(&p->a) <= (batched_is_complex(p->a.type) ? LANE_NUMBERS / 2 : LANE_NUMBERS);
}

const batched_variant batched_potri_host[] = {
  {"host.simd", NULL, is_small, simd},
  VENDOR_ROW("vendor.lapacke", NULL, potri){"host.ref", NULL, batched_never, ref},
  {0},
};
