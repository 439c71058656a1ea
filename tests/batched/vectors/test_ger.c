/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A + alpha x y^T and A + alpha x y^H, element by element in long double.
 *
 * flags: conjugated (2), x and y as rows or columns (4), three alphas
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/products/element_case.h"

static const batched_scalar alphas[] = {{1, 0}, {-0.7, 0.4}, {0, 0}};

static batched_scalar alpha_of(const sweep_case *c)
{
  return alphas[c->flags / 8];
}

static bool is_conjugated(const sweep_case *c)
{
  return c->flags % 2;
}

static sweep_operand vector(bool row, int length)
{
  return (sweep_operand){.role = SWEEP_IN,
                         .form = row ? SWEEP_ROW : SWEEP_COLUMN,
                         .shareable = true,
                         .m = row ? 1 : length,
                         .n = row ? length : 1};
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = vector(c->flags / 2 % 2, c->m);
  o[1] = vector(c->flags / 4 % 2, c->n);
  o[2] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

/* x and y are poison where alpha is 0. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  sweep_case other = *c;
  if (i < 2 && alpha_of(c).re == 0) return;
  if (i == 1 && c->kind == SWEEP_LARGE) other.kind = SWEEP_SMALL;
  if (i == 1 && c->kind == SWEEP_SMALL) other.kind = SWEEP_LARGE;
  if (i == 2) other.kind = SWEEP_RANDOM;
  sweep_general(&other, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  return batched_ger(ctx, is_conjugated(c) ? BATCHED_CONJ_TRANS : BATCHED_TRANS, alpha_of(c), x[0], x[1], x[2]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const wide alpha = sweep_wide(alpha_of(c), c->type);
  long double worst = 0;
  for (int j = 0; j < c->n; j++)
    for (int i = 0; i < c->m; i++) {
      const wide old = SWEEP_AT(before[2], i, j), y = before[1].x[j];
      const wide product = alpha == 0 ? 0 : alpha * before[0].x[i] * (is_conjugated(c) ? conjl(y) : y);
      const long double error = sweep_abs(SWEEP_AT(after[2], i, j) - (old + product));
      const long double size = sweep_abs(old) + 2 * sweep_abs(product);
      worst = sweep_larger(worst, error == 0 ? 0 : error / (2 * sweep_eps(c->type) * size));
    }
  return worst;
}

static const sweep_family ger = {
  .op = &batched_ger_op,
  .nflags = 24,
  .noperands = 3,
  .shapes = shapes,
  .large_shapes = large,
  .limit = 3,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO | 1u << SWEEP_GRADED,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double v[16] = {0}, w[16] = {0};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  const batched_matrix x = batched_strided(v, 3, 1, 3, 3, 2), y = batched_strided(v, 1, 2, 1, 2, 2);
  const batched_matrix a = batched_strided(w, 3, 2, 3, 6, 2);
  const batched_scalar one = batched_real(1);
#define GER(ctx, trans, x, y, a) batched_ger(ctx, trans, one, x, y, a)
  assert_int_equal(GER(NULL, BATCHED_TRANS, x, y, a), -1);
  assert_int_equal(GER(ctx, BATCHED_NO_TRANS, x, y, a), -2);
  assert_int_equal(GER(ctx, BATCHED_TRANS, a, y, a), -4);
  assert_int_equal(GER(ctx, BATCHED_TRANS, SWEEP_CHANGED(x, data, NULL), y, a), -4);
  assert_int_equal(GER(ctx, BATCHED_TRANS, x, a, a), -5);
  assert_int_equal(GER(ctx, BATCHED_TRANS, x, SWEEP_CHANGED(y, count, 1), a), -5);
  assert_int_equal(GER(ctx, BATCHED_TRANS, y, x, a), -6);
  assert_int_equal(GER(ctx, BATCHED_TRANS, x, y, SWEEP_CHANGED(a, stride, 0)), -6);
  assert_int_equal(GER(ctx, BATCHED_CONJ_TRANS, x, y, a), 0);
  assert_int_equal(batched_ger(ctx, BATCHED_TRANS, batched_real(0), SWEEP_CHANGED(x, data, NULL), y, a), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &ger, extra, 1);
}
