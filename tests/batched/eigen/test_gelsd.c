/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Least squares of any rank: A^H (B - A X) = 0, X in the range of A^H, and the rank that the kind of matrix has.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/eigen/least_squares_case.h"

/* m x n, k right-hand sides */
static const int shapes[][3] = {{0, 0, 0},   {1, 1, 1},    {2, 2, 3},    {3, 2, 1},   {2, 5, 2},
                                {5, 0, 2},   {0, 3, 2},    {5, 5, 0},    {8, 8, 1},   {9, 7, 3},
                                {7, 9, 2},   {16, 16, 16}, {20, 31, 2},  {33, 17, 5}, {32, 32, 2},
                                {48, 33, 3}, {65, 65, 2},  {100, 30, 4}, {30, 70, 3}, {-1}};
static const int large_shapes[][3] = {{128, 128, 2}, {150, 100, 3}, {-1}};

static int longer(const sweep_case *c)
{
  return c->m > c->n ? c->m : c->n;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .shareable = true, .m = c->m, .n = c->n};
  o[1] = (sweep_operand){.role = SWEEP_INOUT, .m = longer(c), .n = c->k};
  o[2] = (sweep_operand){.role = SWEEP_OUT, .form = SWEEP_COLUMN, .real = true, .m = least(c->m, c->n), .n = 1};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 2) return;
  if (i == 1) {
    for (int j = 0; j < x.n; j++)
      for (int r = 0; r < x.m; r++) SWEEP_AT(x, r, j) = r < c->m ? sweep_number(c->type) : (wide)NAN;
    return;
  }
  sweep_general(c, x);
  if (c->kind == SWEEP_BAD && x.m > 0 && x.n > 0) SWEEP_AT(x, x.m / 2, x.n / 2) = __builtin_nanl("");
  for (int j = 0; c->kind == SWEEP_RANDOM && j < least(x.m, x.n); j++) /* well conditioned */
    SWEEP_AT(x, j, j) += 2 * sqrtl(longer(c));
}

static int pivots(const sweep_case *c)
{
  (void)c;
  return 1;
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  return batched_gelsd(ctx, x[0], x[1], x[2], (double)sweep_eps(c->type) * 1000, c->pivots, info);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int m = c->m, n = c->n, k = least(m, n), rank = c->pivots[0];
  if (c->kind == SWEEP_BAD && k > 0) return info > 0 ? 0 : NAN;
  if (info != 0 || (k > 0 && !has_rank(c, rank)) || (k == 0 && rank != 0)) return NAN;
  sweep_dense x = sweep_new(n, c->k), r = sweep_new(m, c->k), gradient = sweep_new(n, c->k);
  for (int j = 0; j < c->k; j++) {
    for (int i = 0; i < n; i++) SWEEP_AT(x, i, j) = SWEEP_AT(after[1], i, j);
    for (int i = 0; i < m; i++) SWEEP_AT(r, i, j) = SWEEP_AT(before[1], i, j);
  }
  if (c->k == 0 || n == 0) return 0;
  const long double a = sweep_norm(before[0]), size_x = sweep_norm(x), size_b = sweep_norm(r);
  if (rank == 0) return size_x == 0 ? 0 : NAN;
  sweep_multiply(-1, BATCHED_NO_TRANS, before[0], BATCHED_NO_TRANS, x, r);
  sweep_multiply(1, BATCHED_CONJ_TRANS, before[0], BATCHED_NO_TRANS, r, gradient);
  const long double unit = longer(c) * sweep_eps(c->type);
  const long double residual = sweep_norm(gradient) / (unit * a * (a * size_x + size_b));
  const long double condition = a / creall(after[2].x[rank - 1]);
  return sweep_larger(residual, outside(before[0], rank, x) / (unit * 10 * condition * size_x));
}

/* X is n x k; below it anything. */
static int unique_rows(const sweep_case *c, int i)
{
  return i == 2 ? least(c->m, c->n) : 0;
}

