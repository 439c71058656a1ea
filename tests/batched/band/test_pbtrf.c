/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cholesky of band matrices: |L L^H - A| / (n |A| eps), and info for matrices that are not positive definite.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/band/pb_case.h"

static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {4, 4, 0},   {5, 5, 0},   {7, 7, 0},
  {8, 8, 0},   {9, 9, 0},   {15, 15, 0}, {16, 16, 0}, {17, 17, 0}, {31, 31, 0}, {32, 32, 0},
  {33, 33, 0}, {48, 48, 0}, {63, 63, 0}, {65, 65, 0}, {-1},
};
static const int large_shapes[][3] = {{100, 100, 0}, {127, 127, 0}, {129, 129, 0}, {200, 200, 0},
                                      {257, 257, 0}, {150, 150, 0}, {512, 512, 0}, {-1}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = pb_depth(c, c->n) + 1 + c->flags / 2 % 2, .n = c->n};
}

static void extents(const sweep_case *c, int *out)
{
  out[0] = pb_depth(c, c->n);
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  (void)i;
  pb_fill(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  const int kd = pb_depth(c, c->n);
  if (!c->extents[0]) return batched_pbtrf(ctx, pb_uplo(c), kd, x[0], info);
  return batched_pbtrf_variable(ctx, pb_uplo(c), band_extent(c, 0, kd), x[0], info);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->n, good = c->kind == SWEEP_BAD && n > 0 ? band_bad_column(c->flags, n) : n;
  return info == (good == n ? 0 : good + 1) ? pb_factor_ratio(c, before[0], after[0], good) : NAN;
}

static const sweep_family pbtrf = {
  .op = &batched_pbtrf_op,
  .nflags = PB_FLAGS,
  .noperands = 1,
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
  .host_kinds = 1u << SWEEP_DENORMAL,
};

/* The pivots of NaN, minus infinity and 0 are reported, and the neighbours are right. */
static void test_special_pivots(void **unused)
{
  (void)unused;
  const double special[] = {__builtin_nan(""), -__builtin_inf(), 0.0, -0.0, -1e-300};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_pbtrf_op.variants[BATCHED_HOST]; v->name; v++) {
    batched_select(ctx, &batched_pbtrf_op, v->name);
    for (int i = 0; i < 5; i++) {
      double a[3][4] = {{4, 2, 5, 7}, {1, 0, special[i], 7}, {9, 3, 2, 7}};
      int info[3] = {7, 7, 7};
      assert_int_equal(batched_pbtrf(ctx, BATCHED_LOWER, 1, batched_strided(a[0], 2, 2, 2, 4, 3), info), 0);
      assert_true(info[0] == 0 && info[1] == 2 && info[2] == 0);
      assert_true(a[0][0] == 2 && a[0][1] == 1 && a[0][2] == 2 && a[0][3] == 7);
      assert_true(a[2][0] == 3 && a[2][1] == 1 && a[2][2] == 1 && a[2][3] == 7);
    }
  }
  batched_destroy(&ctx);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[16] = {0};
  int info[2];
  batched_matrix a = batched_strided(x, 2, 3, 2, 6, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_pbtrf(NULL, BATCHED_LOWER, 1, a, info), -1);
  assert_int_equal(batched_pbtrf(ctx, 5, 1, a, info), -2);
  assert_int_equal(batched_pbtrf(ctx, BATCHED_LOWER, -1, a, info), -3);
  assert_int_equal(batched_pbtrf(ctx, BATCHED_LOWER, 2, a, info), -4);
  assert_int_equal(batched_pbtrf(ctx, BATCHED_LOWER, 1, SWEEP_CHANGED(a, ld, 1), info), -4);
  assert_int_equal(batched_pbtrf(ctx, BATCHED_LOWER, 1, SWEEP_CHANGED(a, data, NULL), info), -4);
  assert_int_equal(batched_pbtrf(ctx, BATCHED_LOWER, 1, SWEEP_CHANGED(a, stride, 0), info), -4);
  assert_int_equal(batched_pbtrf(ctx, BATCHED_LOWER, 1, a, NULL), -5);
  assert_int_equal(batched_pbtrf(ctx, BATCHED_LOWER, 1, SWEEP_CHANGED(a, count, 0), NULL), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_special_pivots), cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &pbtrf, extra, 2);
}
