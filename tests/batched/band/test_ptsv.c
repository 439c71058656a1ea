/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Systems of equations with positive definite tridiagonal matrices: |A X - B| / (n |A| |X| eps), and info.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/band/pt_case.h"

/* flags: rows (2), longer vectors (2), bad pivot (3).  m: order, n: right-hand sides. */
static const int shapes[][3] = {{0, 0, 0},   {1, 1, 0},  {2, 2, 0},   {3, 1, 0},  {3, 0, 0},  {0, 2, 0},
                                {4, 5, 0},   {5, 4, 0},  {8, 1, 0},   {9, 7, 0},  {16, 2, 0}, {17, 9, 0},
                                {32, 32, 0}, {33, 1, 0}, {50, 10, 0}, {65, 3, 0}, {64, 1, 0}, {-1}};
static const int large_shapes[][3] = {{100, 1, 0}, {127, 4, 0}, {200, 2, 0}, {257, 1, 0}, {512, 3, 0}, {-1}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  pt_operands(c, SWEEP_INOUT, c->m, o);
  o[2] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i < 2) {
    pt_fill(c, i, c->m, x);
    return;
  }
  for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) x.x[e] = sweep_number(c->type) * band_grade(c, (int)(e % x.m), x.m);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)c;
  return batched_ptsv(ctx, x[0], x[1], x[2], info);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m;
  if (c->kind == SWEEP_BAD && n > 0) return info == band_bad_column(c->flags / 4, n) + 1 ? 0 : NAN;
  if (info != 0) return NAN;
  if (n == 0 || c->n == 0) return 0;
  return band_residual(c, BATCHED_NO_TRANS, pt_matrix(n, before[0], before[1], false), after[2], before[2]);
}

static const sweep_family ptsv = {
  .op = &batched_ptsv_op,
  .nflags = 12,
  .noperands = 3,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_IDENTITY | 1u << SWEEP_DIAGONAL |
           1u << SWEEP_BAD | 1u << SWEEP_ILL | SWEEP_CONDITIONS,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[8] = {0}, y[8] = {0}, z[16] = {0};
  int info[2];
  batched_matrix d = batched_strided(x, 4, 1, 4, 4, 2), e = batched_strided(y, 3, 1, 4, 4, 2),
                 b = batched_strided(z, 4, 2, 4, 8, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_ptsv(NULL, d, e, b, info), -1);
  assert_int_equal(batched_ptsv(ctx, SWEEP_CHANGED(d, n, 2), e, b, info), -2);
  assert_int_equal(batched_ptsv(ctx, d, SWEEP_CHANGED(e, stride, 0), b, info), -3);
  assert_int_equal(batched_ptsv(ctx, d, e, SWEEP_CHANGED(b, m, 3), info), -4);
  assert_int_equal(batched_ptsv(ctx, d, e, b, NULL), -5);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &ptsv, extra, 1);
}
