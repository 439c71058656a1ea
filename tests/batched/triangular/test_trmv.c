/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products of a triangle and a vector, against sums in long double, element by element.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/sweep/sweep.h"

/* flags: uplo (2), diag (2), trans (3), the vector as a column or a row (2) */
static const int shapes[][3] = {
  {0, 0, 0},     {1, 1, 0},     {2, 2, 0},     {3, 3, 0},     {4, 4, 0},     {5, 5, 0},   {7, 7, 0},
  {8, 8, 0},     {9, 9, 0},     {15, 15, 0},   {16, 16, 0},   {17, 17, 0},   {24, 24, 0}, {27, 27, 0},
  {31, 31, 0},   {32, 32, 0},   {33, 33, 0},   {48, 48, 0},   {63, 63, 0},   {64, 64, 0}, {65, 65, 0},
  {100, 100, 0}, {128, 128, 0}, {129, 129, 0}, {200, 200, 0}, {257, 257, 0}, {-1},
};
static const int large_shapes[][3] = {{256, 256, 0}, {384, 384, 0},   {400, 400, 0},
                                      {512, 512, 0}, {1025, 1025, 0}, {-1}};

/* The last order of cuda.block, and the first beyond. */
static const int edge_shapes[][3] = {{700, 700, 0}, {1024, 1024, 0}, {1025, 1025, 0}, {-1}};

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

/* A and x are scaled against each other: the product is a number. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  sweep_case other = *c;
  if (i == 1 && c->kind == SWEEP_LARGE) other.kind = SWEEP_SMALL;
  if (i == 1 && c->kind == SWEEP_SMALL) other.kind = SWEEP_LARGE;
  if (i == 0 && diag(c) == BATCHED_UNIT && sweep_scale(c) != 1) other.kind = SWEEP_RANDOM;
  sweep_general(&other, x);
  if (i == 1) return;
  for (int j = 0; j < c->m && diag(c) == BATCHED_UNIT; j++)
    SWEEP_AT(x, j, j) = 0x1.23456789p+5000L; /* poison: not to be read */
  sweep_poison_triangle(x, uplo(c) == BATCHED_LOWER ? BATCHED_UPPER : BATCHED_LOWER);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  return batched_trmv(ctx, uplo(c), trans(c), diag(c), x[0], x[1]);
}

static wide element(const sweep_case *c, sweep_dense a, int i, int j)
{
  return trans(c) == BATCHED_NO_TRANS ? SWEEP_AT(a, i, j)
         : trans(c) == BATCHED_TRANS  ? SWEEP_AT(a, j, i)
                                      : conjl(SWEEP_AT(a, j, i));
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const sweep_dense a = sweep_triangle_of(before[0], uplo(c), diag(c) == BATCHED_UNIT);
  long double worst = 0;
  for (int i = 0; i < c->m; i++) {
    wide exact = 0;
    long double size = 0;
    for (int j = 0; j < c->m; j++) {
      const wide product = element(c, a, i, j) * before[1].x[j];
      exact += product;
      size += sweep_abs(product);
    }
    const long double error = sweep_abs(after[1].x[i] - exact);
    worst = sweep_larger(worst, error == 0 ? 0 : error / ((c->m + 2) * sweep_eps(c->type) * size));
  }
  return worst;
}

static const sweep_family trmv = {
  .op = &batched_trmv_op,
  .nflags = 24,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .limit = 3,
  .square = true,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO | 1u << SWEEP_IDENTITY |
           1u << SWEEP_DIAGONAL | 1u << SWEEP_GRADED | 1u << SWEEP_HILBERT,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[32] = {0};
  batched_matrix a = batched_strided(x, 3, 3, 3, 9, 2), v = batched_strided(x, 3, 1, 3, 3, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_trmv(NULL, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, a, v), -1);
  assert_int_equal(batched_trmv(ctx, 2, BATCHED_TRANS, BATCHED_UNIT, a, v), -2);
  assert_int_equal(batched_trmv(ctx, BATCHED_LOWER, 3, BATCHED_UNIT, a, v), -3);
  assert_int_equal(batched_trmv(ctx, BATCHED_LOWER, BATCHED_TRANS, 2, a, v), -4);
  assert_int_equal(batched_trmv(ctx, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, SWEEP_CHANGED(a, n, 2), v), -5);
  assert_int_equal(batched_trmv(ctx, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, SWEEP_CHANGED(a, ld, 2), v), -5);
  assert_int_equal(batched_trmv(ctx, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, a, SWEEP_CHANGED(v, m, 2)), -6);
  assert_int_equal(batched_trmv(ctx, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, a, SWEEP_CHANGED(v, n, 2)), -6);
  assert_int_equal(batched_trmv(ctx, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, a, SWEEP_CHANGED(v, stride, 0)), -6);
  assert_int_equal(batched_trmv(ctx, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, a, SWEEP_CHANGED(v, type, BATCHED_S)),
                   -6);
  assert_int_equal(batched_trmv(ctx, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, SWEEP_CHANGED(a, count, 0),
                                SWEEP_CHANGED(v, count, 0)),
                   0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &trmv, extra, 1);
}
