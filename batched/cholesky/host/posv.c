/* SPDX-License-Identifier: BSD-3-Clause
 *
 * potrf of all matrices, then potrs of those that have a factor.
 */
#include "batched/cholesky/host/vendor.h"
#include "batched/products/products.h"
#include "batched/triangular/host/mixed.h"

static int solve(batched_ctx *ctx, const batched_posv_args *p, const char *row)
{
  const batched_variant *potrf = batched_find_variant(&batched_potrf_op, BATCHED_HOST, row);
  const batched_variant *potrs = batched_find_variant(&batched_potrs_op, BATCHED_HOST, row);
  batched_potrf_args factor = {p->uplo, p->a, p->info};
  int status = potrf->run(ctx, &factor);
  if (p->b.m == 0 || p->b.n == 0) return status;
  for (int64_t begin = 0, end = 0; !status && batched_next_sound(p->info, p->a.count, &begin, &end);) {
    batched_potrs_args one = {p->uplo, batched_part(p->a, begin, end - begin), batched_part(p->b, begin, end - begin)};
    status = potrs->run(ctx, &one);
  }
  return status;
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_posv_args *p = args;
  if (!batched_has_lane_scratch(ctx, p->a.n, p->a.count)) return BATCHED_NO_MEMORY;
  return solve(ctx, args, "host.simd");
}

static int ref(batched_ctx *ctx, const void *args)
{
  return solve(ctx, args, "host.ref");
}

/* ------------------------------------------------------------------ host.mixed */

static batched_uplo uplo_of(const batched_refiner *r)
{
  return r->part == BATCHED_REFINE_LOWER ? BATCHED_LOWER : BATCHED_UPPER;
}

static int factor_cholesky(batched_ctx *ctx, const batched_refiner *r, const batched_matrix *a, int *ipiv, int *info)
{
  (void)ipiv;
  const batched_potrf_args p = {uplo_of(r), *a, info};
  return batched_run(ctx, &batched_potrf_op, &p);
}

static int solve_cholesky(batched_ctx *ctx, const batched_refiner *r, const batched_matrix *a, const int *ipiv,
                          const batched_matrix *b)
{
  (void)ipiv;
  const batched_potrs_args p = {uplo_of(r), *a, *b};
  return batched_run(ctx, &batched_potrs_op, &p);
}

static int subtract_product(batched_ctx *ctx, const batched_refiner *r, const batched_matrix *a,
                            const batched_matrix *x, const batched_matrix *residual)
{
  const batched_symm_args p = {BATCHED_LEFT, uplo_of(r), true, {-1, 0}, {1, 0}, *a, *x, *residual};
  return batched_run(ctx, &batched_symm_op, &p);
}

static bool fits_mixed(const void *args)
{
  const batched_posv_args *p = args;
  return batched_can_refine(&p->a, &p->b);
}

static int mixed(batched_ctx *ctx, const void *args)
{
  const batched_posv_args *p = args;
  const batched_refiner cholesky = {p->uplo == BATCHED_LOWER ? BATCHED_REFINE_LOWER : BATCHED_REFINE_UPPER,
                                    factor_cholesky, solve_cholesky, subtract_product};
  return batched_solve_mixed(ctx, &cholesky, p->a, p->b, NULL, p->info);
}

const batched_variant batched_posv_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  VENDOR_ROW("vendor.lapacke", NULL, posv){"host.mixed", fits_mixed, batched_never, mixed},
  {"host.ref", NULL, batched_never, ref},
  {0},
};
