/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The cases of trsv and trmv: shapes, the options that the flags stand for, and bad arguments.
 */
#ifndef TESTS_BATCHED_TRIANGLE_VECTOR_CASE_H
#define TESTS_BATCHED_TRIANGLE_VECTOR_CASE_H

#include "tests/batched/sweep/sweep.h"

typedef int triangle_vector_call(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_diag diag,
                                 batched_matrix a, batched_matrix x);

/* flags: uplo (2), diag (2), trans (3), the vector as a column or a row (2) */
static const int shapes[][3] = {
  {0, 0, 0},     {1, 1, 0},     {2, 2, 0},     {3, 3, 0},     {4, 4, 0},     {5, 5, 0},   {7, 7, 0},
  {8, 8, 0},     {9, 9, 0},     {15, 15, 0},   {16, 16, 0},   {17, 17, 0},   {24, 24, 0}, {27, 27, 0},
  {31, 31, 0},   {32, 32, 0},   {33, 33, 0},   {48, 48, 0},   {63, 63, 0},   {64, 64, 0}, {65, 65, 0},
  {100, 100, 0}, {128, 128, 0}, {129, 129, 0}, {200, 200, 0}, {257, 257, 0}, {-1},
};
static const int large_shapes[][3] = {{256, 256, 0}, {384, 384, 0},   {400, 400, 0},
                                      {512, 512, 0}, {1025, 1025, 0}, {-1}};

static batched_uplo uplo(const sweep_case *c)
{
  return c->flags % 2 ? BATCHED_UPPER : BATCHED_LOWER;
}

static batched_diag diag(const sweep_case *c)
{
  return c->flags / 2 % 2 ? BATCHED_UNIT : BATCHED_NON_UNIT;
}

static batched_trans trans(const sweep_case *c)
{
  return (batched_trans)(c->flags / 4 % 3);
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  const bool row = c->flags / 12;
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = c->m, .n = c->m, .shareable = true};
  o[1] = (sweep_operand){
    .role = SWEEP_INOUT, .form = row ? SWEEP_ROW : SWEEP_COLUMN, .m = row ? 1 : c->m, .n = row ? c->m : 1};
}

/* What trsv or trmv says of bad arguments. */
static void check_bad_arguments(triangle_vector_call *f)
{
  double x[32] = {0};
  const batched_matrix a = batched_strided(x, 3, 3, 3, 9, 2), v = batched_strided(x, 3, 1, 3, 3, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(f(NULL, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, a, v), -1);
  assert_int_equal(f(ctx, 2, BATCHED_TRANS, BATCHED_UNIT, a, v), -2);
  assert_int_equal(f(ctx, BATCHED_LOWER, 3, BATCHED_UNIT, a, v), -3);
  assert_int_equal(f(ctx, BATCHED_LOWER, BATCHED_TRANS, 2, a, v), -4);
#define LOWER(a, v) f(ctx, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, a, v)
  assert_int_equal(LOWER(SWEEP_CHANGED(a, n, 2), v), -5);
  assert_int_equal(LOWER(SWEEP_CHANGED(a, ld, 2), v), -5);
  assert_int_equal(LOWER(a, SWEEP_CHANGED(v, m, 2)), -6);
  assert_int_equal(LOWER(a, SWEEP_CHANGED(v, n, 2)), -6);
  assert_int_equal(LOWER(a, SWEEP_CHANGED(v, stride, 0)), -6);
  assert_int_equal(LOWER(a, SWEEP_CHANGED(v, type, BATCHED_S)), -6);
  assert_int_equal(LOWER(SWEEP_CHANGED(a, count, 0), SWEEP_CHANGED(v, count, 0)), 0);
#undef LOWER
  batched_destroy(&ctx);
}

#endif
