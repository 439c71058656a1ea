/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Least squares: |op(A)^H (B - op(A) X)| / (size |A| (|A| |X| + |B|) eps).  Least norm: |op(A) X - B| in the same units
 * without the outer |A|, and X lies in the range of op(A)^H.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/qr/qr_oracle.h"

/* m x n, k right-hand sides; flags: trans */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 1},    {2, 2, 3},   {3, 2, 1},    {2, 5, 2},    {4, 4, 1},    {5, 0, 2},   {0, 3, 2},
  {5, 5, 0},   {8, 8, 1},    {9, 7, 3},   {7, 9, 2},    {16, 16, 16}, {20, 31, 2},  {33, 17, 5}, {32, 32, 2},
  {48, 33, 3}, {33, 64, 40}, {65, 65, 2}, {100, 30, 4}, {30, 120, 3}, {150, 20, 2}, {-1},
};

static const int large_shapes[][3] = {{128, 128, 2}, {200, 129, 3}, {100, 256, 1}, {256, 256, 33},
                                      {400, 400, 1}, {512, 64, 2},  {-1}};

static int longer(const sweep_case *c)
{
  return c->m > c->n ? c->m : c->n;
}

/* Is op(A) what is factored, and not its adjoint? */
static bool is_over(const sweep_case *c)
{
  return (c->m >= c->n) == !c->flags;
}

/* The column of F = A or A^H that is zero in a BAD case, or -1.  LAPACK has another answer where all of A is zero. */
static int zero_column(const sweep_case *c)
{
  const int k = least(c->m, c->n);
  return c->kind == SWEEP_BAD && k > 1 ? 2 * (k - 1) / 3 : -1;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
  o[1] = (sweep_operand){.role = SWEEP_INOUT, .m = longer(c), .n = c->k};
}

static batched_trans trans(const sweep_case *c)
{
  return !c->flags ? BATCHED_NO_TRANS : batched_is_complex(c->type) ? BATCHED_CONJ_TRANS : BATCHED_TRANS;
}

static void fill_matrix(const sweep_case *c, sweep_dense x)
{
  const int zero = zero_column(c);
  sweep_general(c, x);
  if (c->kind != SWEEP_RANDOM && c->kind != SWEEP_LARGE && c->kind != SWEEP_SMALL && c->kind != SWEEP_BAD) return;
  for (int j = 0; j < least(c->m, c->n); j++) /* well conditioned */
    SWEEP_AT(x, j, j) += 2 * sqrtl(longer(c)) * sweep_scale(c);
  for (int j = 0; zero >= 0 && j < longer(c); j++)
    if (c->m >= c->n)
      SWEEP_AT(x, j, zero) = 0;
    else
      SWEEP_AT(x, zero, j) = 0;
}

/* Only its first rows are read where Q is applied to the solution of a triangle. */
static void fill_right_hand_side(const sweep_case *c, sweep_dense x)
{
  const int rows = is_over(c) ? longer(c) : least(c->m, c->n);
  const sweep_dense b = sweep_new(rows, x.n);
  if (sweep_is_hard(c->kind)) /* for a small X */
    sweep_right_hand_side(c->type, trans(c), sweep_first_operand(c), b);
  else
    for (int64_t e = 0; e < (int64_t)rows * x.n; e++) b.x[e] = sweep_number(c->type) * sweep_scale(c);
  for (int j = 0; j < x.n; j++)
    for (int r = 0; r < x.m; r++) SWEEP_AT(x, r, j) = r < rows ? SWEEP_AT(b, r, j) : (wide)NAN;
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0)
    fill_matrix(c, x);
  else
    fill_right_hand_side(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  return batched_gels(ctx, trans(c), x[0], x[1], info);
}

/* How far is x from the range of f, whose columns become orthonormal here? */
static long double distance(sweep_dense f, sweep_dense x)
{
  for (int j = 0; j < f.n + x.n; j++) {
    const bool basis = j < f.n;
    sweep_dense column = {f.m, 1, basis ? &SWEEP_AT(f, 0, j) : &SWEEP_AT(x, 0, j - f.n)};
    for (int twice = 0; twice < 2; twice++) {
      for (int p = 0; p < (basis ? j : f.n); p++) {
        wide dot = 0;
        for (int i = 0; i < f.m; i++) dot += conjl(SWEEP_AT(f, i, p)) * column.x[i];
        for (int i = 0; i < f.m; i++) column.x[i] -= dot * SWEEP_AT(f, i, p);
      }
    }
    const long double norm = basis ? sweep_norm(column) : 1;
    for (int i = 0; basis && i < f.m; i++) column.x[i] /= norm;
  }
  return sweep_norm(x);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int big = longer(c), k = least(c->m, c->n), zero = zero_column(c), rows = is_over(c) ? big : k;
  if (info != (zero < 0 ? 0 : zero + 1)) return NAN;
  if (zero >= 0 || c->k == 0 || big == 0) return 0;
  sweep_dense f = sweep_new(big, k), x = sweep_new(is_over(c) ? k : big, c->k), r = sweep_new(rows, c->k);
  for (int j = 0; j < k; j++)
    for (int i = 0; i < big; i++)
      SWEEP_AT(f, i, j) = c->m >= c->n ? SWEEP_AT(before[0], i, j) : conjl(SWEEP_AT(before[0], j, i));
  for (int j = 0; j < c->k; j++) {
    for (int i = 0; i < x.m; i++) SWEEP_AT(x, i, j) = SWEEP_AT(after[1], i, j);
    for (int i = 0; i < rows; i++) SWEEP_AT(r, i, j) = SWEEP_AT(before[1], i, j);
  }
  const long double a = sweep_norm(f), size_x = sweep_norm(x);
  if (k == 0) return is_over(c) || size_x == 0 ? 0 : NAN;
  const long double rounding = sweep_unit(c, a) * size_x + sweep_unit(c, sweep_norm(r));
  sweep_multiply(-1, is_over(c) ? BATCHED_NO_TRANS : BATCHED_CONJ_TRANS, f, BATCHED_NO_TRANS, x, r);
  if (is_over(c)) {
    sweep_dense gradient = sweep_new(k, c->k);
    sweep_multiply(1, BATCHED_CONJ_TRANS, f, BATCHED_NO_TRANS, r, gradient);
    return sweep_norm(gradient) / (big * a * rounding);
  }
  const long double residual = sweep_norm(r) / (big * rounding);
  /* of other kinds the range is no better known than by their condition */
  const bool known = c->kind != SWEEP_GRADED && c->kind != SWEEP_DENORMAL && !sweep_is_hard(c->kind);
  const long double out = known ? distance(f, x) / (big * sweep_eps(c->type) * size_x) : 0;
  return sweep_larger(residual, out);
}

