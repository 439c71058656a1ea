/* SPDX-License-Identifier: BSD-3-Clause
 *
 * getrf of all matrices, then getrs of those that have an inverse.
 */
#include "batched/lu/host/factors.h"
#include "batched/lu/host/vendor.h"
#include "batched/products/products.h"
#include "batched/triangular/host/mixed.h"

static int solve(batched_ctx *ctx, const batched_gesv_args *p, const char *row)
{
  const batched_variant *getrf = batched_find_variant(&batched_getrf_op, BATCHED_HOST, row);
  const batched_variant *getrs = batched_find_variant(&batched_getrs_op, BATCHED_HOST, row);
  batched_getrf_args factor = {p->a, p->ipiv, p->info};
  int status = getrf->run(ctx, &factor);
  if (p->b.m == 0 || p->b.n == 0) return status;
  for (int64_t begin = 0, end = 0; !status && batched_next_sound(p->info, p->a.count, &begin, &end);) {
    batched_getrs_args some = {BATCHED_NO_TRANS, batched_part(p->a, begin, end - begin),
                               batched_part(p->b, begin, end - begin), p->ipiv + begin * p->a.n};
    status = getrs->run(ctx, &some);
  }
  return status;
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_gesv_args *p = args;
  if (!batched_has_lane_scratch(ctx, p->a.n, p->a.count)) return BATCHED_NO_MEMORY;
  return solve(ctx, args, "host.simd");
}

static int ref(batched_ctx *ctx, const void *args)
{
  return solve(ctx, args, "host.ref");
}

/* ------------------------------------------------------------------ host.mixed */

static int factor_lu(batched_ctx *ctx, const batched_refiner *r, const batched_matrix *a, int *ipiv, int *info)
{
  (void)r;
  const batched_getrf_args p = {*a, ipiv, info};
  return batched_run(ctx, &batched_getrf_op, &p);
}

static int solve_lu(batched_ctx *ctx, const batched_refiner *r, const batched_matrix *a, const int *ipiv,
                    const batched_matrix *b)
{
  (void)r;
  const batched_getrs_args p = {BATCHED_NO_TRANS, *a, *b, ipiv};
  return batched_run(ctx, &batched_getrs_op, &p);
}

static int subtract_product(batched_ctx *ctx, const batched_refiner *r, const batched_matrix *a,
                            const batched_matrix *x, const batched_matrix *residual)
{
  (void)r;
  const batched_gemm_args p = {BATCHED_NO_TRANS, BATCHED_NO_TRANS, {-1, 0}, {1, 0}, *a, *x, *residual};
  return batched_run(ctx, &batched_gemm_op, &p);
}

static bool fits_mixed(const void *args)
{
  const batched_gesv_args *p = args;
  return batched_can_refine(&p->a, &p->b);
}

static int mixed(batched_ctx *ctx, const void *args)
{
  static const batched_refiner lu = {BATCHED_REFINE_WHOLE, factor_lu, solve_lu, subtract_product};
  const batched_gesv_args *p = args;
  return batched_solve_mixed(ctx, &lu, p->a, p->b, p->ipiv, p->info);
}

const batched_variant batched_gesv_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  VENDOR_ROW("vendor.lapacke", NULL, gesv){"host.mixed", fits_mixed, batched_never, mixed},
  {"host.ref", NULL, batched_never, ref},
  {0},
};
