/* SPDX-License-Identifier: BSD-3-Clause
 *
 * L D L^H of tridiagonal matrices: |L D L^H - A| / (n |A| eps), and info for matrices that are not positive definite.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/band/pt_case.h"

/* flags: rows (2), longer vectors (2), bad pivot (3) */
static const int shapes[][3] = {{0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {4, 4, 0},   {5, 5, 0},
                                {8, 8, 0},   {9, 9, 0},   {16, 16, 0}, {17, 17, 0}, {31, 31, 0}, {32, 32, 0},
                                {33, 33, 0}, {50, 50, 0}, {64, 64, 0}, {65, 65, 0}, {-1}};
static const int large_shapes[][3] = {{100, 100, 0}, {127, 127, 0}, {200, 200, 0}, {257, 257, 0}, {512, 512, 0}, {-1}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  pt_operands(c, SWEEP_INOUT, c->n, o);
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  pt_fill(c, i, c->n, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)c;
  return batched_pttrf(ctx, x[0], x[1], info);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->n, good = c->kind == SWEEP_BAD && n > 0 ? band_bad_column(c->flags / 4, n) : n;
  if (info != (good == n ? 0 : good + 1)) return NAN;
  if (good == 0) return 0;
  const sweep_dense a = pt_matrix(good, before[0], before[1], false),
                    product = pt_product(good, after[0], after[1], false);
  for (int64_t e = 0; e < (int64_t)good * good; e++) product.x[e] -= a.x[e];
  const long double error = sweep_norm(product);
  for (int k = 0; k < good; k++)
    if (!(creall(after[0].x[k]) > 0)) return NAN;
  for (int k = good + 1; k < n; k++) /* what comes later stays */
    if (after[0].x[k] != before[0].x[k] || after[1].x[k - 1] != before[1].x[k - 1]) return NAN;
  return error == 0 ? 0 : error / (good * sweep_unit(c, sweep_norm(a)));
}

static const sweep_family pttrf = {
  .op = &batched_pttrf_op,
  .nflags = 12,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .longer = true,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_IDENTITY | 1u << SWEEP_DIAGONAL |
           1u << SWEEP_BAD | 1u << SWEEP_ILL | SWEEP_CONDITIONS,
  .host_kinds = 1u << SWEEP_DENORMAL,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[8] = {0};
  double _Complex y[8] = {0};
  int info[2];
  batched_matrix d = batched_strided(x, 4, 1, 4, 4, 2), e = batched_strided(y, 3, 1, 4, 4, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_pttrf(NULL, d, e, info), -1);
  assert_int_equal(batched_pttrf(ctx, SWEEP_CHANGED(d, type, BATCHED_Z), e, info), -2);
  assert_int_equal(batched_pttrf(ctx, SWEEP_CHANGED(d, stride, 0), e, info), -2);
  assert_int_equal(batched_pttrf(ctx, d, SWEEP_CHANGED(e, m, 2), info), -3);
  assert_int_equal(batched_pttrf(ctx, d, SWEEP_CHANGED(e, count, 1), info), -3);
  assert_int_equal(batched_pttrf(ctx, d, e, NULL), -4);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &pttrf, extra, 1);
}
