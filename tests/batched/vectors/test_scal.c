/* SPDX-License-Identifier: BSD-3-Clause
 *
 * x = alpha x, element by element; alpha = 0 does not read x.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/products/element_case.h"

static const batched_scalar alphas[] = {{-0.7, 0.4}, {0, 0}, {2, 0}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  (void)i;
  sweep_general(c, x);
  if (c->flags == 1)
    for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) x.x[e] = __builtin_nanl("");
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  return batched_scal(ctx, alphas[c->flags], x[0]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  long double worst = 0;
  const sweep_dense y = after[0];
  for (int j = 0; j < y.n; j++)
    for (int i = 0; i < y.m; i++) {
      const wide alpha = sweep_wide(alphas[c->flags], c->type);
      const wide exact = alpha == 0 ? 0 : alpha * SWEEP_AT(before[0], i, j);
      const long double error = sweep_abs(SWEEP_AT(y, i, j) - exact), size = sweep_abs(exact);
      const long double r = error == 0 ? 0 : error / (3 * sweep_eps(c->type) * size);
      worst = sweep_larger(worst, r);
    }
  return worst;
}

static const sweep_family scal = {
  .op = &batched_scal_op,
  .nflags = 3,
  .noperands = 1,
  .shapes = shapes,
  .large_shapes = large,
  .limit = 3,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double v[16] = {0};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  batched_matrix x = batched_strided(v, 3, 2, 3, 6, 2);
  assert_int_equal(batched_scal(NULL, batched_real(1), x), -1);
  x.ld = 2;
  assert_int_equal(batched_scal(ctx, batched_real(1), x), -3);
  x.ld = 3;
  x.stride = 0;
  assert_int_equal(batched_scal(ctx, batched_real(1), x), -3);
  x.stride = 6;
  assert_int_equal(batched_scal(ctx, batched_real(1), x), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &scal, extra, 1);
}
