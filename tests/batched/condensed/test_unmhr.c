/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products with Q of gehrd: |result - op(Q) C| / (order |C| eps), with the reflectors applied in more digits.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/condensed/hessenberg_case.h"
#include "tests/batched/condensed/q_product.h"

/* flags: range ilo .. ihi (4, all of it first), side (2), trans (2), tau as a row (2) */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 3, 0},   {3, 3, 0},    {4, 5, 0},    {5, 4, 0},    {8, 8, 0},
  {9, 7, 0},   {7, 9, 0},   {16, 16, 0}, {17, 33, 0},  {33, 32, 0},  {32, 33, 0},  {48, 48, 0},
  {64, 20, 0}, {65, 65, 0}, {20, 70, 0}, {129, 40, 0}, {40, 130, 0}, {260, 10, 0}, {-1},
};

static const int large_shapes[][3] = {{128, 128, 0}, {127, 60, 0}, {200, 200, 0}, {256, 256, 0},
                                      {400, 40, 0},  {512, 64, 0}, {-1}};

static int range(const sweep_case *c)
{
  return c->flags % HESSENBERG_RANGES;
}

static q_product product(const sweep_case *c)
{
  return q_product_of(c, 4);
}

static int order(const sweep_case *c)
{
  return product(c).order;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = order(c), .n = order(c), .shareable = true};
  o[1] = oracle_vector(SWEEP_IN, most(order(c) - 1, 0), c->flags / 16);
  o[1].shareable = true;
  o[2] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

/* What is not part of a reflector is poison. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  int lo, hi;
  case_range(range(c), order(c), &lo, &hi);
  for (int j = lo; j < hi - 1; j++) {
    if (i == 0) oracle_reflector(c, hi - 1 - j, &SWEEP_AT(x, j + 1, j), 1);
    if (i == 1) x.x[j] = oracle_tau(c, j, hi - 1 - j);
  }
  if (i == 2) sweep_general(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  int ilo, ihi;
  oracle_clear_info(ctx, c, info);
  case_arguments(range(c), order(c), &ilo, &ihi);
  const batched_trans t = q_trans(product(c), c, c->n);
  return batched_unmhr(ctx, q_side(product(c)), t, ilo, ihi, x[0], x[1], x[2]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  if (c->m == 0 || c->n == 0) return 0;
  int lo, hi;
  case_range(range(c), order(c), &lo, &hi);
  const oracle_q q = oracle_gehrd(lo, hi, order(c), before[0], before[1]);
  return q_product_ratio(c, product(c), q, before[2], after[2]);
}

static const sweep_family unmhr = {
  .op = &batched_unmhr_op,
  .nflags = 8 * HESSENBERG_RANGES,
  .noperands = 3,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[32] = {0};
  double _Complex z[32] = {0};
  batched_matrix a = batched_strided(x, 3, 3, 3, 9, 1), tau = batched_strided(x + 12, 2, 1, 2, 2, 1);
  batched_matrix c = batched_strided(x + 16, 3, 2, 3, 6, 1);
  batched_matrix za = batched_strided(z, 3, 3, 3, 9, 1), ztau = batched_strided(z + 12, 2, 1, 2, 2, 1);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_unmhr(NULL, BATCHED_LEFT, BATCHED_TRANS, 1, 3, a, tau, c), -1);
  assert_int_equal(batched_unmhr(ctx, 2, BATCHED_TRANS, 1, 3, a, tau, c), -2);
  assert_int_equal(batched_unmhr(ctx, BATCHED_LEFT, 3, 1, 3, a, tau, c), -3);
  assert_int_equal(batched_unmhr(ctx, BATCHED_LEFT, BATCHED_TRANS, 1, 3, za, ztau, za), -3);
  assert_int_equal(batched_unmhr(ctx, BATCHED_LEFT, BATCHED_TRANS, 0, 3, a, tau, c), -4);
  assert_int_equal(batched_unmhr(ctx, BATCHED_LEFT, BATCHED_TRANS, 1, 4, a, tau, c), -5);
  assert_int_equal(batched_unmhr(ctx, BATCHED_LEFT, BATCHED_TRANS, 1, 3, BAD(a, m, 2), tau, c), -6);
  assert_int_equal(batched_unmhr(ctx, BATCHED_LEFT, BATCHED_TRANS, 1, 3, a, BAD(tau, m, 3), c), -7);
  assert_int_equal(batched_unmhr(ctx, BATCHED_RIGHT, BATCHED_TRANS, 1, 3, a, tau, c), -8);
  assert_int_equal(batched_unmhr(ctx, BATCHED_LEFT, BATCHED_TRANS, 0, 0, a, tau, c), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &unmhr, extra, 1);
}
