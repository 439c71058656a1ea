/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Solves with LU factors of band matrices: |op(A) X - B| / (n |A| |X| eps), A what the factors stand for.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/band/gb_factors.h"

/* flags: trans (3), widths.  m: order, n: right-hand sides. */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},  {3, 1, 0},  {3, 0, 0},  {0, 2, 0},  {4, 5, 0},  {5, 4, 0},
  {7, 1, 0},   {8, 1, 0},   {8, 8, 0},  {9, 7, 0},  {15, 3, 0}, {16, 2, 0}, {17, 9, 0}, {31, 1, 0},
  {32, 17, 0}, {33, 35, 0}, {48, 2, 0}, {64, 1, 0}, {65, 3, 0}, {-1},
};
static const int large_shapes[][3] = {{100, 1, 0}, {127, 3, 0}, {129, 10, 0}, {200, 1, 0},
                                      {257, 2, 0}, {150, 4, 0}, {512, 1, 0},  {-1}};

static batched_trans trans(const sweep_case *c)
{
  return (batched_trans)(c->flags % 3);
}

static band_widths widths(const sweep_case *c)
{
  return band_widths_of(c->flags / 3, c->m, c->m);
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  const band_widths w = widths(c);
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = 2 * w.kl + w.ku + 1 + c->flags % 2, .n = c->m, .shareable = true};
  o[1] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

static void extents(const sweep_case *c, int *out)
{
  const band_widths w = widths(c);
  out[0] = w.kl, out[1] = w.ku;
}

static int npivots(const sweep_case *c)
{
  return c->m;
}

static void fill_pivots(const sweep_case *c, int *pivots)
{
  gb_fill_pivots(c, widths(c), c->m, pivots);
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0) {
    gb_fill_factors(c, widths(c), x);
    return;
  }
  if (!sweep_is_hard(c->kind)) {
    band_random(c, x);
    return;
  }
  int *pivots = calloc((size_t)c->m + 1, sizeof *pivots);
  fill_pivots(c, pivots);
  sweep_right_hand_side(c->type, trans(c), band_product(c->m, widths(c), sweep_first_operand(c), pivots), x);
  free(pivots);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  const band_widths w = widths(c);
  (void)info;
  if (!c->extents[0]) return batched_gbtrs(ctx, trans(c), w.kl, w.ku, x[0], c->pivots, x[1]);
  return batched_gbtrs_variable(ctx, trans(c), band_extent(c, 0, w.kl), band_extent(c, 1, w.ku), x[0], c->pivots, x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  if (c->m == 0 || c->n == 0) return 0;
  if (gb_zero_of(c, c->m) >= 0) return sweep_is_finite(after[1]) ? NAN : 0;
  const sweep_dense a = band_product(c->m, widths(c), before[0], c->pivots);
  return band_residual(c, trans(c), a, after[1], before[1]);
}

static const sweep_family gbtrs = {
  .op = &batched_gbtrs_op,
  .nflags = 3 * BAND_WIDTHS,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .quick = 200,
  .limit = 30,
  .operands = operands,
  .nextents = 2,
  .extents = extents,
  .fill = fill,
  .pivots = npivots,
  .fill_pivots = fill_pivots,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_IDENTITY | 1u << SWEEP_DIAGONAL |
           1u << SWEEP_BAD | 1u << SWEEP_ILL | SWEEP_CONDITIONS,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[16] = {0}, y[16] = {0};
  int ipiv[4] = {1, 2, 1, 2};
  batched_matrix a = batched_strided(x, 4, 2, 4, 8, 2), b = batched_strided(y, 2, 3, 2, 6, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_gbtrs(NULL, BATCHED_TRANS, 1, 1, a, ipiv, b), -1);
  assert_int_equal(batched_gbtrs(ctx, 3, 1, 1, a, ipiv, b), -2);
  assert_int_equal(batched_gbtrs(ctx, BATCHED_TRANS, -1, 1, a, ipiv, b), -3);
  assert_int_equal(batched_gbtrs(ctx, BATCHED_TRANS, 1, -1, a, ipiv, b), -4);
  assert_int_equal(batched_gbtrs(ctx, BATCHED_TRANS, 2, 1, a, ipiv, b), -5);
  assert_int_equal(batched_gbtrs(ctx, BATCHED_TRANS, 1, 1, a, NULL, b), -6);
  assert_int_equal(batched_gbtrs(ctx, BATCHED_TRANS, 1, 1, a, ipiv, SWEEP_CHANGED(b, m, 1)), -7);
  assert_int_equal(batched_gbtrs(ctx, BATCHED_TRANS, 1, 1, a, ipiv, SWEEP_CHANGED(b, stride, 0)), -7);
  assert_int_equal(batched_gbtrs(ctx, BATCHED_TRANS, 1, 1, a, ipiv, SWEEP_CHANGED(b, type, BATCHED_S)), -7);
  assert_int_equal(batched_gbtrs(ctx, BATCHED_TRANS, 1, 1, SWEEP_CHANGED(a, data, NULL), NULL, SWEEP_CHANGED(b, n, 0)),
                   0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &gbtrs, extra, 1);
}
