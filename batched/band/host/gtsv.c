/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gttrf, gttrs and gtsv.
 */
#include "batched/band/host/band_rows.h"

#define BODY "batched/band/host/gtsv_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/band/host/lanes/gtsv_simd.h"
#include "batched/host/each_type.h"

#define REF(op) \
  static int op##_ref(batched_ctx *ctx, const void *args) \
  { \
    (void)ctx; \
    const batched_##op##_args *p = args; \
    return FOR_TYPE(p->d.type, op, p); \
  }
REF(gttrf)
REF(gttrs)
REF(gtsv)

static int gtsv_simd(batched_ctx *ctx, const void *args)
{
  const batched_gtsv_args *p = args;
  return FOR_TYPE(p->d.type, gtsv_simd, ctx, p);
}

static int gttrf_simd(batched_ctx *ctx, const void *args)
{
  const batched_gttrf_args *p = args;
  return FOR_TYPE(p->d.type, gttrf_simd, ctx, p);
}

static int gttrs_simd(batched_ctx *ctx, const void *args)
{
  const batched_gttrs_args *p = args;
  return FOR_TYPE(p->d.type, gttrs_simd, ctx, p);
}

static bool has_columns(const void *args)
{
  const batched_gtsv_args *p = args;
  return batched_is_column(&p->dl) && batched_is_column(&p->d) && batched_is_column(&p->du);
}
static bool has_diagonals_in_columns(const void *args)
{
  const batched_gttrf_args *p = args;
  return batched_is_column(&p->dl) && batched_is_column(&p->d) && batched_is_column(&p->du) &&
         batched_is_column(&p->du2);
}
static bool has_factors_in_columns(const void *args)
{
  const batched_gttrs_args *p = args;
  return batched_is_column(&p->dl) && batched_is_column(&p->d) && batched_is_column(&p->du) &&
         batched_is_column(&p->du2);
}

const batched_variant batched_gttrf_host[] = {
  {"host.simd", has_diagonals_in_columns, NULL, gttrf_simd},
  {"host.ref", NULL, batched_never, gttrf_ref},
  {0},
};
const batched_variant batched_gttrs_host[] = {
  {"host.simd", has_factors_in_columns, batched_by_table, gttrs_simd},
  {"host.ref", NULL, NULL, gttrs_ref},
  {0},
};
const batched_variant batched_gtsv_host[] = {
  {"host.simd", has_columns, NULL, gtsv_simd},
  {"host.ref", NULL, batched_never, gtsv_ref},
  {0},
};
