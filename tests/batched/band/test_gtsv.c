/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Systems of equations with tridiagonal matrices: |A X - B| / (n |A| |X| eps), info for singular matrices, and U.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/band/gt_case.h"

/* flags: rows (2), longer vectors (2), bad column, and exchanges of random matrices (3).  m: order, n: right-hand
 * sides. */
static const int shapes[][3] = {{0, 0, 0},   {1, 1, 0},  {2, 2, 0},   {3, 1, 0},  {3, 0, 0},  {0, 2, 0},
                                {4, 5, 0},   {5, 4, 0},  {8, 1, 0},   {9, 7, 0},  {16, 2, 0}, {17, 9, 0},
                                {32, 32, 0}, {33, 1, 0}, {50, 10, 0}, {65, 3, 0}, {64, 1, 0}, {-1}};
static const int large_shapes[][3] = {{100, 1, 0}, {127, 4, 0}, {200, 2, 0}, {257, 1, 0}, {512, 3, 0}, {-1}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  gt_operands(c, SWEEP_INOUT, c->m, o);
  o[3] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

/* The diagonal of a random matrix: so that rows are exchanged here and there, none is, or one in the middle, by the
 * flags. */
static void strengthen(const sweep_case *c, sweep_dense x)
{
  const int kind = c->flags / 4;
  for (int e = 0; e < c->m; e++) {
    const wide more = kind == 0 ? 1 : 3;
    if (kind < 2 || e != c->m / 2) x.x[e] += creall(x.x[e]) < 0 ? -more : more;
  }
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 3 && sweep_is_hard(c->kind)) { /* the diagonals' random numbers are not known here */
    for (int64_t e = 0; e < (int64_t)x.m * x.n; e++)
      x.x[e] = sweep_number(c->type) * band_grade(c, (int)(e % x.m), x.m);
  } else if (i == 3) {
    band_random(c, x);
    for (int64_t e = 0; c->kind == SWEEP_DENORMAL && e < (int64_t)x.m * x.n; e++) x.x[e] *= sweep_scale(c);
  } else {
    gt_fill(c, i, c->m, x);
    if (i == 0 && c->kind == SWEEP_RANDOM) strengthen(c, x);
  }
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)c;
  return batched_gtsv(ctx, x[1], x[0], x[2], x[3], info);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m;
  if (c->kind == SWEEP_BAD && n > 0) return info == band_bad_column(c->flags / 4, n) + 1 ? 0 : NAN;
  if (info != 0) return NAN;
  if (n == 0 || c->n == 0) return 0;
  const long double r =
    band_residual(c, BATCHED_NO_TRANS, gt_dense(n, &before[1], before[0], before[2], NULL), after[3], before[3]);
  return c->kind == SWEEP_DENORMAL ? r / (1 + sweep_norm(after[3])) : r; /* products are rounded to denormal numbers */
}

/* The diagonals hold anything afterwards. */
static int unique_rows(const sweep_case *c, int i)
{
  return i == 3 ? c->m : 0;
}

static const sweep_family gtsv = {
  .op = &batched_gtsv_op,
  .nflags = 12,
  .noperands = 4,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .unique_rows = unique_rows,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_IDENTITY | 1u << SWEEP_DIAGONAL |
           1u << SWEEP_BAD | 1u << SWEEP_ILL | SWEEP_CONDITIONS,
  .host_kinds = 1u << SWEEP_DENORMAL,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[40] = {0}, y[8] = {0};
  int info[2];
  batched_matrix d = batched_strided(x, 4, 1, 4, 4, 2), e = batched_strided(x + 8, 3, 1, 4, 4, 2),
                 f = batched_strided(x + 16, 3, 1, 4, 4, 2), b = batched_strided(y, 4, 1, 4, 4, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_gtsv(NULL, e, d, f, b, info), -1);
  assert_int_equal(batched_gtsv(ctx, SWEEP_CHANGED(e, m, 2), d, f, b, info), -2);
  assert_int_equal(batched_gtsv(ctx, e, SWEEP_CHANGED(d, stride, 0), f, b, info), -3);
  assert_int_equal(batched_gtsv(ctx, e, d, SWEEP_CHANGED(f, m, 2), b, info), -4);
  assert_int_equal(batched_gtsv(ctx, e, d, f, SWEEP_CHANGED(b, m, 3), info), -5);
  assert_int_equal(batched_gtsv(ctx, e, d, f, b, NULL), -6);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &gtsv, extra, 1);
}
