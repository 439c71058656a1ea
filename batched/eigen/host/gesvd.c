/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/eigen/host/vendor.h"
#include "batched/eigen/jacobi_steps.h"

#define BODY "batched/eigen/host/gesvd_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/eigen/host/gesvd_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_gesvd_args *g = args;
  return FOR_TYPE(g->a.type, ref, ctx, g);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_gesvd_args *g = args;
  return FOR_TYPE(g->a.type, simd, ctx, g);
}

static int simd_qr(batched_ctx *ctx, const void *args)
{
  const batched_gesvd_args *g = args;
  return FOR_TYPE(g->a.type, simd_qr, ctx, g);
}

static bool fits_qr(const void *args)
{
  return batched_gesvd_fits_qr(args);
}

/* 1.4 to 1.6 times as fast as host.composed at 300 x 100 and 600 x 100, 1.15 times at 200 x 100 (d, a core with AVX2,
 * 2026-11-26); LAPACK's gesdd begins with QR itself. */
static bool likes_qr(const void *args)
{
  const batched_gesvd_args *g = args;
  const int rows = batched_max(g->a.m, g->a.n), k = batched_min(g->a.m, g->a.n);
  return rows >= 1.6 * k;
}

static bool fits_blocked_jacobi(const void *args)
{
  return batched_gesvd_fits_blocked_jacobi(args);
}

const batched_variant batched_gesvd_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  {"host.simd_qr", NULL, batched_by_table, simd_qr},
  VENDOR_ROW("vendor.lapacke", NULL, gesvd){"host.composed_qr", fits_qr, likes_qr, batched_gesvd_composed_qr},
  {"host.composed", NULL, NULL, batched_gesvd_composed},
  {"host.two_stage", NULL, batched_never, batched_gesvd_two_stage},
  {"host.blocked_jacobi", fits_blocked_jacobi, batched_never, batched_gesvd_blocked_jacobi},
  {"host.ref", NULL, batched_never, ref},
  {0},
};
