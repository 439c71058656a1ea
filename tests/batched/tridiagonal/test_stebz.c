/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Eigenvalues of tridiagonal matrices by bisection: the number of eigenvalues on either side of each value, for all,
 * for some numbers, and for an interval.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/tridiagonal/tridiagonal_case.h"

/* flags: range (3), whether few are wanted (2) */
static const int shapes[][3] = {{0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {4, 4, 0},   {5, 5, 0},   {8, 8, 0},
                                {15, 15, 0}, {16, 16, 0}, {17, 17, 0}, {32, 32, 0}, {33, 33, 0}, {64, 64, 0}, {-1}};
static const int large_shapes[][3] = {{100, 100, 0}, {129, 129, 0}, {200, 200, 0}, {257, 257, 0}, {700, 700, 0}, {-1}};

static batched_range range_of(const sweep_case *c)
{
  return (batched_range)(c->flags % 3);
}

/* All numbers, or the first two: so that a matrix of a variable batch has as many as alone. */
static int last_of(const sweep_case *c)
{
  return c->flags < 3 || c->m < 2 ? c->m : 2;
}

/* The interval, and those that it holds at most. */
static long double low(const sweep_case *c)
{
  return c->flags < 3 ? -3 * sweep_scale(c) : 0;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  const int most = range_of(c) == BATCHED_INDEX ? last_of(c) : c->m;
  o[0] = (sweep_operand){.role = SWEEP_IN, .form = SWEEP_COLUMN, .real = true, .shareable = true, .m = c->m, .n = 1};
  o[1] = o[0];
  o[1].m = c->m > 0 ? c->m - 1 : 0;
  o[2] = (sweep_operand){.role = SWEEP_OUT, .form = SWEEP_COLUMN, .real = true, .m = most, .n = 1};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i < 2) tridiagonal_fill(c, i == 1, c->m, x);
}

static int pivots(const sweep_case *c)
{
  (void)c;
  return 1;
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  return batched_stebz(ctx, range_of(c), (double)low(c), 3 * (double)sweep_scale(c), 1, last_of(c), x[0], x[1],
                       c->pivots, x[2], info);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m, room = after[2].m * after[2].n, found = c->pivots[0];
  const wide *w = after[2].x;
  if (c->kind == SWEEP_BAD && n > 0) return info > 0 && found == 0 && is_all_nan(after[2]) ? 0 : NAN;
  if (info != 0 || found < 0 || found > n) return NAN;
  int first = 0;
  if (range_of(c) != BATCHED_INTERVAL && found != (range_of(c) == BATCHED_ALL ? n : room)) return NAN;
  if (n == 0) return 0;
  const long double slack = 100 * n * sweep_unit(c, 2 * sweep_norm(tridiagonal_of(before[0], before[1])));
  if (range_of(c) == BATCHED_INTERVAL) {
    long double d[2000], e[2000];
    for (int i = 0; i < n; i++) {
      d[i] = creall(before[0].x[i]);
      e[i] = i < n - 1 ? creall(before[1].x[i]) : 0;
    }
    for (int i = 0; i < found; i++)
      if (!(creall(w[i]) > low(c) - slack && creall(w[i]) < 3 * sweep_scale(c) + slack)) return NAN;
    const int at_least =
      eigenvalues_below(n, d, e, 3 * sweep_scale(c) - slack) - eigenvalues_below(n, d, e, low(c) + slack);
    const int at_most =
      eigenvalues_below(n, d, e, 3 * sweep_scale(c) + slack) - eigenvalues_below(n, d, e, low(c) - slack);
    if (found < at_least || found > at_most) return NAN;
    first = eigenvalues_below(n, d, e, low(c)); /* unless one lies on the bound, as with zero matrices */
    if (at_least != at_most) return 0;
  }
  for (int i = 1; i < found && i < room; i++)
    if (!(creall(w[i]) >= creall(w[i - 1]))) return NAN;
  return sturm_ratio(c, before[0], before[1], first, found < room ? found : room, w);
}

/* An interval has as many as it has. */
static int unique_rows(const sweep_case *c, int i)
{
  return i == 2 && range_of(c) != BATCHED_INTERVAL ? (range_of(c) == BATCHED_ALL ? c->m : last_of(c)) : 0;
}

static const sweep_family stebz = {
  .op = &batched_stebz_op,
  .nflags = 6,
  .noperands = 3,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .square = true,
  .operands = operands,
  .fill = fill,
  .pivots = pivots,
  .call = call,
  .ratio = ratio,
  .unique_rows = unique_rows,
  .kinds = TRIDIAGONAL_KINDS,
};

