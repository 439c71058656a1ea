/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Least squares of any rank by QR with pivoting: A^H (B - A X) = 0, X in the range of A^H, and the rank that the kind
 * of matrix has.
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
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 1) {
    for (int j = 0; j < x.n; j++)
      for (int r = 0; r < x.m; r++) SWEEP_AT(x, r, j) = r < c->m ? sweep_number(c->type) : (wide)NAN;
    return;
  }
  sweep_general(c, x);
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
  oracle_clear_info(ctx, c, info);
  return batched_gelsy(ctx, x[0], x[1], (double)sweep_eps(c->type) * 1000, c->pivots);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int m = c->m, n = c->n, k = least(m, n), rank = c->pivots[0];
  (void)info;
  if ((k > 0 && !has_rank(c, rank)) || (k == 0 && rank != 0)) return NAN;
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
  return sweep_larger(residual, outside(before[0], rank, x) / (unit * 1000 * size_x));
}

/* X is n x k; below it anything. */
static int unique_rows(const sweep_case *c, int i)
{
  (void)c;
  (void)i;
  return 0;
}

static const sweep_family gelsy = {
  .op = &batched_gelsy_op,
  .nflags = 1,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .pivots = pivots,
  .call = call,
  .ratio = ratio,
  .unique_rows = unique_rows,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_ZERO | 1u << SWEEP_IDENTITY | 1u << SWEEP_RANK_ONE | 1u << SWEEP_SINGULAR,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[8] = {2, 0, 0, 2, 2, 0, 0, 2}, y[4] = {1, 1, 1, 1};
  int rank[2];
  const batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2), b = batched_strided(y, 2, 1, 2, 2, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_gelsy(NULL, a, b, -1, rank), -1);
  assert_int_equal(batched_gelsy(ctx, SWEEP_CHANGED(a, ld, 1), b, -1, rank), -2);
  assert_int_equal(batched_gelsy(ctx, a, SWEEP_CHANGED(b, m, 1), -1, rank), -3);
  assert_int_equal(batched_gelsy(ctx, a, b, __builtin_nan(""), rank), -4);
  assert_int_equal(batched_gelsy(ctx, a, b, -1, NULL), -5);
  assert_int_equal(batched_gelsy(ctx, a, b, -1, rank), 0);
  assert_true(rank[0] == 2 && rank[1] == 2 && fabs(y[3] - 0.5) < 1e-15);
  batched_destroy(&ctx);
}

/* A NaN or an infinity anywhere in A, be it behind the columns that were chosen, makes its X NaN, and no other. */
static void check_not_finite(batched_ctx *ctx, int m, int n, int at, double strange, bool variable)
{
  double x[3 * 15], y[3 * 5], *xs[3], *ys[3];
  int rank[3] = {7, 7, 7};
  const int ms[] = {m, m, m}, longest = m > n ? m : n;
  for (int i = 0; i < 3; i++) xs[i] = x + i * m * n, ys[i] = y + i * longest;
  for (int i = 0; i < 3 * m * n; i++) x[i] = (i % (m * n)) % (m + 1) ? 0.1 * (i % (m * n) % 7) : 3;
  for (int i = 0; i < 3 * longest; i++) y[i] = 1;
  x[m * n + at] = strange;
  batched_matrix a = batched_array(xs, m, n, m, 3), b = batched_array(ys, longest, 1, longest, 3);
  if (variable) a = batched_with_sizes(a, ms, NULL, NULL);
  assert_int_equal(batched_gelsy(ctx, a, b, -1, rank), 0);
  assert_true(rank[0] == (m < n ? m : n) && rank[1] == 0 && rank[2] == rank[0]);
  for (int i = 0; i < n; i++) assert_true(isnan(ys[1][i]) && isfinite(ys[0][i]) && ys[0][i] == ys[2][i]);
}

static void test_not_finite(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (int i = 0; i < 15; i++)
    for (int variable = 0; variable < 2; variable++) {
      check_not_finite(ctx, 5, 3, i, NAN, variable);
      check_not_finite(ctx, 3, 5, i, -INFINITY, variable);
    }
  batched_destroy(&ctx);
}

static void solve_scaled(batched_ctx *ctx, batched_matrix a, batched_matrix b, batched_matrix s, int *rank, int *info)
{
  (void)s, (void)info;
  assert_int_equal(batched_gelsy(ctx, a, b, 0, rank), 0);
}

static void test_powers(void **unused)
{
  (void)unused;
  check_powers(BATCHED_HOST, solve_scaled, false);
}

static void test_powers_on_gpu(void **unused)
{
  (void)unused;
  check_powers(BATCHED_CUDA, solve_scaled, false);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments), cmocka_unit_test(test_not_finite),
                                     cmocka_unit_test(test_powers)},
                          powers[] = {cmocka_unit_test(test_powers_on_gpu)};
  const int status = sweep_main(argc, argv, &gelsy, extra, 3);
  return sweep_then_on_gpu(status, "gelsy, powers of two", powers, 1);
}
