/* SPDX-License-Identifier: BSD-3-Clause
 *
 * x and y change places, bit by bit.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/products/element_case.h"

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = o[1] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  (void)i;
  sweep_general(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  (void)c;
  return batched_swap(ctx, x[0], x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  for (int64_t e = 0; e < (int64_t)c->m * c->n; e++)
    if (after[0].x[e] != before[1].x[e] || after[1].x[e] != before[0].x[e]) return NAN;
  return 0;
}

static const sweep_family swap = {
  .op = &batched_swap_op,
  .nflags = 1,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large,
  .limit = 3,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_DENORMAL,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double a[16] = {0}, v[16] = {0};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  batched_matrix x = batched_strided(a, 3, 2, 3, 6, 2), y = batched_strided(v, 3, 2, 3, 6, 2);
  assert_int_equal(batched_swap(NULL, x, y), -1);
  assert_int_equal(batched_swap(ctx, SWEEP_CHANGED(x, stride, 0), y), -2);
  assert_int_equal(batched_swap(ctx, x, SWEEP_CHANGED(y, stride, 0)), -3);
  assert_int_equal(batched_swap(ctx, x, SWEEP_CHANGED(y, n, 1)), -3);
  assert_int_equal(batched_swap(ctx, x, SWEEP_CHANGED(y, type, BATCHED_S)), -3);
  assert_int_equal(batched_swap(ctx, x, y), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &swap, extra, 1);
}
