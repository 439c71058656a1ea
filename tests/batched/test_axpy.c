/* SPDX-License-Identifier: BSD-3-Clause
 *
 * y = y + alpha x, element by element; alpha = 0 touches nothing.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "sweep.h"

static const batched_scalar alphas[] = {{-0.7, 0.4}, {0, 0}, {1, 0}};

static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},  {5, 4, 0},   {0, 3, 0},   {3, 0, 0},   {7, 8, 0},   {9, 9, 0},
  {16, 15, 0}, {17, 31, 0}, {33, 16, 0}, {48, 5, 0}, {65, 33, 0}, {3, 130, 0}, {129, 2, 0}, {64, 81, 0}, {-1},
};
static const int large[][3] = {{100, 100, 0}, {128, 129, 0}, {400, 33, 0}, {5000, 1, 0},
                               {1, 5000, 0},  {600, 500, 0}, {-1}};

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
  for (int64_t b = 0; info && batched_get_space(ctx) == BATCHED_HOST && b < c->count; b++) info[b] = 0;
  return batched_axpy(ctx, alphas[c->flags], x[0], x[1]);
}

static long double larger(long double worst, long double r)
{
  return r <= worst ? worst : r;
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  (void)before;
  long double worst = 0;
  const sweep_dense y = after[1];
  for (int j = 0; j < y.n; j++)
    for (int i = 0; i < y.m; i++) {
      const wide alpha = sweep_wide(alphas[c->flags], c->type);
      const wide product = alpha == 0 ? 0 : alpha * SWEEP_AT(before[0], i, j), old = SWEEP_AT(before[1], i, j);
      const long double error = sweep_abs(SWEEP_AT(y, i, j) - old - product);
      const long double size = sweep_abs(old) + sweep_abs(product);
      worst = larger(worst, error == 0 ? 0 : error / (3 * sweep_eps(c->type) * size));
    }
  return worst;
}

static const sweep_family axpy = {
  .op = &batched_axpy_op,
  .nflags = 3,
  .noperands = 2,
  .shapes = shapes,
  .gpu_shapes = large,
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

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &axpy, extra, 1);
}
