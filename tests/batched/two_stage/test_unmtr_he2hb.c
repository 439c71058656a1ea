/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products with Q1 of he2hb: |result - op(Q1) C| / (order |C| eps), with the reflectors applied in more digits.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/condensed/q_product.h"
#include "tests/batched/two_stage/two_stage_case.h"

/* flags: uplo (2), side (2), trans (2), width (6) */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 3, 0},   {3, 3, 0},   {5, 4, 0},   {9, 7, 0},    {16, 16, 0},
  {17, 33, 0}, {33, 32, 0}, {48, 48, 0}, {65, 65, 0}, {20, 70, 0}, {129, 40, 0}, {-1},
};

static const int large_shapes[][3] = {{128, 128, 0}, {200, 60, 0}, {257, 257, 0}, {512, 64, 0}, {-1}};

static bool upper(const sweep_case *c)
{
  return c->flags % 2;
}

static q_product product(const sweep_case *c)
{
  return q_product_of(c, 2);
}

static int width(const sweep_case *c)
{
  return two_stage_width(c->flags / 8);
}

static int order(const sweep_case *c)
{
  return product(c).order;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = order(c), .n = order(c), .shareable = true};
  o[1] = oracle_vector(SWEEP_IN, most(order(c) - width(c), 0), c->flags / 8 % 2);
  o[1].shareable = true;
  o[2] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

/* What is not part of a reflector is poison. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  const int kd = width(c);
  for (int h = 0; h < order(c) - kd; h++) {
    const int length = order(c) - kd - h;
    if (i == 0)
      oracle_reflector(c, length, upper(c) ? &SWEEP_AT(x, h, h + kd) : &SWEEP_AT(x, h + kd, h), upper(c) ? x.m : 1);
    if (i == 1) x.x[h] = oracle_tau(c, h, length);
  }
  if (i == 2) sweep_general(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  oracle_clear_info(ctx, c, info);
  return batched_unmtr_he2hb(ctx, q_side(product(c)), upper(c) ? BATCHED_UPPER : BATCHED_LOWER,
                             q_trans(product(c), c, 1), width(c), x[0], x[1], x[2]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  if (c->m == 0 || c->n == 0) return 0;
  const oracle_q q = two_stage_q1(upper(c), width(c), order(c), before[0], before[1]);
  return q_product_ratio(c, product(c), q, before[2], after[2]);
}

static const sweep_family unmtr_he2hb = {
  .op = &batched_unmtr_he2hb_op,
  .nflags = 8 * TWO_STAGE_WIDTHS,
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
  const batched_side left = BATCHED_LEFT;
  const batched_trans plain = BATCHED_NO_TRANS;
  const batched_matrix a = batched_strided(x, 3, 3, 3, 9, 1), tau = batched_strided(x + 12, 2, 1, 2, 2, 1);
  const batched_matrix c = batched_strided(x + 16, 3, 2, 3, 6, 1);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_unmtr_he2hb(NULL, left, BATCHED_LOWER, plain, 1, a, tau, c), -1);
  assert_int_equal(batched_unmtr_he2hb(ctx, 2, BATCHED_LOWER, plain, 1, a, tau, c), -2);
  assert_int_equal(batched_unmtr_he2hb(ctx, left, 2, plain, 1, a, tau, c), -3);
  assert_int_equal(batched_unmtr_he2hb(ctx, left, BATCHED_LOWER, 3, 1, a, tau, c), -4);
  assert_int_equal(batched_unmtr_he2hb(ctx, left, BATCHED_LOWER, plain, -1, a, tau, c), -5);
  assert_int_equal(batched_unmtr_he2hb(ctx, left, BATCHED_LOWER, plain, 1, BAD(a, m, 2), tau, c), -6);
  assert_int_equal(batched_unmtr_he2hb(ctx, left, BATCHED_LOWER, plain, 2, a, tau, c), -7);
  assert_int_equal(batched_unmtr_he2hb(ctx, BATCHED_RIGHT, BATCHED_LOWER, plain, 1, a, tau, c), -8);
  assert_int_equal(batched_unmtr_he2hb(ctx, left, BATCHED_UPPER, plain, 1, a, tau, c), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &unmtr_he2hb, extra, 1);
}
