/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Systems of equations with band matrices: |A X - B| / (n |A| |X| eps), the factors, and B as it was where A is
 * singular.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/band/band_case.h"

/* flags: widths.  m: order, n: right-hand sides. */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},  {2, 2, 0},   {3, 1, 0},  {3, 0, 0},  {0, 2, 0},  {4, 5, 0},
  {5, 4, 0},   {8, 1, 0},  {9, 7, 0},   {15, 3, 0}, {17, 9, 0}, {31, 1, 0}, {32, 32, 0},
  {33, 35, 0}, {48, 2, 0}, {65, 10, 0}, {64, 1, 0}, {-1},
};
static const int large_shapes[][3] = {{100, 1, 0}, {127, 10, 0}, {129, 4, 0}, {200, 3, 0},
                                      {257, 1, 0}, {150, 17, 0}, {512, 1, 0}, {-1}};

static band_widths widths(const sweep_case *c)
{
  return band_widths_of(c->flags, c->m, c->m);
}

static band_layout layout(const sweep_case *c)
{
  const band_widths w = widths(c);
  return (band_layout){c->m, w.kl, w.ku, w.kl + w.ku};
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  const band_widths w = widths(c);
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = 2 * w.kl + w.ku + 1 + c->flags % 2, .n = c->m};
  o[1] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

static void extents(const sweep_case *c, int *out)
{
  const band_widths w = widths(c);
  out[0] = w.kl, out[1] = w.ku;
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0) {
    const sweep_dense a = band_dense(c, c->m, c->m);
    band_strengthen(c, widths(c), a);
    band_store(layout(c), a, x);
  } else if (sweep_is_hard(c->kind)) {
    sweep_right_hand_side(c->type, BATCHED_NO_TRANS, band_load(layout(c), sweep_first_operand(c)), x);
  } else {
    band_random(c, x);
  }
}

static bool fills(const sweep_case *c, int operand, int row, int col)
{
  const band_widths w = widths(c);
  const int i = row - w.kl - w.ku + col;
  return operand == 0 && row < w.kl && i >= 0 && i < c->m;
}

static int npivots(const sweep_case *c)
{
  return c->m;
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  const band_widths w = widths(c);
  if (!c->extents[0]) return batched_gbsv(ctx, w.kl, w.ku, x[0], c->pivots, x[1], info);
  return batched_gbsv_variable(ctx, band_extent(c, 0, w.kl), band_extent(c, 1, w.ku), x[0], c->pivots, x[1], info);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  if (c->kind == SWEEP_BAD && c->m > 0)
    return band_same(before[1], after[1]) && info == band_bad_column(c->flags, c->m) + 1 ? 0 : NAN;
  if (info != 0) return NAN;
  const sweep_dense a = band_load(layout(c), before[0]), product = band_product(c->m, widths(c), after[0], c->pivots);
  const long double solved = band_residual(c, BATCHED_NO_TRANS, a, after[1], before[1]);
  for (int64_t e = 0; e < (int64_t)c->m * c->m; e++) product.x[e] -= a.x[e];
  const long double error = sweep_norm(product),
                    factored = error == 0 ? 0 : error / (c->m * sweep_unit(c, sweep_norm(a)));
  return sweep_larger(solved, factored);
}

static const sweep_family gbsv = {
  .op = &batched_gbsv_op,
  .nflags = BAND_WIDTHS,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .quick = 200,
  .limit = 30,
  .operands = operands,
  .nextents = 2,
  .extents = extents,
  .fill = fill,
  .fills = fills,
  .pivots = npivots,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_IDENTITY | 1u << SWEEP_DIAGONAL |
           1u << SWEEP_GRADED | 1u << SWEEP_BAD | 1u << SWEEP_ILL | SWEEP_CONDITIONS,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[16] = {0}, y[16] = {0};
  int ipiv[4], info[2];
  batched_matrix a = batched_strided(x, 4, 2, 4, 8, 2), b = batched_strided(y, 2, 3, 2, 6, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_gbsv(NULL, 1, 1, a, ipiv, b, info), -1);
  assert_int_equal(batched_gbsv(ctx, -1, 1, a, ipiv, b, info), -2);
  assert_int_equal(batched_gbsv(ctx, 1, -1, a, ipiv, b, info), -3);
  assert_int_equal(batched_gbsv(ctx, 1, 2, a, ipiv, b, info), -4);
  assert_int_equal(batched_gbsv(ctx, 1, 1, SWEEP_CHANGED(a, stride, 0), ipiv, b, info), -4);
  assert_int_equal(batched_gbsv(ctx, 1, 1, a, NULL, b, info), -5);
  assert_int_equal(batched_gbsv(ctx, 1, 1, a, ipiv, SWEEP_CHANGED(b, m, 1), info), -6);
  assert_int_equal(batched_gbsv(ctx, 1, 1, a, ipiv, SWEEP_CHANGED(b, stride, 0), info), -6);
  assert_int_equal(batched_gbsv(ctx, 1, 1, a, ipiv, b, NULL), -7);
  assert_int_equal(batched_gbsv(ctx, 1, 1, SWEEP_CHANGED(a, count, 0), NULL, SWEEP_CHANGED(b, count, 0), NULL), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &gbsv, extra, 1);
}
