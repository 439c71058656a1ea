/* SPDX-License-Identifier: BSD-3-Clause
 *
 * y = x, bit by bit.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/products/element_case.h"

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = c->m, .n = c->n, .shareable = true};
  o[1] = (sweep_operand){.role = SWEEP_OUT, .m = c->m, .n = c->n};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0) sweep_general(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  (void)c;
  return batched_copy(ctx, x[0], x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  (void)c;
  const sweep_dense y = after[1];
  for (int j = 0; j < y.n; j++)
    for (int i = 0; i < y.m; i++) {
      if (SWEEP_AT(y, i, j) != SWEEP_AT(before[0], i, j)) return NAN;
    }
  return 0;
}

static const sweep_family copy = {
  .op = &batched_copy_op,
  .nflags = 1,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large,
  .limit = 3,
  .operands = operands,
  .fill = fill,
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
