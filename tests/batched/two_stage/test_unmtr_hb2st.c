/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products with Q2 of hb2st: |result - op(Q2) C| / (order |C| eps), with the reflectors applied in more digits.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/condensed/q_product.h"
#include "tests/batched/two_stage/two_stage_case.h"

/* flags: side (2), trans (2), width (6) */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 3, 0},   {3, 3, 0},   {5, 4, 0},   {9, 7, 0},    {16, 16, 0},
  {17, 33, 0}, {33, 32, 0}, {48, 48, 0}, {65, 65, 0}, {20, 70, 0}, {129, 40, 0}, {-1},
};

static const int large_shapes[][3] = {{128, 128, 0}, {200, 60, 0}, {257, 257, 0}, {512, 64, 0}, {-1}};

static const int edge_shapes[][3] = {{641, 33, 0}, {1025, 20, 0}, {33, 770, 0}, {-1}};

static q_product product(const sweep_case *c)
{
  return q_product_of(c, 1);
}

static int width(const sweep_case *c)
{
  return two_stage_width(c->flags / 4);
}

static int order(const sweep_case *c)
{
  return product(c).order;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = order(c), .n = order(c), .shareable = true};
  o[1] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

/* What is not part of a reflector is poison. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  const int kd = width(c), n = order(c);
  for (int s = 0; i == 0 && s < n - 1; s++)
    for (int row = s + 1; row < n; row += kd) {
      const int length = least(kd, n - row);
      oracle_reflector(c, length, &SWEEP_AT(x, row, s), 1);
      SWEEP_AT(x, row, s) = oracle_tau(c, s + row, length);
    }
  if (i == 1) sweep_general(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  oracle_clear_info(ctx, c, info);
  return batched_unmtr_hb2st(ctx, q_side(product(c)), q_trans(product(c), c, 1), width(c), x[0], x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  if (c->m == 0 || c->n == 0) return 0;
  const sweep_dense x = sweep_new(c->m, c->n);
  for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) x.x[e] = before[1].x[e];
  two_stage_multiply_q2(width(c), before[0], product(c).left, product(c).adjoint, x);
  return oracle_distance(c, order(c), x, after[1]);
}

static const sweep_family unmtr_hb2st = {
  .op = &batched_unmtr_hb2st_op,
  .nflags = 4 * TWO_STAGE_WIDTHS,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[32] = {0};
  const batched_side left = BATCHED_LEFT;
  const batched_trans plain = BATCHED_NO_TRANS;
  const batched_matrix v = batched_strided(x, 3, 3, 3, 9, 1);
  const batched_matrix c = batched_strided(x + 16, 3, 2, 3, 6, 1);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_unmtr_hb2st(NULL, left, plain, 1, v, c), -1);
  assert_int_equal(batched_unmtr_hb2st(ctx, 2, plain, 1, v, c), -2);
  assert_int_equal(batched_unmtr_hb2st(ctx, left, 3, 1, v, c), -3);
  assert_int_equal(batched_unmtr_hb2st(ctx, left, plain, -1, v, c), -4);
  assert_int_equal(batched_unmtr_hb2st(ctx, left, plain, 1, BAD(v, m, 2), c), -5);
  assert_int_equal(batched_unmtr_hb2st(ctx, BATCHED_RIGHT, plain, 1, v, c), -6);
  assert_int_equal(batched_unmtr_hb2st(ctx, left, plain, 1, v, c), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &unmtr_hb2st, extra, 1);
}
