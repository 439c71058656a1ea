/* SPDX-License-Identifier: BSD-3-Clause
 *
 * y = y + alpha x, element by element; alpha = 0 touches nothing.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wcast-qual" /* a strict caller, whose x is const */
#include "batched/batched.h"
#pragma GCC diagnostic pop

#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/products/element_case.h"

static const batched_scalar alphas[] = {{-0.7, 0.4}, {0, 0}, {1, 0}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = c->m, .n = c->n, .shareable = true};
  o[1] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i > 0 || c->flags != 1) sweep_general(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  return batched_axpy(ctx, alphas[c->flags], x[0], x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  long double worst = 0;
  const sweep_dense y = after[1];
  for (int j = 0; j < y.n; j++)
    for (int i = 0; i < y.m; i++) {
      const wide alpha = sweep_wide(alphas[c->flags], c->type);
      const wide product = alpha == 0 ? 0 : alpha * SWEEP_AT(before[0], i, j), old = SWEEP_AT(before[1], i, j);
      const long double error = sweep_abs(SWEEP_AT(y, i, j) - old - product);
      const long double size = sweep_abs(old) + sweep_abs(product);
      const long double r = error == 0 ? 0 : error / (3 * sweep_eps(c->type) * size);
      worst = sweep_larger(worst, r);
    }
  return worst;
}

static const sweep_family axpy = {
  .op = &batched_axpy_op,
  .nflags = 3,
  .noperands = 2,
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
  double a[16] = {0}, v[16] = {0};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  batched_matrix x = batched_strided(a, 3, 2, 3, 6, 2), y = batched_strided(v, 3, 2, 3, 6, 2);
  const batched_scalar one = batched_real(1);
  assert_int_equal(batched_axpy(NULL, one, x, y), -1);
  x.data = NULL;
  assert_int_equal(batched_axpy(ctx, one, x, y), -3);
  assert_int_equal(batched_axpy(ctx, batched_real(0), x, y), 0);
  x.data = a;
  x.m = 2;
  assert_int_equal(batched_axpy(ctx, one, x, y), -4);
  x.m = 3;
  y.type = BATCHED_S;
  assert_int_equal(batched_axpy(ctx, one, x, y), -4);
  y.type = BATCHED_D;
  y.stride = 0;
  assert_int_equal(batched_axpy(ctx, one, x, y), -4);
  y.stride = 6;
  assert_int_equal(batched_axpy(ctx, one, x, y), 0);
  batched_destroy(&ctx);
}

/* Each operand has its increment, and x may be const: y[3 i] += 2 x[2 i], by every row, strided and by pointers. */
static void test_increments(void **unused)
{
  (void)unused;
  static const double x[2][8] = {{1, -1, 2, -1, 3, -1, 4, -1}, {5, -1, 6, -1, 7, -1, 8, -1}};
  const double *const px[2] = {x[0], x[1]};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_axpy_op.variants[BATCHED_HOST]; v->name; v++)
    for (int by_pointers = 0; by_pointers < 2; by_pointers++) {
      double y[2][12] = {{0}};
      const batched_matrix vx = by_pointers ? batched_array(px, 1, 4, 2, 2) : batched_strided(x[0], 1, 4, 2, 8, 2);
      assert_int_equal(batched_select(ctx, &batched_axpy_op, v->name), 0);
      assert_int_equal(batched_axpy(ctx, batched_real(2), vx, batched_strided(y[0], 1, 4, 3, 12, 2)), 0);
      for (int b = 0; b < 2; b++)
        for (int i = 0; i < 12; i++)
          if (y[b][i] != (i % 3 ? 0 : 2 * x[b][i / 3 * 2])) fail_msg("%s: y[%d] = %g", v->name, i, y[b][i]);
    }
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments), cmocka_unit_test(test_increments)};
  return sweep_main(argc, argv, &axpy, extra, 2);
}
