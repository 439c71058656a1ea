/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of tridiagonal matrices: |P L U - A| / (n |A| eps), the pivots, and info for singular matrices.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/band/gt_case.h"

/* flags: rows (2), longer vectors (2), bad column (3) */
static const int shapes[][3] = {{0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {4, 4, 0},   {5, 5, 0},
                                {8, 8, 0},   {9, 9, 0},   {16, 16, 0}, {17, 17, 0}, {31, 31, 0}, {32, 32, 0},
                                {33, 33, 0}, {50, 50, 0}, {64, 64, 0}, {65, 65, 0}, {-1}};
static const int large_shapes[][3] = {{100, 100, 0}, {127, 127, 0}, {200, 200, 0}, {257, 257, 0}, {512, 512, 0}, {-1}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  gt_operands(c, SWEEP_INOUT, c->n, o);
  o[3] = gt_vector(c, SWEEP_OUT, c->n, 2, false);
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i < 3) gt_fill(c, i, c->n, x);
}

static bool fills(const sweep_case *c, int i, int row, int col)
{
  return i == 3 && row + col < c->n - 2;
}

static int npivots(const sweep_case *c)
{
  return c->n;
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  return batched_gttrf(ctx, x[1], x[0], x[2], x[3], c->pivots, info);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->n;
  int first = 0;
  for (int k = n - 1; k >= 0; k--)
    if (after[0].x[k] == 0) first = k + 1;
  if (info != first) return NAN;
  if (c->kind == SWEEP_BAD && n > 0 && info != band_bad_column(c->flags / 4, n) + 1) return NAN;
  for (int k = 0; k < n; k++) {
    if (c->pivots[k] != k + 1 && (k == n - 1 || c->pivots[k] != k + 2)) return NAN;
    if (k < n - 1 && !(sweep_abs(after[1].x[k]) <= sqrtl(2) * (1 + 8 * sweep_eps(c->type)))) return NAN;
  }
  if (n == 0) return 0;
  const sweep_dense a = gt_dense(n, &before[1], before[0], before[2], NULL), product = gt_product(n, after, c->pivots);
  for (int64_t e = 0; e < (int64_t)n * n; e++) product.x[e] -= a.x[e];
  const long double error = sweep_norm(product);
  return error == 0 ? 0 : error / (n * sweep_unit(c, sweep_norm(a)));
}

static const sweep_family gttrf = {
  .op = &batched_gttrf_op,
  .nflags = 12,
  .noperands = 4,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .longer = true,
  .operands = operands,
  .fill = fill,
  .fills = fills,
  .pivots = npivots,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO | 1u << SWEEP_IDENTITY |
           1u << SWEEP_DIAGONAL | 1u << SWEEP_SINGULAR | 1u << SWEEP_BAD | 1u << SWEEP_ILL | SWEEP_CONDITIONS,
  .host_kinds = 1u << SWEEP_DENORMAL,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[40] = {0};
  int ipiv[8], info[2], lengths[] = {3, 2};
  batched_matrix d = batched_strided(x, 4, 1, 4, 4, 2), e = batched_strided(x + 8, 3, 1, 4, 4, 2),
                 f = batched_strided(x + 16, 3, 1, 4, 4, 2), g = batched_strided(x + 24, 2, 1, 4, 4, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_gttrf(NULL, e, d, f, g, ipiv, info), -1);
  assert_int_equal(batched_gttrf(ctx, SWEEP_CHANGED(e, m, 2), d, f, g, ipiv, info), -2);
  assert_int_equal(batched_gttrf(ctx, e, SWEEP_CHANGED(d, n, 2), f, g, ipiv, info), -3);
  assert_int_equal(batched_gttrf(ctx, e, d, SWEEP_CHANGED(f, count, 1), g, ipiv, info), -4);
  assert_int_equal(batched_gttrf(ctx, e, d, f, SWEEP_CHANGED(g, m, 1), ipiv, info), -5);
  assert_int_equal(batched_gttrf(ctx, e, d, f, g, NULL, info), -6);
  assert_int_equal(batched_gttrf(ctx, e, d, f, g, ipiv, NULL), -7);
  assert_int_equal(batched_gttrf(ctx, e, d, SWEEP_CHANGED(f, ms, lengths), g, ipiv, info), -4);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &gttrf, extra, 1);
}
