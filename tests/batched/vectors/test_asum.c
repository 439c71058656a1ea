/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums of |re| + |im| in long double.
 *
 * flags: rows or columns
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/vectors/vector_case.h"

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = vector(c->flags, c->m);
  o[1] = (sweep_operand){.role = SWEEP_OUT, .real = true, .m = 1, .n = 1};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0) sweep_general(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  /* Vectors may be nowhere if they are empty, but not the number that is theirs. */
  if (c->m == 0 && !x[1].data && !x[1].array) return BATCHED_SUCCESS;
  return batched_asum(ctx, x[0], x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  long double exact = 0;
  for (int i = 0; i < c->m; i++) exact += fabsl(creall(before[0].x[i])) + fabsl(cimagl(before[0].x[i]));
  const long double error = sweep_abs(after[1].x[0] - exact);
  return error == 0 ? 0 : error / ((c->m + 2) * sweep_unit(c, exact));
}

static const sweep_family asum = {
  .op = &batched_asum_op,
  .nflags = 2,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large,
  .limit = 3,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO | 1u << SWEEP_GRADED |
           1u << SWEEP_DENORMAL,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double a[16] = {0}, v[16] = {0};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  const batched_matrix x = batched_strided(a, 3, 1, 3, 3, 2), r = batched_strided(v, 1, 1, 1, 1, 2);
  assert_int_equal(batched_asum(NULL, x, r), -1);
  assert_int_equal(batched_asum(ctx, SWEEP_CHANGED(x, n, 2), r), -2);
  assert_int_equal(batched_asum(ctx, x, SWEEP_CHANGED(r, type, BATCHED_S)), -3);
  assert_int_equal(batched_asum(ctx, x, SWEEP_CHANGED(r, stride, 0)), -3);
  assert_int_equal(batched_asum(ctx, x, r), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &asum, extra, 1);
}
