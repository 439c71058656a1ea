/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A number on the diagonal, another one elsewhere, in whole matrices and in triangles.
 *
 * flags: diagonal as elsewhere (2), whole, lower, upper (3)
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/products/element_case.h"

static const batched_scalar off = {0.25, -3}, diag = {2, 5};

static batched_region region(const sweep_case *c)
{
  return (batched_region)(c->flags / 2);
}

static bool is_wanted(const sweep_case *c, int i, int j)
{
  return i >= batched_region_first(region(c), j, c->m) && i < batched_region_end(region(c), j, c->m);
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = region(c) == BATCHED_WHOLE ? SWEEP_OUT : SWEEP_INOUT, .m = c->m, .n = c->n};
}

/* All that is written was poison before. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  (void)i;
  for (int j = 0; j < x.n; j++)
    for (int r = 0; r < x.m; r++)
      if (!is_wanted(c, r, j)) SWEEP_AT(x, r, j) = 7;
}

static bool fills(const sweep_case *c, int i, int row, int col)
{
  (void)i;
  return is_wanted(c, row, col);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  const batched_scalar on = c->flags % 2 ? off : diag;
  if (region(c) == BATCHED_WHOLE) return batched_set(ctx, off, on, x[0]);
  return batched_set_triangle(ctx, region(c) == BATCHED_LOWER_TRIANGLE ? BATCHED_LOWER : BATCHED_UPPER, off, on, x[0]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  (void)before;
  const sweep_dense y = after[0];
  for (int j = 0; j < y.n; j++)
    for (int i = 0; i < y.m; i++) {
      const wide written = sweep_wide(i == j && c->flags % 2 == 0 ? diag : off, c->type);
      if (SWEEP_AT(y, i, j) != (is_wanted(c, i, j) ? written : 7)) return NAN;
    }
  return 0;
}

static const sweep_family set = {
  .op = &batched_set_op,
  .nflags = 6,
  .noperands = 1,
  .shapes = shapes,
  .large_shapes = large,
  .limit = 3,
  .operands = operands,
  .fill = fill,
  .fills = fills,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double v[16] = {0};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  batched_matrix x = batched_strided(v, 3, 2, 3, 6, 2);
  assert_int_equal(batched_set(NULL, off, diag, x), -1);
  x.stride = 0;
  assert_int_equal(batched_set(ctx, off, diag, x), -4);
  assert_int_equal(batched_set_triangle(NULL, BATCHED_LOWER, off, diag, x), -1);
  assert_int_equal(batched_set_triangle(ctx, 2, off, diag, x), -2);
  assert_int_equal(batched_set_triangle(ctx, BATCHED_LOWER, off, diag, x), -5);
  x.stride = 6;
  assert_int_equal(batched_set(ctx, off, diag, x), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &set, extra, 1);
}
