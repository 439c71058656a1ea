/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Q of gehrd: |result - Q| / (n eps), with the reflectors applied in more digits.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/condensed/hessenberg_case.h"

/* flags: range ilo .. ihi (4, all of it first), tau as a row (2) */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {4, 4, 0},   {5, 5, 0},   {8, 8, 0},   {9, 9, 0},     {16, 16, 0},
  {17, 17, 0}, {32, 32, 0}, {33, 33, 0}, {48, 48, 0}, {64, 64, 0}, {65, 65, 0}, {66, 66, 0}, {100, 100, 0}, {-1},
};

static const int large_shapes[][3] = {{127, 127, 0}, {129, 129, 0}, {200, 200, 0}, {256, 256, 0},
                                      {257, 257, 0}, {400, 400, 0}, {-1}};

static int range(const sweep_case *c)
{
  return c->flags % HESSENBERG_RANGES;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->m};
  o[1] = oracle_vector(SWEEP_IN, most(c->m - 1, 0), c->flags / HESSENBERG_RANGES);
}

/* What is not part of a reflector is a NaN. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  int lo, hi;
  case_range(range(c), c->m, &lo, &hi);
  for (int64_t e = 0; i == 0 && e < (int64_t)x.m * x.n; e++) x.x[e] = NAN;
  for (int j = lo; j < hi - 1; j++) {
    if (i == 0) oracle_reflector(c, hi - 1 - j, &SWEEP_AT(x, j + 1, j), 1);
    if (i == 1) x.x[j] = oracle_tau(c, j, hi - 1 - j);
  }
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  int ilo, ihi;
  oracle_clear_info(ctx, c, info);
  case_arguments(range(c), c->m, &ilo, &ihi);
  return batched_unghr(ctx, ilo, ihi, x[0], x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  if (c->m == 0) return 0;
  sweep_dense x = sweep_new(c->m, c->m);
  for (int i = 0; i < c->m; i++) SWEEP_AT(x, i, i) = 1;
  int lo, hi;
  case_range(range(c), c->m, &lo, &hi);
  const oracle_q q = oracle_gehrd(lo, hi, c->m, before[0], before[1]);
  oracle_multiply(q, true, false, x);
  return oracle_distance(c, c->m, x, after[0]);
}

static const sweep_family unghr = {
  .op = &batched_unghr_op,
  .nflags = 2 * HESSENBERG_RANGES,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .square = true,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[16] = {0};
  batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2), tau = batched_strided(x + 12, 1, 1, 1, 1, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_unghr(NULL, 1, 2, a, tau), -1);
  assert_int_equal(batched_unghr(ctx, 3, 2, a, tau), -2);
  assert_int_equal(batched_unghr(ctx, 1, 3, a, tau), -3);
  assert_int_equal(batched_unghr(ctx, 1, 2, BAD(a, m, 1), tau), -4);
  assert_int_equal(batched_unghr(ctx, 1, 2, BAD(a, stride, 0), tau), -4);
  assert_int_equal(batched_unghr(ctx, 1, 2, a, BAD(tau, m, 0)), -5);
  assert_int_equal(batched_unghr(ctx, 1, 2, a, BAD(tau, data, NULL)), -5);
  assert_int_equal(batched_unghr(ctx, 0, 0, a, tau), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &unghr, extra, 1);
}
