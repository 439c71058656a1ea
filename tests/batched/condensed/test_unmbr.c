/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products with Q and P of gebrd: |result - op(Q) C| / (order |C| eps), with the reflectors applied in more digits.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/condensed/q_product.h"

/* C is m x n, the other side of the reduced matrix k; flags: Q or P (2), side (2), trans (2), tau as a row (2) */
static const int shapes[][3] = {
  {0, 0, 0},     {1, 1, 1},     {2, 3, 1},     {3, 3, 3},    {4, 5, 2},    {5, 4, 4},    {5, 5, 0},
  {2, 2, 5},     {3, 5, 4},     {8, 8, 8},     {9, 7, 5},    {7, 9, 16},   {16, 16, 16}, {17, 33, 9},
  {33, 32, 20},  {32, 33, 40},  {48, 48, 48},  {64, 20, 20}, {65, 65, 65}, {20, 70, 11}, {129, 40, 33},
  {40, 130, 50}, {260, 10, 10}, {10, 300, 10}, {-1},
};

static const int large_shapes[][3] = {{128, 128, 128}, {127, 60, 60}, {200, 200, 100}, {256, 256, 300}, {400, 40, 40},
                                      {512, 64, 33},   {-1}};

static bool is_q(const sweep_case *c)
{
  return c->flags % 2 == 0;
}

static q_product product(const sweep_case *c)
{
  return q_product_of(c, 2);
}

static int order(const sweep_case *c)
{
  return product(c).order;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){
    .role = SWEEP_IN, .m = is_q(c) ? order(c) : c->k, .n = is_q(c) ? c->k : order(c), .shareable = true};
  o[1] = oracle_vector(SWEEP_IN, least(order(c), c->k), c->flags / 8);
  o[1].shareable = true;
  o[2] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

static int shift(const sweep_case *c)
{
  return is_q(c) ? order(c) < c->k : order(c) <= c->k;
}

/* What is not part of a reflector is poison. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  const int s = shift(c);
  for (int r = 0; i == 0 && r < least(order(c) - s, c->k); r++)
    oracle_reflector(c, order(c) - s - r, is_q(c) ? &SWEEP_AT(x, r + s, r) : &SWEEP_AT(x, r, r + s), is_q(c) ? 1 : x.m);
  for (int r = 0; i == 1 && r < least(order(c) - s, c->k); r++) x.x[r] = oracle_tau(c, r, order(c) - s - r);
  if (i == 2) sweep_general(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  oracle_clear_info(ctx, c, info);
  const batched_trans t = q_trans(product(c), c, c->k);
  return batched_unmbr(ctx, is_q(c) ? BATCHED_Q : BATCHED_P, q_side(product(c)), t, x[0], x[1], x[2]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  if (c->m == 0 || c->n == 0) return 0;
  const oracle_q q = oracle_gebrd(is_q(c), before[0].m, before[0].n, before[0], before[1]);
  return q_product_ratio(c, product(c), q, before[2], after[2]);
}

static const sweep_family unmbr = {
  .op = &batched_unmbr_op,
  .nflags = 16,
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
  double _Complex z[32] = {0};
  batched_matrix a = batched_strided(x, 3, 2, 3, 6, 2), tau = batched_strided(x + 12, 2, 1, 2, 2, 2);
  batched_matrix c = batched_strided(x + 16, 3, 2, 3, 6, 2);
  batched_matrix za = batched_strided(z, 3, 2, 3, 6, 2), ztau = batched_strided(z + 12, 2, 1, 2, 2, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_unmbr(NULL, BATCHED_Q, BATCHED_LEFT, BATCHED_TRANS, a, tau, c), -1);
  assert_int_equal(batched_unmbr(ctx, 2, BATCHED_LEFT, BATCHED_TRANS, a, tau, c), -2);
  assert_int_equal(batched_unmbr(ctx, BATCHED_Q, 2, BATCHED_TRANS, a, tau, c), -3);
  assert_int_equal(batched_unmbr(ctx, BATCHED_Q, BATCHED_LEFT, 3, a, tau, c), -4);
  assert_int_equal(batched_unmbr(ctx, BATCHED_Q, BATCHED_LEFT, BATCHED_TRANS, za, ztau, za), -4);
  assert_int_equal(batched_unmbr(ctx, BATCHED_Q, BATCHED_LEFT, BATCHED_TRANS, BAD(a, ld, 2), tau, c), -5);
  assert_int_equal(batched_unmbr(ctx, BATCHED_Q, BATCHED_LEFT, BATCHED_TRANS, a, BAD(tau, m, 1), c), -6);
  assert_int_equal(batched_unmbr(ctx, BATCHED_Q, BATCHED_RIGHT, BATCHED_TRANS, a, tau, c), -7);
  assert_int_equal(batched_unmbr(ctx, BATCHED_P, BATCHED_LEFT, BATCHED_TRANS, a, tau, c), -7);
  assert_int_equal(batched_unmbr(ctx, BATCHED_Q, BATCHED_LEFT, BATCHED_TRANS, a, tau, BAD(c, stride, 0)), -7);
  assert_int_equal(batched_unmbr(ctx, BATCHED_P, BATCHED_RIGHT, BATCHED_TRANS, a, tau, c), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &unmbr, extra, 1);
}
