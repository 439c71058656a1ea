/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Solves with LU factors of tridiagonal matrices: |op(A) X - B| / (n |A| |X| eps), A what the factors stand for.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/band/gt_case.h"

/* flags: rows (2), longer vectors (2), trans (3).  m: order, n: right-hand sides. */
static const int shapes[][3] = {{0, 0, 0},   {1, 1, 0},  {2, 2, 0},   {3, 1, 0},  {3, 0, 0},  {0, 2, 0},
                                {4, 5, 0},   {5, 4, 0},  {8, 1, 0},   {9, 7, 0},  {16, 2, 0}, {17, 9, 0},
                                {32, 32, 0}, {33, 1, 0}, {50, 10, 0}, {65, 3, 0}, {64, 1, 0}, {-1}};
static const int large_shapes[][3] = {{100, 1, 0}, {127, 4, 0}, {200, 2, 0}, {257, 1, 0}, {512, 3, 0}, {-1}};

static batched_trans trans(const sweep_case *c)
{
  return (batched_trans)(c->flags / 4 % 3);
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  gt_operands(c, SWEEP_IN, c->m, o);
  o[3] = gt_vector(c, SWEEP_IN, c->m, 2, false);
  o[4] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

static int npivots(const sweep_case *c)
{
  return c->m;
}

static void fill_pivots(const sweep_case *c, int *pivots)
{
  for (int i = 0; i < c->m; i++) pivots[i] = i + 1 + (i < c->m - 1 && sweep_uniform() > 0);
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  const int n = c->m, lengths[] = {n, n - 1, n - 1, n - 2};
  if (i == 4) {
    band_random(c, x);
    return;
  }
  for (int e = 0; e < lengths[i]; e++) {
    const wide number = sweep_number(c->type);
    x.x[e] = sweep_scale(c) * band_grade(c, e, n) * (i == 0 ? 2 + creall(number) : number);
    if (i == 1) x.x[e] = sweep_number(c->type) / 2;
    if (c->kind == SWEEP_IDENTITY) x.x[e] = i == 0;
    if (c->kind == SWEEP_BAD && i == 0 && e == 2 * (n - 1) / 3) x.x[e] = 0;
  }
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  return batched_gttrs(ctx, trans(c), x[1], x[0], x[2], x[3], c->pivots, x[4]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  if (c->m == 0 || c->n == 0) return 0;
  if (c->kind == SWEEP_BAD) return sweep_is_finite(after[4]) ? NAN : 0;
  return band_residual(c, trans(c), gt_product(c->m, before, c->pivots), after[4], before[4]);
}

static const sweep_family gttrs = {
  .op = &batched_gttrs_op,
  .nflags = 12,
  .noperands = 5,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .pivots = npivots,
  .fill_pivots = fill_pivots,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_IDENTITY | 1u << SWEEP_BAD |
           SWEEP_CONDITIONS,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[40] = {0}, y[8] = {0};
  int ipiv[8];
  batched_matrix d = batched_strided(x, 4, 1, 4, 4, 2), e = batched_strided(x + 8, 3, 1, 4, 4, 2),
                 g = batched_strided(x + 24, 2, 1, 4, 4, 2), b = batched_strided(y, 4, 1, 4, 4, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_gttrs(NULL, BATCHED_TRANS, e, d, e, g, ipiv, b), -1);
  assert_int_equal(batched_gttrs(ctx, 3, e, d, e, g, ipiv, b), -2);
  assert_int_equal(batched_gttrs(ctx, BATCHED_TRANS, SWEEP_CHANGED(e, m, 2), d, e, g, ipiv, b), -3);
  assert_int_equal(batched_gttrs(ctx, BATCHED_TRANS, e, SWEEP_CHANGED(d, n, 2), e, g, ipiv, b), -4);
  assert_int_equal(batched_gttrs(ctx, BATCHED_TRANS, e, d, SWEEP_CHANGED(e, m, 2), g, ipiv, b), -5);
  assert_int_equal(batched_gttrs(ctx, BATCHED_TRANS, e, d, e, SWEEP_CHANGED(g, m, 1), ipiv, b), -6);
  assert_int_equal(batched_gttrs(ctx, BATCHED_TRANS, e, d, e, g, NULL, b), -7);
  assert_int_equal(batched_gttrs(ctx, BATCHED_TRANS, e, d, e, g, ipiv, SWEEP_CHANGED(b, m, 3)), -8);
  assert_int_equal(batched_gttrs(ctx, BATCHED_TRANS, e, d, e, g, ipiv, SWEEP_CHANGED(b, stride, 0)), -8);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &gttrs, extra, 1);
}
