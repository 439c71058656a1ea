/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reduction of a general matrix to a band: |A - Q1 B P1^H| / (max(m, n) |A| eps), and |Q1^H Q1 - I| and |P1^H P1 - I|
 * over order and eps, with Q1 and P1 rebuilt from the stored reflectors; the band in its storage and in A, to the bit,
 * its diagonal real.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "batched/batched_two_stage.h"
#include "tests/batched/two_stage/two_stage_case.h"

/* flags: width (6) */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {0, 3, 0},   {3, 0, 0},   {1, 4, 0},     {4, 1, 0},   {5, 3, 0},
  {3, 5, 0},   {5, 5, 0},   {16, 16, 0}, {17, 17, 0}, {17, 16, 0}, {16, 17, 0}, {31, 31, 0},   {32, 32, 0}, {33, 33, 0},
  {48, 20, 0}, {20, 48, 0}, {64, 64, 0}, {70, 32, 0}, {32, 70, 0}, {100, 3, 0}, {100, 100, 0}, {-1},
};

static const int large_shapes[][3] = {{129, 129, 0}, {257, 257, 0}, {600, 300, 0}, {200, 90, 0},
                                      {90, 200, 0},  {600, 40, 0},  {-1}};

static int width(const sweep_case *c)
{
  return two_stage_width(c->flags);
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  const int k = least(c->m, c->n);
  const bool row = c->flags % 3 == 1;
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
  o[1] = (sweep_operand){.role = SWEEP_OUT, .m = width(c) + 1 + c->flags % 2, .n = k};
  o[2] = oracle_vector(SWEEP_OUT, k, row);
  o[3] = oracle_vector(SWEEP_OUT, k, row);
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0) sweep_general(c, x);
}

static bool fills(const sweep_case *c, int i, int row, int col)
{
  return i >= 2 || (i == 1 && two_stage_has(c->m >= c->n, width(c), least(c->m, c->n), row, col));
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  oracle_clear_info(ctx, c, info);
  return batched_ge2gb(ctx, width(c), x[0], x[1], x[2], x[3]);
}

/* B, m x n; is it A's, too, and are the factors that stand for no reflector zero? */
static bool take_band(const sweep_case *c, const sweep_dense *after, sweep_dense b)
{
  const bool upper = c->m >= c->n;
  const int k = least(c->m, c->n);
  for (int j = 0; j < k; j++)
    for (int i = 0; i < k; i++) {
      SWEEP_AT(b, i, j) = two_stage_general_at(upper, width(c), after[1], i, j);
      const int outside = upper ? j - i : i - j;
      if (outside >= 0 && outside <= width(c) && SWEEP_AT(b, i, j) != SWEEP_AT(after[0], i, j)) return false;
      if (i == j && cimagl(SWEEP_AT(b, i, j)) != 0) return false;
    }
  for (int i = most(k - width(c), 0); i < k; i++)
    if (after[upper ? 3 : 2].x[i] != 0) return false;
  return true;
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const int m = c->m, n = c->n;
  if (m == 0 || n == 0) return 0;
  const sweep_dense product = sweep_new(m, n);
  if (!take_band(c, after, product)) return NAN;
  const oracle_q q = two_stage_general_q1(true, width(c), m, n, after[0], after[2]);
  const oracle_q p = two_stage_general_q1(false, width(c), m, n, after[0], after[3]);
  oracle_multiply(q, true, false, product);
  oracle_multiply(p, false, true, product);
  const long double residual = oracle_residual(c, before[0], product);
  return sweep_larger(residual, sweep_larger(oracle_orthogonality(c, q), oracle_orthogonality(c, p)));
}

static const sweep_family ge2gb = {
  .op = &batched_ge2gb_op,
  .nflags = TWO_STAGE_WIDTHS,
  .noperands = 4,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .far_apart = 3e4L, // as gebrd's
  .operands = operands,
  .fill = fill,
  .fills = fills,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_RANK_ONE | 1u << SWEEP_SINGULAR |
           1u << SWEEP_ILL | 1u << SWEEP_GRADED | 1u << SWEEP_HILBERT | 1u << SWEEP_UNEVEN,
};

/* A NaN stays in its matrix. */
static void test_not_finite(void **unused)
{
  (void)unused;
  enum { N = 7, KD = 2 };
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  double a[3][N * N], ab[3][N * (KD + 1)], tauq[3][N], taup[3][N];
  sweep_seed(3);
  for (int b = 0; b < 3; b++)
    for (int i = 0; i < N * N; i++) a[b][i] = (double)sweep_uniform();
  a[1][2] = __builtin_nan("");
  assert_int_equal(batched_ge2gb(ctx, KD, batched_strided(a[0], N, N, N, N * N, 3),
                                 batched_strided(ab[0], KD + 1, N, KD + 1, (KD + 1) * N, 3),
                                 batched_strided(tauq[0], N, 1, N, N, 3), batched_strided(taup[0], N, 1, N, N, 3)),
                   0);
  for (int b = 0; b < 3; b++)
    for (int j = 0; j < N; j++) assert_true(isnan(ab[b][KD + j * (KD + 1)]) == (b == 1));
  batched_destroy(&ctx);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[24] = {0}, y[18], q[4], p[4];
  const batched_matrix a = batched_strided(x, 4, 2, 4, 8, 2), ab = batched_strided(y, 2, 2, 2, 4, 2);
  const batched_matrix tauq = batched_strided(q, 2, 1, 2, 2, 2), taup = batched_strided(p, 2, 1, 2, 2, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_ge2gb(NULL, 1, a, ab, tauq, taup), -1);
  assert_int_equal(batched_ge2gb(ctx, 0, a, ab, tauq, taup), -2);
  assert_int_equal(batched_ge2gb(ctx, 1, BAD(a, ld, 3), ab, tauq, taup), -3);
  assert_int_equal(batched_ge2gb(ctx, 1, BAD(a, stride, 0), ab, tauq, taup), -3);
  assert_int_equal(batched_ge2gb(ctx, 2, a, ab, tauq, taup), -4);
  assert_int_equal(batched_ge2gb(ctx, 1, a, BAD(ab, n, 1), tauq, taup), -4);
  assert_int_equal(batched_ge2gb(ctx, 1, a, ab, BAD(tauq, m, 1), taup), -5);
  assert_int_equal(batched_ge2gb(ctx, 1, a, ab, tauq, BAD(taup, stride, 0)), -6);
  assert_int_equal(batched_ge2gb(ctx, 1, BAD(a, count, 0), BAD(ab, count, 0), BAD(tauq, count, 0), BAD(taup, count, 0)),
                   0);
  assert_int_equal(batched_ge2gb(ctx, 1, a, ab, tauq, taup), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_not_finite), cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &ge2gb, extra, 2);
}
