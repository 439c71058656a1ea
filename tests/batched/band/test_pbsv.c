/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Systems of equations with positive definite band matrices: |A X - B| / (n |A| |X| eps), the factor, and B as it was
 * where A is not positive definite.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/band/pb_case.h"

/* m: order, n: right-hand sides. */
static const int shapes[][3] = {
  {0, 0, 0}, {1, 1, 0},  {2, 2, 0},  {3, 1, 0},  {3, 0, 0},   {0, 2, 0},   {4, 5, 0},  {5, 4, 0},  {8, 1, 0},
  {9, 7, 0}, {15, 3, 0}, {17, 9, 0}, {31, 1, 0}, {32, 32, 0}, {33, 35, 0}, {48, 2, 0}, {65, 3, 0}, {-1},
};
static const int large_shapes[][3] = {{100, 1, 0}, {127, 3, 0}, {129, 10, 0}, {200, 1, 0},
                                      {257, 2, 0}, {150, 4, 0}, {512, 1, 0},  {-1}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = pb_depth(c, c->m) + 1 + c->flags / 2 % 2, .n = c->m};
  o[1] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

static void extents(const sweep_case *c, int *out)
{
  out[0] = pb_depth(c, c->m);
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0)
    pb_fill(c, x);
  else if (sweep_is_hard(c->kind))
    sweep_right_hand_side(c->type, BATCHED_NO_TRANS, pb_matrix(c, sweep_first_operand(c)), x);
  else
    band_random(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  const int kd = pb_depth(c, c->m);
  if (!c->extents[0]) return batched_pbsv(ctx, pb_uplo(c), kd, x[0], x[1], info);
  return batched_pbsv_variable(ctx, pb_uplo(c), band_extent(c, 0, kd), x[0], x[1], info);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  if (c->kind == SWEEP_BAD && c->m > 0)
    return band_same(before[1], after[1]) && info == band_bad_column(c->flags, c->m) + 1 ? 0 : NAN;
  if (info != 0) return NAN;
  const long double factored = pb_factor_ratio(c, before[0], after[0], c->m);
  return sweep_larger(factored, band_residual(c, BATCHED_NO_TRANS, pb_matrix(c, before[0]), after[1], before[1]));
}

static const sweep_family pbsv = {
  .op = &batched_pbsv_op,
  .nflags = PB_FLAGS,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .quick = 200,
  .limit = 30,
  .operands = operands,
  .nextents = 1,
  .extents = extents,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_IDENTITY | 1u << SWEEP_DIAGONAL |
           1u << SWEEP_GRADED | 1u << SWEEP_BAD | 1u << SWEEP_ILL | SWEEP_CONDITIONS,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[16] = {0}, y[16] = {0};
  int info[2];
  batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2), b = batched_strided(y, 2, 3, 2, 6, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_pbsv(NULL, BATCHED_LOWER, 1, a, b, info), -1);
  assert_int_equal(batched_pbsv(ctx, 5, 1, a, b, info), -2);
  assert_int_equal(batched_pbsv(ctx, BATCHED_LOWER, -1, a, b, info), -3);
  assert_int_equal(batched_pbsv(ctx, BATCHED_LOWER, 2, a, b, info), -4);
  assert_int_equal(batched_pbsv(ctx, BATCHED_LOWER, 1, a, SWEEP_CHANGED(b, m, 1), info), -5);
  assert_int_equal(batched_pbsv(ctx, BATCHED_LOWER, 1, a, b, NULL), -6);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &pbsv, extra, 1);
}
