/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Solves with factors of tridiagonal matrices: |A X - B| / (n |A| |X| eps), A = L D L^H or U^H D U.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/band/pt_case.h"

/* flags: rows (2), longer vectors (2), uplo (2).  m: order, n: right-hand sides. */
static const int shapes[][3] = {{0, 0, 0},   {1, 1, 0},  {2, 2, 0},   {3, 1, 0},  {3, 0, 0},  {0, 2, 0},
                                {4, 5, 0},   {5, 4, 0},  {8, 1, 0},   {9, 7, 0},  {16, 2, 0}, {17, 9, 0},
                                {32, 32, 0}, {33, 1, 0}, {50, 10, 0}, {65, 3, 0}, {64, 1, 0}, {-1}};
static const int large_shapes[][3] = {{100, 1, 0}, {127, 4, 0}, {200, 2, 0}, {257, 1, 0}, {512, 3, 0}, {-1}};

static bool is_upper(const sweep_case *c)
{
  return c->flags / 4;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  pt_operands(c, SWEEP_IN, c->m, o);
  o[2] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 2)
    band_random(c, x);
  else
    for (int e = 0; e < (i ? c->m - 1 : c->m); e++)
      x.x[e] = i == 0 ? (1.5L + sweep_uniform()) * sweep_scale(c) * band_grade(c, e, c->m) : sweep_number(c->type) / 2;
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  return batched_pttrs(ctx, is_upper(c) ? BATCHED_UPPER : BATCHED_LOWER, x[0], x[1], x[2]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  if (c->m == 0 || c->n == 0) return 0;
  return band_residual(c, BATCHED_NO_TRANS, pt_product(c->m, before[0], before[1], is_upper(c)), after[2], before[2]);
}

static const sweep_family pttrs = {
  .op = &batched_pttrs_op,
  .nflags = 8,
  .noperands = 3,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | SWEEP_CONDITIONS,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[8] = {0}, y[8] = {0}, z[16] = {0};
  batched_matrix d = batched_strided(x, 4, 1, 4, 4, 2), e = batched_strided(y, 3, 1, 4, 4, 2),
                 b = batched_strided(z, 4, 2, 4, 8, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_pttrs(NULL, BATCHED_LOWER, d, e, b), -1);
  assert_int_equal(batched_pttrs(ctx, 5, d, e, b), -2);
  assert_int_equal(batched_pttrs(ctx, BATCHED_LOWER, SWEEP_CHANGED(d, n, 2), e, b), -3);
  assert_int_equal(batched_pttrs(ctx, BATCHED_LOWER, d, SWEEP_CHANGED(e, m, 2), b), -4);
  assert_int_equal(batched_pttrs(ctx, BATCHED_LOWER, d, e, SWEEP_CHANGED(b, m, 3)), -5);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &pttrs, extra, 1);
}
