/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The band of a dense matrix in LAPACK's storage, bit by bit; what is outside of it may be anything.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/band/band_case.h"

/* flags: widths */
static const int shapes[][3] = {{0, 0, 0}, {1, 1, 0}, {2, 2, 0},   {3, 3, 0},   {5, 4, 0},   {0, 3, 0},   {3, 0, 0},
                                {7, 8, 0}, {9, 9, 0}, {17, 31, 0}, {33, 16, 0}, {32, 32, 0}, {65, 33, 0}, {-1}};
static const int large_shapes[][3] = {{128, 256, 0}, {200, 100, 0}, {300, 300, 0}, {-1}};

static band_widths widths(const sweep_case *c)
{
  return band_widths_of(c->flags, c->m, c->n);
}

static band_layout layout(const sweep_case *c)
{
  const band_widths w = widths(c);
  return (band_layout){c->m, w.kl, w.ku, w.ku};
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  const band_widths w = widths(c);
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = c->m, .n = c->n, .shareable = true};
  o[1] = (sweep_operand){.role = SWEEP_OUT, .m = w.kl + w.ku + 1 + c->flags % 2, .n = c->n};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  for (int64_t e = 0; i == 0 && e < (int64_t)x.m * x.n; e++)
    if (band_has(layout(c), (int)(e % x.m), (int)(e / x.m))) x.x[e] = (float)sweep_uniform();
}

static bool fills(const sweep_case *c, int i, int row, int col)
{
  const band_layout l = layout(c);
  return i == 1 && row <= l.kl + l.ku && band_has(l, row - l.zero + col, col);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const band_layout l = layout(c);
  (void)info;
  for (int j = 0; j < c->n; j++)
    for (int i = 0; i < c->m; i++)
      if (band_has(l, i, j) && BAND_AT(after[1], l, i, j) != SWEEP_AT(before[0], i, j)) return NAN;
  return 0;
}

static void extents(const sweep_case *c, int *out)
{
  const band_widths w = widths(c);
  out[0] = w.kl, out[1] = w.ku;
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  const band_widths w = widths(c);
  (void)info;
  if (!c->extents[0]) return batched_pack_band(ctx, w.kl, w.ku, x[0], x[1]);
  return batched_pack_band_variable(ctx, band_extent(c, 0, w.kl), band_extent(c, 1, w.ku), x[0], x[1]);
}

static const sweep_family pack_band = {
  .op = &batched_pack_band_op,
  .nflags = BAND_WIDTHS,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 0,
  .operands = operands,
  .nextents = 2,
  .extents = extents,
  .fill = fill,
  .fills = fills,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[32] = {0}, y[32] = {0};
  batched_matrix a = batched_strided(x, 4, 3, 4, 12, 2), b = batched_strided(y, 3, 3, 3, 9, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_pack_band(NULL, 1, 1, a, b), -1);
  assert_int_equal(batched_pack_band(ctx, -1, 1, a, b), -2);
  assert_int_equal(batched_pack_band(ctx, 1, -1, a, b), -3);
  assert_int_equal(batched_pack_band(ctx, 1, 1, SWEEP_CHANGED(a, data, NULL), b), -4);
  assert_int_equal(batched_pack_band(ctx, 2, 1, a, b), -5);
  assert_int_equal(batched_pack_band(ctx, 1, 1, a, SWEEP_CHANGED(b, n, 2)), -5);
  assert_int_equal(batched_pack_band(ctx, 1, 1, a, SWEEP_CHANGED(b, stride, 0)), -5);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &pack_band, extra, 1);
}
