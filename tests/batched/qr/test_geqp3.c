/* SPDX-License-Identifier: BSD-3-Clause
 *
 * QR with column pivoting: |A P - Q R| / (max(m, n) |A| eps), |Q^H Q - I| / (m eps), P a permutation, and each element
 * of R's diagonal at least as large as the rest of any column behind it.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/qr/qr_oracle.h"

/* flags: tau as a column, or as a row */
static const int shapes[][3] = {{0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 2, 0},   {2, 5, 0},    {5, 0, 0},
                                {0, 3, 0},   {8, 8, 0},   {9, 7, 0},   {7, 9, 0},   {16, 16, 0},  {20, 31, 0},
                                {33, 17, 0}, {32, 32, 0}, {48, 33, 0}, {65, 65, 0}, {100, 30, 0}, {-1}};
static const int large_shapes[][3] = {{128, 128, 0}, {200, 129, 0}, {100, 256, 0}, {-1}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
  o[1] = oracle_vector(SWEEP_OUT, least(c->m, c->n), c->flags);
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0) sweep_general(c, x);
}

static int pivots(const sweep_case *c)
{
  return c->n;
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  oracle_clear_info(ctx, c, info);
  return batched_geqp3(ctx, x[0], c->pivots, x[1]);
}

static bool is_permutation(int n, const int *jpvt)
{
  for (int j = 1; j <= n; j++) {
    int times = 0;
    for (int i = 0; i < n; i++) times += jpvt[i] == j;
    if (times != 1) return false;
  }
  return true;
}

/* The tail of column j from row i on, against R(i, i). */
static bool is_dominant(const sweep_case *c, sweep_dense r, long double norm)
{
  const int k = least(c->m, c->n);
  const long double slack = 100 * (c->m + c->n) * sweep_unit(c, norm);
  for (int i = 0; i < k; i++)
    for (int j = i + 1; j < c->n; j++) {
      long double squares = 0;
      for (int l = i; l <= j && l < c->m; l++) squares += powl(sweep_abs(SWEEP_AT(r, l, j)) / norm, 2);
      if (!(sqrtl(squares) * norm <= sweep_abs(SWEEP_AT(r, i, i)) * 1.0001L + slack)) return false;
    }
  return true;
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const int m = c->m, n = c->n, k = least(m, n);
  if (!is_permutation(n, c->pivots)) return NAN;
  if (k == 0) return 0;
  sweep_dense product = sweep_new(m, n), q = sweep_new(m, k);
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j && i < m; i++) SWEEP_AT(product, i, j) = SWEEP_AT(after[0], i, j);
  const long double norm = sweep_norm(before[0]);
  if (norm > 0 && !is_dominant(c, product, norm)) return NAN;
  oracle_apply(after[0], after[1], k, false, product);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) SWEEP_AT(product, i, j) -= SWEEP_AT(before[0], i, c->pivots[j] - 1);
  for (int j = 0; j < k; j++) SWEEP_AT(q, j, j) = 1;
  oracle_apply(after[0], after[1], k, false, q);
  const long double residual =
    norm > 0 ? sweep_norm(product) / ((m > n ? m : n) * sweep_unit(c, norm)) : sweep_norm(product);
  return sweep_larger(residual, sweep_orthogonality(q) / (m * sweep_eps(c->type)));
}

/* Columns of nearly the same length may come in any order. */
static int unique_rows(const sweep_case *c, int i)
{
  (void)c;
  (void)i;
  return 0;
}

static const sweep_family geqp3 = {
  .op = &batched_geqp3_op,
  .nflags = 2,
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
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO | 1u << SWEEP_IDENTITY |
           1u << SWEEP_DIAGONAL | 1u << SWEEP_RANK_ONE | 1u << SWEEP_SINGULAR | 1u << SWEEP_ILL | 1u << SWEEP_GRADED |
           1u << SWEEP_NEARLY_SINGULAR,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[8] = {0}, t[4];
  int jpvt[4];
  const batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2), tau = batched_strided(t, 2, 1, 2, 2, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_geqp3(NULL, a, jpvt, tau), -1);
  assert_int_equal(batched_geqp3(ctx, SWEEP_CHANGED(a, stride, 0), jpvt, tau), -2);
  assert_int_equal(batched_geqp3(ctx, a, NULL, tau), -3);
  assert_int_equal(batched_geqp3(ctx, a, jpvt, SWEEP_CHANGED(tau, m, 1)), -4);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &geqp3, extra, 1);
}