static const sweep_family gelsd = {
  .op = &batched_gelsd_op,
  .nflags = 1,
  .noperands = 3,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .pivots = pivots,
  .call = call,
  .ratio = ratio,
  .unique_rows = unique_rows,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_ZERO | 1u << SWEEP_IDENTITY | 1u << SWEEP_RANK_ONE | 1u << SWEEP_SINGULAR |
           1u << SWEEP_BAD,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[8] = {2, 0, 0, 2, 2, 0, 0, 2}, y[4] = {1, 1, 1, 1}, s[4];
  int info[2], rank[2];
  const batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2), b = batched_strided(y, 2, 1, 2, 2, 2);
  const batched_matrix v = batched_strided(s, 2, 1, 2, 2, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_gelsd(NULL, a, b, v, -1, rank, info), -1);
  assert_int_equal(batched_gelsd(ctx, SWEEP_CHANGED(a, ld, 1), b, v, -1, rank, info), -2);
  assert_int_equal(batched_gelsd(ctx, a, SWEEP_CHANGED(b, m, 1), v, -1, rank, info), -3);
  assert_int_equal(batched_gelsd(ctx, a, b, SWEEP_CHANGED(v, m, 1), -1, rank, info), -4);
  assert_int_equal(batched_gelsd(ctx, a, b, v, __builtin_nan(""), rank, info), -5);
  assert_int_equal(batched_gelsd(ctx, a, b, v, -1, NULL, info), -6);
  assert_int_equal(batched_gelsd(ctx, a, b, v, -1, rank, NULL), -7);
  assert_int_equal(batched_gelsd(ctx, a, b, v, -1, rank, info), 0);
  assert_true(rank[0] == 2 && rank[1] == 2 && fabs(y[3] - 0.5) < 1e-15);
  batched_destroy(&ctx);
}

/* Sizes of which one array is NULL: matrices of one height, and B higher than some; and of one width. */
static void test_one_size_varies(void **unused)
{
  (void)unused;
  double a[2][6] = {{3, 4}, {1, 0, 0, 2, 0, 0}}, b[2][3] = {{6, 8}, {5, 4, 9}}, s[2][2];
  double c[2][3] = {{3, 4, 0}, {2, 0}}, d[2][3] = {{6, 8, 9}, {4, 7}};
  const int widths[] = {1, 3}, heights[] = {2, 3}, lengths[] = {1, 2}, others[] = {3, 2};
  int rank[2], info[2];
  batched_matrix x = batched_with_sizes(batched_strided(a[0], 2, 3, 2, 6, 2), NULL, widths, NULL);
  batched_matrix y = batched_with_sizes(batched_strided(b[0], 3, 1, 3, 3, 2), heights, NULL, NULL);
  batched_matrix v = batched_with_sizes(batched_strided(s[0], 2, 1, 2, 2, 2), lengths, NULL, NULL);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_gelsd(ctx, x, y, v, -1, rank, info), 0);
  assert_true(fabs(b[0][0] - 2) < 1e-14);
  assert_true(fabs(b[1][0] - 5) < 1e-14 && fabs(b[1][1] - 2) < 1e-14 && fabs(b[1][2]) < 1e-14);
  x = batched_with_sizes(batched_strided(c[0], 3, 1, 3, 3, 2), others, NULL, NULL);
  y = batched_with_sizes(batched_strided(d[0], 3, 1, 3, 3, 2), others, NULL, NULL);
  assert_int_equal(batched_gelsd(ctx, x, y, batched_strided(s[0], 1, 1, 1, 2, 2), -1, rank, info), 0);
  assert_true(fabs(d[0][0] - 2) < 1e-14 && fabs(d[1][0] - 2) < 1e-14);
  assert_true(d[0][1] == 8 && d[0][2] == 9 && d[1][1] == 7); /* not a neighbour's numbers */
  batched_destroy(&ctx);
}

static void solve_scaled(batched_ctx *ctx, batched_matrix a, batched_matrix b, batched_matrix s, int *rank, int *info)
{
  assert_int_equal(batched_gelsd(ctx, a, b, s, 0, rank, info), 0);
}

static void test_powers(void **unused)
{
  (void)unused;
  check_powers(BATCHED_HOST, solve_scaled, true);
}

static void test_powers_on_gpu(void **unused)
{
  (void)unused;
  check_powers(BATCHED_CUDA, solve_scaled, true);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments), cmocka_unit_test(test_one_size_varies),
                                     cmocka_unit_test(test_powers)},
                          powers[] = {cmocka_unit_test(test_powers_on_gpu)};
  const int status = sweep_main(argc, argv, &gelsd, extra, 3);
  return sweep_then_on_gpu(status, "gelsd, powers of two", powers, 1);
}
