/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Solves with triangular band matrices: |op(A) x - b| / (n |A| |x| eps); a zero on the diagonal shows in x.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/band/band_case.h"

/* flags: uplo (2), diag (2), trans (3), width; the vector as a column or a row by the width */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {4, 4, 0},   {5, 5, 0},   {7, 7, 0},
  {8, 8, 0},   {9, 9, 0},   {15, 15, 0}, {16, 16, 0}, {17, 17, 0}, {31, 31, 0}, {32, 32, 0},
  {33, 33, 0}, {48, 48, 0}, {63, 63, 0}, {65, 65, 0}, {-1},
};
static const int large_shapes[][3] = {{100, 100, 0}, {127, 127, 0}, {129, 129, 0}, {200, 200, 0},
                                      {257, 257, 0}, {150, 150, 0}, {512, 512, 0}, {-1}};

static bool is_upper(const sweep_case *c)
{
  return c->flags % 2;
}

static bool is_unit(const sweep_case *c)
{
  return c->flags / 2 % 2;
}

static batched_trans trans(const sweep_case *c)
{
  return (batched_trans)(c->flags / 4 % 3);
}

static int depth(const sweep_case *c)
{
  return band_depth_of(c->flags / 12, c->m);
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  const bool row = c->flags / 12 % 2;
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = depth(c) + 1 + c->flags % 2, .n = c->m, .shareable = true};
  o[1] = (sweep_operand){
    .role = SWEEP_INOUT, .form = row ? SWEEP_ROW : SWEEP_COLUMN, .m = row ? 1 : c->m, .n = row ? c->m : 1};
}

static void extents(const sweep_case *c, int *out)
{
  out[0] = depth(c);
}

static band_layout layout(const sweep_case *c)
{
  const int kd = depth(c);
  return is_upper(c) ? (band_layout){c->m, 0, kd, kd} : (band_layout){c->m, kd, 0, 0};
}

/* The zero on the diagonal of a BAD matrix, counted from 0; -1: none. */
static int zero_of(const sweep_case *c)
{
  return c->kind == SWEEP_BAD && !is_unit(c) ? 2 * (c->m - 1) / 3 : -1;
}

static wide element(const sweep_case *c, int i, int j)
{
  if (i == j && is_unit(c)) return __builtin_nanl("");
  if (i == j && zero_of(c) == i) return 0;
  if (c->kind == SWEEP_IDENTITY) return i == j;
  const long double size = (is_unit(c) ? 1 : sweep_scale(c)) * band_grade(c, i, c->m);
  return i == j ? size * (1.5L + sweep_uniform() + 0.1L * depth(c))
                : size * sweep_number(c->type) / (is_unit(c) ? depth(c) + 1 : 1);
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 1) {
    band_random(c, x);
    return;
  }
  const band_layout l = layout(c);
  for (int j = 0; j < c->m; j++)
    for (int r = 0; r < c->m; r++)
      if (band_has(l, r, j)) BAND_AT(x, l, r, j) = element(c, r, j);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  const batched_uplo uplo = is_upper(c) ? BATCHED_UPPER : BATCHED_LOWER;
  const batched_diag diag = is_unit(c) ? BATCHED_UNIT : BATCHED_NON_UNIT;
  (void)info;
  if (!c->extents[0]) return batched_tbsv(ctx, uplo, trans(c), diag, depth(c), x[0], x[1]);
  return batched_tbsv_variable(ctx, uplo, trans(c), diag, band_extent(c, 0, depth(c)), x[0], x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  if (c->m == 0) return 0;
  if (zero_of(c) >= 0) return sweep_is_finite(after[1]) ? NAN : 0;
  const sweep_dense a = band_load(layout(c), before[0]);
  for (int i = 0; is_unit(c) && i < c->m; i++) SWEEP_AT(a, i, i) = 1;
  return band_residual(c, trans(c), a, (sweep_dense){c->m, 1, after[1].x}, (sweep_dense){c->m, 1, before[1].x});
}

static const sweep_family tbsv = {
  .op = &batched_tbsv_op,
  .nflags = 12 * BAND_DEPTHS,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .square = true,
  .operands = operands,
  .nextents = 1,
  .extents = extents,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_IDENTITY | 1u << SWEEP_BAD |
           SWEEP_CONDITIONS,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[32] = {0};
  batched_matrix a = batched_strided(x, 2, 3, 2, 6, 2), v = batched_strided(x + 16, 3, 1, 3, 3, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_tbsv(NULL, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, 1, a, v), -1);
  assert_int_equal(batched_tbsv(ctx, 2, BATCHED_TRANS, BATCHED_UNIT, 1, a, v), -2);
  assert_int_equal(batched_tbsv(ctx, BATCHED_LOWER, 3, BATCHED_UNIT, 1, a, v), -3);
  assert_int_equal(batched_tbsv(ctx, BATCHED_LOWER, BATCHED_TRANS, 2, 1, a, v), -4);
  assert_int_equal(batched_tbsv(ctx, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, -1, a, v), -5);
  assert_int_equal(batched_tbsv(ctx, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, 2, a, v), -6);
  assert_int_equal(batched_tbsv(ctx, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, 1, a, SWEEP_CHANGED(v, m, 2)), -7);
  assert_int_equal(batched_tbsv(ctx, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, 1, a, SWEEP_CHANGED(v, stride, 0)),
                   -7);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &tbsv, extra, 1);
}
