/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pttrf, pttrs and ptsv.
 */
#include "batched/band/host/band_rows.h"

#define BODY "batched/band/host/ptsv_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/band/host/lanes/ptsv_simd.h"
#include "batched/host/each_type.h"

static int pttrf_simd(batched_ctx *ctx, const void *args)
{
  const batched_pttrf_args *p = args;
  const batched_ptsv_args factor = {.d = p->d, .e = p->e, .info = p->info};
  return FOR_TYPE(p->e.type, ptsv_simd, ctx, true, BATCHED_LOWER, &factor);
}

static int pttrs_simd(batched_ctx *ctx, const void *args)
{
  const batched_pttrs_args *p = args;
  const batched_ptsv_args solve = {.d = p->d, .e = p->e, .b = p->b};
  return FOR_TYPE(p->e.type, ptsv_simd, ctx, false, p->uplo, &solve);
}

static int ptsv_simd(batched_ctx *ctx, const void *args)
{
  const batched_ptsv_args *p = args;
  return FOR_TYPE(p->e.type, ptsv_simd, ctx, true, BATCHED_LOWER, p);
}

#define ROWS(op) \
  static int op##_ref(batched_ctx *ctx, const void *args) \
  { \
    (void)ctx; \
    const batched_##op##_args *p = args; \
    return FOR_TYPE(p->e.type, op, p); \
  } \
  static bool op##_has_columns(const void *args) \
  { \
    const batched_##op##_args *p = args; \
    return batched_is_column(&p->d) && batched_is_column(&p->e); \
  } \
  const batched_variant batched_##op##_host[] = { \
    {"host.simd", op##_has_columns, batched_by_table, op##_simd}, \
    {"host.ref", NULL, NULL, op##_ref}, \
    {0}, \
  };
ROWS(pttrf)
ROWS(pttrs)
ROWS(ptsv)
