/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Solves with Cholesky factors of band matrices: |A X - B| / (n |A| |X| eps), A the product of the factors.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/band/pb_case.h"

/* m: order, n: right-hand sides. */
static const int shapes[][3] = {
  {0, 0, 0}, {1, 1, 0},  {2, 2, 0},  {3, 1, 0},  {3, 0, 0},   {0, 2, 0},   {4, 5, 0},  {5, 4, 0},  {8, 1, 0},
  {9, 7, 0}, {15, 3, 0}, {17, 9, 0}, {31, 1, 0}, {32, 32, 0}, {33, 35, 0}, {48, 2, 0}, {65, 3, 0}, {-1},
};
static const int large_shapes[][3] = {{100, 1, 0}, {127, 3, 0}, {129, 10, 0}, {200, 1, 0},
                                      {257, 2, 0}, {150, 4, 0}, {512, 1, 0},  {-1}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = pb_depth(c, c->m) + 1 + c->flags / 2 % 2, .n = c->m, .shareable = true};
  o[1] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

static void extents(const sweep_case *c, int *out)
{
  out[0] = pb_depth(c, c->m);
}

/* L with a real positive diagonal. */
static sweep_dense lower(const sweep_case *c, int n)
{
  const sweep_dense l = sweep_new(n, n);
  const int kd = pb_depth(c, n);
  for (int j = 0; j < n; j++)
    for (int i = j; i < n && i <= j + kd; i++) {
      const long double size = sweep_scale(c) * band_grade(c, i, n);
      SWEEP_AT(l, i, j) = size * (i == j ? 1.5L + sweep_uniform() + 0.1L * kd : sweep_number(c->type));
      if (c->kind == SWEEP_IDENTITY) SWEEP_AT(l, i, j) = i == j;
    }
  return l;
}

static wide product_element(sweep_dense l, int i, int j)
{
  wide sum = 0;
  for (int k = 0; k <= i && k <= j; k++) sum += SWEEP_AT(l, i, k) * conjl(SWEEP_AT(l, j, k));
  return sum;
}

static sweep_dense product(sweep_dense l)
{
  const sweep_dense a = sweep_new(l.n, l.n);
  for (int j = 0; j < l.n; j++)
    for (int i = 0; i < l.n; i++) SWEEP_AT(a, i, j) = product_element(l, i, j);
  return a;
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 1 && sweep_is_hard(c->kind)) {
    sweep_right_hand_side(c->type, BATCHED_NO_TRANS, product(pb_lower(c, sweep_first_operand(c))), x);
  } else if (i == 1) {
    band_random(c, x);
  } else {
    const sweep_dense l = lower(c, x.n);
    for (int j = 0; c->flags % 2 && j < x.n; j++)
      for (int r = j + 1; r < x.n; r++) SWEEP_AT(l, j, r) = conjl(SWEEP_AT(l, r, j));
    band_store(pb_layout(c, x.n), l, x);
  }
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  const int kd = pb_depth(c, c->m);
  (void)info;
  if (!c->extents[0]) return batched_pbtrs(ctx, pb_uplo(c), kd, x[0], x[1]);
  return batched_pbtrs_variable(ctx, pb_uplo(c), band_extent(c, 0, kd), x[0], x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  if (c->m == 0 || c->n == 0) return 0;
  return band_residual(c, BATCHED_NO_TRANS, product(pb_lower(c, before[0])), after[1], before[1]);
}

static const sweep_family pbtrs = {
  .op = &batched_pbtrs_op,
  .nflags = PB_FLAGS,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .quick = 200,
  .limit = 30,
  .operands = operands,
  .nextents = 1,
  .extents = extents,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_IDENTITY | SWEEP_CONDITIONS,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[16] = {0}, y[16] = {0};
  batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2), b = batched_strided(y, 2, 3, 2, 6, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_pbtrs(NULL, BATCHED_LOWER, 1, a, b), -1);
  assert_int_equal(batched_pbtrs(ctx, 5, 1, a, b), -2);
  assert_int_equal(batched_pbtrs(ctx, BATCHED_LOWER, -1, a, b), -3);
  assert_int_equal(batched_pbtrs(ctx, BATCHED_LOWER, 2, a, b), -4);
  assert_int_equal(batched_pbtrs(ctx, BATCHED_LOWER, 1, a, SWEEP_CHANGED(b, m, 1)), -5);
  assert_int_equal(batched_pbtrs(ctx, BATCHED_LOWER, 1, a, SWEEP_CHANGED(b, stride, 0)), -5);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &pbtrs, extra, 1);
}