/* 2 - 2 cos(pi k / (n + 1)). */
static void test_known_values(void **unused)
{
  (void)unused;
  enum { N = 20 };
  double d[N], e[N], w[N];
  int info = 7, found = 7;
  batched_ctx *ctx;
  for (int i = 0; i < N; i++) d[i] = 2, e[i] = -1;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  const batched_matrix dm = batched_strided(d, N, 1, N, N, 1), em = batched_strided(e, N - 1, 1, N, N, 1);
  const batched_matrix wm = batched_strided(w, N, 1, N, N, 1), short_w = batched_strided(w, 2, 1, N, N, 1);
  assert_int_equal(batched_stebz(ctx, BATCHED_INTERVAL, 0.1, 1.0, 0, 0, dm, em, &found, wm, &info), 0);
  int expected = 0;
  for (int k = 1; k <= N; k++) {
    const double value = 2 - 2 * cos(acos(-1.0) * k / (N + 1));
    if (value > 0.1 && value <= 1) assert_true(fabs(w[expected++] - value) < 1e-14);
  }
  assert_true(found == expected && info == 0);
  assert_int_equal(batched_stebz(ctx, BATCHED_INTERVAL, 0.1, 1.0, 0, 0, dm, em, &found, short_w, &info), 0);
  assert_int_equal(found, expected);
  assert_int_equal(batched_stebz(ctx, BATCHED_INDEX, 0, 0, 5, 6, dm, em, &found, short_w, &info), 0);
  assert_int_equal(found, 2);
  for (int k = 5; k <= 6; k++) assert_true(fabs(w[k - 5] - (2 - 2 * cos(acos(-1.0) * k / (N + 1)))) < 1e-14);
  batched_destroy(&ctx);
}

/* Values that are within rounding errors of a bound stay inside; a bound that single precision does not have counts as
 * it is. */
static void test_bounds(void **unused)
{
  (void)unused;
  enum { N = 40 };
  double d[N], e[N], w[N];
  float fd[] = {0.1f, 1, 2}, fe[] = {0, 0}, fw[3];
  int info = 7, found = 7;
  batched_ctx *ctx;
  for (int i = 0; i < N; i++) d[i] = 1 + 0x1p-52 * (i % 4), e[i] = 0x1p-53;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_stebz(ctx, BATCHED_INTERVAL, 1, 1.5, 0, 0, batched_strided(d, N, 1, N, N, 1),
                                 batched_strided(e, N - 1, 1, N, N, 1), &found, batched_strided(w, N, 1, N, N, 1),
                                 &info),
                   0);
  assert_true(info == 0 && found > 0 && found <= N);
  for (int k = 0; k < found; k++) assert_true(w[k] > 1 && w[k] < 1 + 1e-14);
  const batched_matrix f = batched_strided(fd, 3, 1, 3, 3, 1), g = batched_strided(fe, 2, 1, 2, 2, 1);
  const batched_matrix v = batched_strided(fw, 3, 1, 3, 3, 1);
  assert_int_equal(batched_stebz(ctx, BATCHED_INTERVAL, 0.1, 2 - 1e-12, 0, 0, f, g, &found, v, &info), 0);
  assert_true(found == 2 && fw[0] > 0.1 && fabs(fw[0] - 0.1) < 1e-6 && fabs(fw[1] - 1) < 1e-6); /* 0.1f > 0.1 */
  assert_int_equal(batched_stebz(ctx, BATCHED_INTERVAL, 1 - 1e-12, 1 + 1e-12, 0, 0, f, g, &found, v, &info), 0);
  assert_true(found == 1 && fw[0] == 1);
  batched_destroy(&ctx);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[4], y[2], w[4];
  int info[2], found[2];
  batched_matrix d = batched_strided(x, 2, 1, 2, 2, 2), e = batched_strided(y, 1, 1, 1, 1, 2);
  batched_matrix v = batched_strided(w, 2, 1, 2, 2, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_stebz(NULL, BATCHED_ALL, 0, 0, 0, 0, d, e, found, v, info), -1);
  assert_int_equal(batched_stebz(ctx, 3, 0, 0, 0, 0, d, e, found, v, info), -2);
  assert_int_equal(batched_stebz(ctx, BATCHED_INTERVAL, 1, 1, 0, 0, d, e, found, v, info), -4);
  assert_int_equal(batched_stebz(ctx, BATCHED_INDEX, 0, 0, 0, 1, d, e, found, v, info), -5);
  assert_int_equal(batched_stebz(ctx, BATCHED_INDEX, 0, 0, 1, 3, d, e, found, v, info), -6);
  assert_int_equal(batched_stebz(ctx, BATCHED_ALL, 0, 0, 0, 0, d, d, found, v, info), -8);
  assert_int_equal(batched_stebz(ctx, BATCHED_ALL, 0, 0, 0, 0, d, e, NULL, v, info), -9);
  assert_int_equal(batched_stebz(ctx, BATCHED_ALL, 0, 0, 0, 0, d, e, found, SWEEP_CHANGED(v, m, 1), info), -10);
  assert_int_equal(batched_stebz(ctx, BATCHED_ALL, 0, 0, 0, 0, d, e, found, v, NULL), -11);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_known_values), cmocka_unit_test(test_bounds),
                                     cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &stebz, extra, 3);
}
