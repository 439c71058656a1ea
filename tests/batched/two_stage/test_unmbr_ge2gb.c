/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products with Q1 and P1 of ge2gb: |result - op(Q1) C| / (order |C| eps), with the reflectors applied in more digits.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "batched/batched_two_stage.h"
#include "tests/batched/condensed/q_product.h"
#include "tests/batched/two_stage/two_stage_case.h"

/* C is m x n, the other side of the reduced matrix k; flags: Q or P (2), side (2), trans (2), width (6) */
static const int shapes[][3] = {
  {0, 0, 0},    {1, 1, 1},    {2, 3, 1},    {3, 3, 3},     {5, 4, 4},   {2, 2, 5},
  {3, 5, 4},    {9, 7, 5},    {7, 9, 16},   {16, 16, 16},  {17, 33, 9}, {33, 32, 20},
  {32, 33, 40}, {48, 48, 48}, {65, 65, 65}, {129, 40, 33}, {-1},
};

static const int large_shapes[][3] = {{128, 128, 128}, {127, 60, 60}, {257, 257, 257}, {512, 64, 33}, {-1}};

static bool is_q(const sweep_case *c)
{
  return c->flags % 2 == 0;
}

static q_product product(const sweep_case *c)
{
  return q_product_of(c, 2);
}

static int width(const sweep_case *c)
{
  return two_stage_width(c->flags / 8);
}

static int order(const sweep_case *c)
{
  return product(c).order;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){
    .role = SWEEP_IN, .m = is_q(c) ? order(c) : c->k, .n = is_q(c) ? c->k : order(c), .shareable = true};
  o[1] = oracle_vector(SWEEP_IN, least(order(c), c->k), c->flags / 8 % 2);
  o[1].shareable = true;
  o[2] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

/* Where do the reflectors begin? */
static int shift(const sweep_case *c)
{
  return is_q(c) ? order(c) < c->k ? width(c) : 0 : order(c) <= c->k ? width(c) : 0;
}

/* What is not part of a reflector is poison. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  const int s = shift(c), k = least(order(c), c->k);
  for (int r = 0; i == 0 && r < k - s; r++)
    oracle_reflector(c, order(c) - s - r, is_q(c) ? &SWEEP_AT(x, r + s, r) : &SWEEP_AT(x, r, r + s), is_q(c) ? 1 : x.m);
  for (int r = 0; i == 1 && r < k; r++) x.x[r] = r < k - s ? oracle_tau(c, r, order(c) - s - r) : 0;
  if (i == 2) sweep_general(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  oracle_clear_info(ctx, c, info);
  return batched_unmbr_ge2gb(ctx, is_q(c) ? BATCHED_Q : BATCHED_P, q_side(product(c)), q_trans(product(c), c, 1),
                             width(c), x[0], x[1], x[2]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  if (c->m == 0 || c->n == 0) return 0;
  const oracle_q q = two_stage_general_q1(is_q(c), width(c), before[0].m, before[0].n, before[0], before[1]);
  return q_product_ratio(c, product(c), q, before[2], after[2]);
}

static const sweep_family unmbr_ge2gb = {
  .op = &batched_unmbr_ge2gb_op,
  .nflags = 8 * TWO_STAGE_WIDTHS,
  .noperands = 3,
  .shapes = shapes,
  .large_shapes = large_shapes,
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
  const batched_matrix a = batched_strided(x, 3, 2, 3, 6, 1), tau = batched_strided(x + 12, 2, 1, 2, 2, 1);
  const batched_matrix c = batched_strided(x + 16, 3, 2, 3, 6, 1);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_unmbr_ge2gb(NULL, BATCHED_Q, left, plain, 1, a, tau, c), -1);
  assert_int_equal(batched_unmbr_ge2gb(ctx, 2, left, plain, 1, a, tau, c), -2);
  assert_int_equal(batched_unmbr_ge2gb(ctx, BATCHED_Q, 2, plain, 1, a, tau, c), -3);
  assert_int_equal(batched_unmbr_ge2gb(ctx, BATCHED_Q, left, 3, 1, a, tau, c), -4);
  assert_int_equal(batched_unmbr_ge2gb(ctx, BATCHED_Q, left, plain, -1, a, tau, c), -5);
  assert_int_equal(batched_unmbr_ge2gb(ctx, BATCHED_Q, left, plain, 1, BAD(a, ld, 2), tau, c), -6);
  assert_int_equal(batched_unmbr_ge2gb(ctx, BATCHED_Q, left, plain, 1, a, BAD(tau, m, 1), c), -7);
  assert_int_equal(batched_unmbr_ge2gb(ctx, BATCHED_P, left, plain, 1, a, tau, c), -8);
  assert_int_equal(batched_unmbr_ge2gb(ctx, BATCHED_P, BATCHED_RIGHT, plain, 1, a, tau, c), 0);
  assert_int_equal(batched_unmbr_ge2gb(ctx, BATCHED_Q, left, plain, 1, a, tau, c), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &unmbr_ge2gb, extra, 1);
}
