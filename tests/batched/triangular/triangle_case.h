/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The cases of trsm and trmm: shapes, the options that the flags stand for, and bad arguments.
 */
#ifndef TESTS_BATCHED_TRIANGLE_CASE_H
#define TESTS_BATCHED_TRIANGLE_CASE_H

#include "tests/batched/sweep/sweep.h"

typedef int triangle_call(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans,
                          batched_diag diag, batched_scalar alpha, batched_matrix a, batched_matrix b);

/* flags: side (2), uplo (2), diag (2), trans (3), alpha (3) */
static const batched_scalar alphas[] = {{1, 0}, {-0.7, 0.4}, {0, 0}};
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},  {2, 2, 0},  {3, 1, 0},   {3, 0, 0},   {0, 2, 0},   {4, 5, 0},   {5, 4, 0},
  {7, 8, 0},   {8, 9, 0},  {9, 7, 0},  {15, 3, 0},  {16, 16, 0}, {17, 9, 0},  {2, 31, 0},  {32, 33, 0},
  {33, 32, 0}, {48, 2, 0}, {5, 65, 0}, {64, 40, 0}, {65, 65, 0}, {129, 3, 0}, {2, 100, 0}, {-1},
};
static const int large_shapes[][3] = {{128, 64, 0}, {100, 200, 0}, {256, 10, 0}, {200, 200, 0},
                                      {512, 3, 0},  {33, 400, 0},  {-1}};

static batched_side side(const sweep_case *c)
{
  return c->flags % 2 ? BATCHED_RIGHT : BATCHED_LEFT;
}

static batched_uplo uplo(const sweep_case *c)
{
  return c->flags / 2 % 2 ? BATCHED_UPPER : BATCHED_LOWER;
}

static batched_diag diag(const sweep_case *c)
{
  return c->flags / 4 % 2 ? BATCHED_UNIT : BATCHED_NON_UNIT;
}

static batched_trans trans(const sweep_case *c)
{
  return (batched_trans)(c->flags / 8 % 3);
}

static batched_scalar alpha(const sweep_case *c)
{
  return alphas[c->flags / 24];
}

static int order(const sweep_case *c)
{
  return side(c) == BATCHED_LEFT ? c->m : c->n;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = order(c), .n = order(c), .shareable = true};
  o[1] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

/* What trsm or trmm says of bad arguments. */
static void check_bad_arguments(triangle_call *f)
{
  double x[32] = {0};
  const batched_scalar one = batched_real(1);
  batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2), b = batched_strided(x, 2, 3, 2, 6, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(f(NULL, BATCHED_LEFT, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, one, a, b), -1);
  assert_int_equal(f(ctx, 2, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, one, a, b), -2);
  assert_int_equal(f(ctx, BATCHED_LEFT, 2, BATCHED_TRANS, BATCHED_UNIT, one, a, b), -3);
  assert_int_equal(f(ctx, BATCHED_LEFT, BATCHED_LOWER, 3, BATCHED_UNIT, one, a, b), -4);
  assert_int_equal(f(ctx, BATCHED_LEFT, BATCHED_LOWER, BATCHED_TRANS, 2, one, a, b), -5);
#define LEFT(a, b) f(ctx, BATCHED_LEFT, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, one, a, b)
  assert_int_equal(LEFT(SWEEP_CHANGED(a, m, 3), b), -7);
  assert_int_equal(LEFT(SWEEP_CHANGED(a, ld, 1), b), -7);
  assert_int_equal(f(ctx, BATCHED_RIGHT, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, one, a, b), -8);
  assert_int_equal(LEFT(a, SWEEP_CHANGED(b, count, 1)), -8);
  assert_int_equal(LEFT(a, SWEEP_CHANGED(b, data, NULL)), -8);
#undef LEFT
  batched_destroy(&ctx);
}

#endif
