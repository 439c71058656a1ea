/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reduction to a band: |A - Q1 B Q1^H| / (n |A| eps) and |Q1^H Q1 - I| / (n eps), with Q1 rebuilt from the stored
 * reflectors; the band in its storage and in A, to the bit.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/condensed/lapack_kinds.h"
#include "tests/batched/two_stage/two_stage_case.h"

/* flags: uplo (2), width (6) */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {5, 5, 0},     {16, 16, 0}, {17, 17, 0},
  {33, 33, 0}, {48, 48, 0}, {64, 64, 0}, {65, 65, 0}, {100, 100, 0}, {-1},
};

/* The last two by blocks that share a panel, in d: widths 32 and 16. */
static const int large_shapes[][3] = {{129, 129, 0}, {200, 200, 0}, {257, 257, 0}, {600, 600, 0}, {530, 530, 0}, {-1}};

static bool upper(const sweep_case *c)
{
  return c->flags % 2;
}

static int width(const sweep_case *c)
{
  return two_stage_width(c->flags / 2);
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->m};
  o[1] = (sweep_operand){.role = SWEEP_OUT, .m = width(c) + 1 + c->flags / 2 % 2, .n = c->m};
  o[2] = oracle_vector(SWEEP_OUT, most(c->m - width(c), 0), c->flags / 2 % 3 == 1);
}

/* The triangle that is not read is poisoned. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i > 0) return;
  if (c->kind >= SWEEP_KINDS)
    lapack_fill(c, (int)c->kind - SWEEP_KINDS, x);
  else
    sweep_hermitian(c, x, false);
  sweep_poison_triangle(x, upper(c) ? BATCHED_LOWER : BATCHED_UPPER);
}

static bool fills(const sweep_case *c, int i, int row, int col)
{
  return i == 2 || (i == 1 && two_stage_has(upper(c), width(c), c->m, row, col));
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  oracle_clear_info(ctx, c, info);
  return batched_he2hb(ctx, upper(c) ? BATCHED_UPPER : BATCHED_LOWER, width(c), x[0], x[1], x[2]);
}

/* True where the band of A is the one in storage. */
static bool is_band(const sweep_case *c, sweep_dense a, sweep_dense b)
{
  for (int j = 0; j < a.n; j++)
    for (int i = j; i < a.n && i - j <= width(c); i++)
      if (SWEEP_AT(b, i, j) != (upper(c) ? conjl(SWEEP_AT(a, j, i)) : SWEEP_AT(a, i, j))) return false;
  return true;
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const int n = c->m;
  if (n == 0) return 0;
  const sweep_dense a = two_stage_band(upper(c), width(c), after[1]), product = sweep_new(n, n);
  if (!is_band(c, after[0], a)) return NAN;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      const bool there = upper(c) ? i <= j : i >= j;
      SWEEP_AT(product, i, j) = SWEEP_AT(a, i, j);
      SWEEP_AT(a, i, j) = there ? SWEEP_AT(before[0], i, j) : conjl(SWEEP_AT(before[0], j, i));
    }
  const oracle_q q = two_stage_q1(upper(c), width(c), n, after[0], after[2]);
  oracle_multiply(q, true, false, product);
  oracle_multiply(q, false, true, product);
  return sweep_larger(oracle_residual(c, a, product), oracle_orthogonality(c, q));
}

static const sweep_family he2hb = {
  .op = &batched_he2hb_op,
  .nflags = 2 * TWO_STAGE_WIDTHS,
  .noperands = 3,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .far_apart = 3e4L, // as hetrd's
  .square = true,
  .operands = operands,
  .fill = fill,
  .fills = fills,
  .call = call,
  .ratio = ratio,
  .own_kinds = lapack_kinds,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_RANK_ONE | 1u << SWEEP_SINGULAR |
           1u << SWEEP_ILL | 1u << SWEEP_GRADED | 1u << SWEEP_HILBERT,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[18] = {0}, y[18], t[4];
  const batched_matrix a = batched_strided(x, 3, 3, 3, 9, 2), ab = batched_strided(y, 2, 3, 3, 9, 2);
  const batched_matrix tau = batched_strided(t, 2, 1, 2, 2, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_he2hb(NULL, BATCHED_LOWER, 1, a, ab, tau), -1);
  assert_int_equal(batched_he2hb(ctx, 2, 1, a, ab, tau), -2);
  assert_int_equal(batched_he2hb(ctx, BATCHED_LOWER, 0, a, ab, tau), -3);
  assert_int_equal(batched_he2hb(ctx, BATCHED_LOWER, 1, BAD(a, m, 2), ab, tau), -4);
  assert_int_equal(batched_he2hb(ctx, BATCHED_LOWER, 1, BAD(a, stride, 0), ab, tau), -4);
  assert_int_equal(batched_he2hb(ctx, BATCHED_LOWER, 2, a, ab, tau), -5);
  assert_int_equal(batched_he2hb(ctx, BATCHED_LOWER, 1, a, BAD(ab, n, 2), tau), -5);
  assert_int_equal(batched_he2hb(ctx, BATCHED_LOWER, 1, a, ab, BAD(tau, m, 1)), -6);
  assert_int_equal(batched_he2hb(ctx, BATCHED_UPPER, 1, a, ab, tau), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &he2hb, extra, 1);
}
