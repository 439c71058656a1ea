/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Q and P^H of gebrd: |result - Q| / (order eps), with the reflectors applied in more digits.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/condensed/condensed_oracle.h"

/* The order is m; n columns or rows are wanted, or more: see wanted; the other side of the reduced matrix is k, or
 * larger than m: in a variable batch that is to be told from the bounds.  flags: Q or P (2), which side is larger (2),
 * tau as a row (2) */
static const int shapes[][3] = {
  {0, 0, 0},    {1, 1, 1},    {2, 1, 1},     {2, 2, 2},       {3, 3, 3},     {5, 4, 2},     {5, 5, 0},    {4, 4, 3},
  {8, 8, 8},    {9, 7, 5},    {16, 16, 16},  {16, 16, 12},    {33, 17, 9},   {33, 33, 20},  {48, 48, 48}, {64, 20, 20},
  {65, 65, 65}, {65, 65, 60}, {100, 70, 40}, {129, 129, 128}, {260, 10, 10}, {300, 36, 36}, {-1},
};

static const int large_shapes[][3] = {
  {127, 127, 127}, {128, 128, 128}, {200, 200, 100}, {256, 256, 256}, {400, 400, 64}, {512, 64, 64}, {-1}};

static bool is_q(const sweep_case *c)
{
  return c->flags % 2 == 0;
}

static int other_side(const sweep_case *c)
{
  return c->flags / 2 % 2 ? c->m + 3 : least(c->m, c->k);
}

static int reflectors(const sweep_case *c)
{
  return least(c->m, other_side(c));
}

/* As many as there are reflectors, at least. */
static int wanted(const sweep_case *c)
{
  return least(c->m, most(c->n, reflectors(c)));
}

static int shift(const sweep_case *c)
{
  return is_q(c) ? c->m < other_side(c) : c->m <= other_side(c);
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = is_q(c) ? c->m : wanted(c), .n = is_q(c) ? wanted(c) : c->m};
  o[1] = oracle_vector(SWEEP_IN, reflectors(c), c->flags / 4);
}

/* What is not part of a reflector is a NaN. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  const int s = shift(c);
  for (int64_t e = 0; i == 0 && e < (int64_t)x.m * x.n; e++) x.x[e] = NAN;
  for (int r = 0; r < least(c->m - s, other_side(c)); r++) {
    if (i == 0)
      oracle_reflector(c, c->m - s - r, is_q(c) ? &SWEEP_AT(x, r + s, r) : &SWEEP_AT(x, r, r + s), is_q(c) ? 1 : x.m);
    if (i == 1) x.x[r] = oracle_tau(c, r, c->m - s - r);
  }
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  oracle_clear_info(ctx, c, info);
  return batched_ungbr(ctx, is_q(c) ? BATCHED_Q : BATCHED_P, other_side(c), x[0], x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  if (c->m == 0 || wanted(c) == 0) return 0;
  sweep_dense x = sweep_new(after[0].m, after[0].n);
  for (int i = 0; i < least(x.m, x.n); i++) SWEEP_AT(x, i, i) = 1;
  const oracle_q q =
    oracle_gebrd(is_q(c), is_q(c) ? c->m : other_side(c), is_q(c) ? other_side(c) : c->m, before[0], before[1]);
  oracle_multiply(q, is_q(c), !is_q(c), x);
  return oracle_distance(c, c->m, x, after[0]);
}

static const sweep_family ungbr = {
  .op = &batched_ungbr_op,
  .nflags = 8,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
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
  batched_matrix a = batched_strided(x, 3, 2, 3, 6, 2), tau = batched_strided(x + 12, 2, 1, 2, 2, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_ungbr(NULL, BATCHED_Q, 2, a, tau), -1);
  assert_int_equal(batched_ungbr(ctx, 2, 2, a, tau), -2);
  assert_int_equal(batched_ungbr(ctx, BATCHED_Q, -1, a, tau), -3);
  assert_int_equal(batched_ungbr(ctx, BATCHED_P, 2, a, tau), -4);
  assert_int_equal(batched_ungbr(ctx, BATCHED_Q, 2, BAD(a, stride, 0), tau), -4);
  assert_int_equal(batched_ungbr(ctx, BATCHED_Q, 1, a, tau), -5);
  assert_int_equal(batched_ungbr(ctx, BATCHED_Q, 3, a, batched_strided(x, 3, 1, 3, 3, 2)), -5);
  assert_int_equal(batched_ungbr(ctx, BATCHED_Q, 2, a, BAD(tau, data, NULL)), -5);
  assert_int_equal(batched_ungbr(ctx, BATCHED_Q, 2, a, tau), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &ungbr, extra, 1);
}
