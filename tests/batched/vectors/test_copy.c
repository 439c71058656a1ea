/* SPDX-License-Identifier: BSD-3-Clause
 *
 * y = x, bit by bit, in whole matrices and in triangles.
 *
 * flags: whole, lower, upper
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/products/element_case.h"

static batched_region region(const sweep_case *c)
{
  return (batched_region)c->flags;
}

static bool is_wanted(const sweep_case *c, int i, int j)
{
  return i >= batched_region_first(region(c), j, c->m) && i < batched_region_end(region(c), j, c->m);
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = c->m, .n = c->n, .shareable = true};
  o[1] = (sweep_operand){.role = region(c) == BATCHED_WHOLE ? SWEEP_OUT : SWEEP_INOUT, .m = c->m, .n = c->n};
}

/* What is not copied is poison in x, and 7 in y; the rest of y is poison. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  sweep_dense all = i == 0 ? sweep_new(x.m, x.n) : x;
  if (i == 0) sweep_general(c, all);
  for (int j = 0; j < x.n; j++)
    for (int r = 0; r < x.m; r++) {
      if (i == 0 && is_wanted(c, r, j)) SWEEP_AT(x, r, j) = SWEEP_AT(all, r, j);
      if (i == 1 && !is_wanted(c, r, j)) SWEEP_AT(x, r, j) = 7;
    }
}

static bool fills(const sweep_case *c, int i, int row, int col)
{
  return i == 1 && is_wanted(c, row, col);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  if (region(c) == BATCHED_WHOLE) return batched_copy(ctx, x[0], x[1]);
  return batched_copy_triangle(ctx, region(c) == BATCHED_LOWER_TRIANGLE ? BATCHED_LOWER : BATCHED_UPPER, x[0], x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const sweep_dense y = after[1];
  for (int j = 0; j < y.n; j++)
    for (int i = 0; i < y.m; i++) {
      if (SWEEP_AT(y, i, j) != (is_wanted(c, i, j) ? SWEEP_AT(before[0], i, j) : 7)) return NAN;
    }
  return 0;
}

static const sweep_family copy = {
  .op = &batched_copy_op,
  .nflags = 3,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large,
  .limit = 3,
  .operands = operands,
  .fill = fill,
  .fills = fills,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO | 1u << SWEEP_DENORMAL,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double a[16] = {0}, v[16] = {0};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  batched_matrix x = batched_strided(a, 3, 2, 3, 6, 2), y = batched_strided(v, 3, 2, 3, 6, 2);
  assert_int_equal(batched_copy(NULL, x, y), -1);
  assert_int_equal(batched_copy_triangle(NULL, BATCHED_LOWER, x, y), -1);
  assert_int_equal(batched_copy_triangle(ctx, 2, x, y), -2);
  assert_int_equal(batched_copy_triangle(ctx, BATCHED_UPPER, SWEEP_CHANGED(x, data, NULL), y), -3);
  assert_int_equal(batched_copy_triangle(ctx, BATCHED_UPPER, x, SWEEP_CHANGED(y, n, 1)), -4);
  x.data = NULL;
  assert_int_equal(batched_copy(ctx, x, y), -2);
  x.data = a;
  x.n = 1;
  assert_int_equal(batched_copy(ctx, x, y), -3);
  x.n = 2;
  y.count = 1;
  assert_int_equal(batched_copy(ctx, x, y), -3);
  y.count = 2;
  assert_int_equal(batched_copy(ctx, x, y), 0);
  x.m = y.m = 0;
  assert_int_equal(batched_copy(ctx, x, y), 0);
  x.ld = 0; // at least 1, also of empty matrices
  assert_int_equal(batched_copy(ctx, x, y), -2);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &copy, extra, 1);
}
