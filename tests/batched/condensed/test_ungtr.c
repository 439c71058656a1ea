/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Q of hetrd: |result - Q| / (n eps), with the reflectors applied in more digits.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/condensed/condensed_oracle.h"

/* flags: uplo (2), tau as a row (2) */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {4, 4, 0},   {5, 5, 0},   {8, 8, 0},   {9, 9, 0},     {16, 16, 0},
  {17, 17, 0}, {32, 32, 0}, {33, 33, 0}, {48, 48, 0}, {64, 64, 0}, {65, 65, 0}, {66, 66, 0}, {100, 100, 0}, {-1},
};

static const int large_shapes[][3] = {{127, 127, 0}, {129, 129, 0}, {200, 200, 0}, {256, 256, 0},
                                      {257, 257, 0}, {400, 400, 0}, {-1}};

static bool upper(const sweep_case *c)
{
  return c->flags % 2;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->m};
  o[1] = oracle_vector(SWEEP_IN, most(c->m - 1, 0), c->flags / 2);
}

/* What is not part of a reflector is a NaN. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  for (int64_t e = 0; i == 0 && e < (int64_t)x.m * x.n; e++) x.x[e] = NAN;
  for (int h = 0; h < c->m - 1; h++) {
    const int length = upper(c) ? h + 1 : c->m - 1 - h;
    if (i == 0)
      oracle_reflector(c, length, upper(c) ? &SWEEP_AT(x, h, h + 1) : &SWEEP_AT(x, h + 1, h), upper(c) ? -1 : 1);
    if (i == 1) x.x[h] = oracle_tau(c, h, length);
  }
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  oracle_clear_info(ctx, c, info);
  return batched_ungtr(ctx, upper(c) ? BATCHED_UPPER : BATCHED_LOWER, x[0], x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  if (c->m == 0) return 0;
  sweep_dense x = sweep_new(c->m, c->m);
  for (int i = 0; i < c->m; i++) SWEEP_AT(x, i, i) = 1;
  const oracle_q q = oracle_hetrd(upper(c), c->m, before[0], before[1]);
  oracle_multiply(q, true, false, x);
  return oracle_distance(c, c->m, x, after[0]);
}

static const sweep_family ungtr = {
  .op = &batched_ungtr_op,
  .nflags = 4,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .square = true,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[16] = {0};
  batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2), tau = batched_strided(x + 12, 1, 1, 1, 1, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_ungtr(NULL, BATCHED_LOWER, a, tau), -1);
  assert_int_equal(batched_ungtr(ctx, 2, a, tau), -2);
  assert_int_equal(batched_ungtr(ctx, BATCHED_LOWER, BAD(a, m, 1), tau), -3);
  assert_int_equal(batched_ungtr(ctx, BATCHED_LOWER, BAD(a, stride, 0), tau), -3);
  assert_int_equal(batched_ungtr(ctx, BATCHED_LOWER, a, BAD(tau, m, 0)), -4);
  assert_int_equal(batched_ungtr(ctx, BATCHED_LOWER, a, BAD(tau, data, NULL)), -4);
  assert_int_equal(batched_ungtr(ctx, BATCHED_UPPER, a, tau), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &ungtr, extra, 1);
}