/* X: what is below it is not specified, nor what A is then. */
static int unique_rows(const sweep_case *c, int i)
{
  return i == 0 ? 0 : is_over(c) ? least(c->m, c->n) : longer(c);
}

static const sweep_family gels = {
  .op = &batched_gels_op,
  .nflags = 2,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .unique_rows = unique_rows,
  /* nearly singular ones may become singular as they are rounded, and then have no solution */
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_IDENTITY | 1u << SWEEP_DIAGONAL |
           1u << SWEEP_GRADED | 1u << SWEEP_BAD | 1u << SWEEP_HIDDEN | SWEEP_CONDITIONS,
  .host_kinds = 1u << SWEEP_DENORMAL,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[32] = {0};
  double _Complex z[32] = {0};
  int info[2];
  batched_matrix a = batched_strided(x, 3, 2, 3, 6, 2), b = batched_strided(x + 12, 3, 1, 3, 3, 2);
  batched_matrix za = batched_strided(z, 3, 2, 3, 6, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_gels(NULL, BATCHED_TRANS, a, b, info), -1);
  assert_int_equal(batched_gels(ctx, 3, a, b, info), -2);
  assert_int_equal(batched_gels(ctx, BATCHED_TRANS, za, za, info), -2);
  assert_int_equal(batched_gels(ctx, BATCHED_TRANS, BAD(a, ld, 2), b, info), -3);
  assert_int_equal(batched_gels(ctx, BATCHED_TRANS, a, BAD(b, m, 2), info), -4);
  assert_int_equal(batched_gels(ctx, BATCHED_TRANS, a, BAD(b, stride, 0), info), -4);
  assert_int_equal(batched_gels(ctx, BATCHED_TRANS, a, b, NULL), -5);
  batched_destroy(&ctx);
}

/* There is no X for a matrix of zeros, whatever its size, nor where there are no right-hand sides. */
static void test_zeros(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_gels_op.variants[BATCHED_HOST]; v->name; v++) {
    batched_select(ctx, &batched_gels_op, v->name);
    for (int over = 0; over < 2; over++) {
      const int m = 2 + over, n = 3 - over;
      double a[2 * 6] = {0}, b[2 * 3] = {1, 2, 3, 4, 5, 6};
      int info[2] = {7, 7};
      a[6] = a[6 + m + 1] = 1;
      assert_int_equal(
        batched_gels(ctx, BATCHED_NO_TRANS, batched_strided(a, m, n, m, 6, 2), batched_strided(b, 3, 1, 3, 3, 2), info),
        0);
      assert_true(info[0] == 1 && info[1] == 0);
    }
  }
  static double a[50 * 50], b[50];
  int info = 7;
  assert_int_equal(batched_select(ctx, &batched_gels_op, "auto"), 0);
  assert_int_equal(batched_gels(ctx, BATCHED_NO_TRANS, batched_strided(a, 50, 50, 50, 2500, 1),
                                batched_strided(b, 50, 0, 50, 50, 1), &info),
                   0);
  assert_int_equal(info, 1);
  int both[2] = {7, 7};
  const int nrhss[2] = {0, 1};
  double singular[2][50 * 50] = {{0}}, *pa[2] = {singular[0], singular[1]}, *pb[2] = {b, b};
  for (int i = 0; i < 50; i++) singular[0][51 * i] = singular[1][51 * i] = i != 3;
  assert_int_equal(batched_gels(ctx, BATCHED_NO_TRANS, batched_array(pa, 50, 50, 50, 2),
                                batched_variable(pb, 50, 1, 50, NULL, nrhss, NULL, 2), both),
                   0);
  assert_true(both[0] == 4 && both[1] == 4);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments), cmocka_unit_test(test_zeros)};
  return sweep_main(argc, argv, &gels, extra, 2);
}
