/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Eigenvalues: |A - Z W Z^H| / (n |A| eps), |Z^H Z - I| / (n eps), order; values alone against those with vectors.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/sweep/sweep.h"

/* flags: uplo (2), job (2) */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {4, 4, 0},   {5, 5, 0},   {7, 7, 0},   {8, 8, 0},   {9, 9, 0},
  {15, 15, 0}, {16, 16, 0}, {17, 17, 0}, {31, 31, 0}, {32, 32, 0}, {33, 33, 0}, {48, 48, 0}, {55, 55, 0}, {-1},
};
static const int large_shapes[][3] = {{24, 24, 0},   {63, 63, 0},   {64, 64, 0},   {65, 65, 0},
                                      {100, 100, 0}, {129, 129, 0}, {200, 200, 0}, {-1}};

static bool vectors(const sweep_case *c)
{
  return c->flags / 2 == 0;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = vectors(c) ? SWEEP_INOUT : SWEEP_IN, .m = c->m, .n = c->m};
  o[1] = (sweep_operand){.role = SWEEP_OUT, .form = SWEEP_COLUMN, .real = true, .m = c->m, .n = 1};
}

/* The triangle that is not read is poisoned where it stays, and has a NaN where vectors overwrite it. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 1) return;
  sweep_hermitian(c, x, false);
  const batched_uplo other = c->flags % 2 ? BATCHED_LOWER : BATCHED_UPPER;
  if (c->kind == SWEEP_BAD && x.n > 0) {
    const int last = x.n - 1, low = c->flags % 2 ? last : 0; /* the last row's first element, or its conjugate */
    SWEEP_AT(x, last - low, low) = x.n % 2 ? __builtin_nanl("") : -__builtin_infl();
  }
  if (!vectors(c)) sweep_poison_triangle(x, other);
  for (int j = 0; vectors(c) && j < x.n; j++)
    for (int k = 0; k < x.m; k++)
      if (other == BATCHED_UPPER ? k < j : k > j) SWEEP_AT(x, k, j) = __builtin_nanl("");
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  return batched_heev(ctx, vectors(c) ? BATCHED_VECTORS : BATCHED_VALUES, c->flags % 2 ? BATCHED_UPPER : BATCHED_LOWER,
                      x[0], x[1], info);
}

static bool is_all_nan(sweep_dense x)
{
  for (int64_t i = 0; i < (int64_t)x.m * x.n; i++)
    if (!isnan(creall(x.x[i]))) return false;
  return true;
}

static sweep_dense whole(const sweep_case *c, sweep_dense triangle)
{
  const bool upper = c->flags % 2;
  sweep_dense a = sweep_new(c->m, c->m);
  for (int j = 0; j < c->m; j++)
    for (int i = 0; i < c->m; i++)
      SWEEP_AT(a, i, j) = (upper ? i <= j : i >= j) ? SWEEP_AT(triangle, i, j) : conjl(SWEEP_AT(triangle, j, i));
  return a;
}

/* The largest distance of |A - w I| from being singular would need vectors; values alone are tested by their first two
 * moments, trace and Frobenius norm, to which an error in any of them adds. */
static long double moments(const sweep_case *c, sweep_dense a, sweep_dense w, long double norm)
{
  long double trace = 0, squares = 0;
  for (int i = 0; i < c->m; i++) {
    trace += creall(SWEEP_AT(a, i, i)) - creall(w.x[i]);
    squares += creall(w.x[i]) * creall(w.x[i]);
  }
  long double r = fabsl(trace) / (c->m * sweep_unit(c, norm));
  return sweep_larger(r, fabsl(sqrtl(squares) - norm) / (c->m * sweep_unit(c, norm)));
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m;
  if (c->kind == SWEEP_BAD && n > 0)
    return info > 0 && is_all_nan(after[1]) && (!vectors(c) || is_all_nan(after[0])) ? 0 : NAN;
  if (info != 0) return NAN;
  if (n == 0) return 0;
  sweep_dense a = whole(c, before[0]), z = after[0], w = after[1], zw = sweep_new(n, n);
  long double norm = sweep_norm(a);
  for (int i = 0; i < n; i++)
    if (!(creall(w.x[i]) >= creall(w.x[i ? i - 1 : 0]))) return NAN;
  if (norm == 0) {
    if (sweep_norm(w) != 0) return NAN;
    return vectors(c) ? sweep_orthogonality(z) / (n * sweep_eps(c->type)) : 0;
  }
  if (!vectors(c)) return moments(c, a, w, norm);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) SWEEP_AT(zw, i, j) = -creall(w.x[j]) * SWEEP_AT(z, i, j);
  sweep_multiply(1, BATCHED_NO_TRANS, zw, BATCHED_CONJ_TRANS, z, a);
  long double residual = sweep_norm(a) / (n * sweep_unit(c, norm));
  long double orthogonality = sweep_orthogonality(z) / (n * sweep_eps(c->type));
  return sweep_larger(residual, orthogonality);
}

/* Vectors have any sign. */
static int unique_rows(const sweep_case *c, int i)
{
  return i == 1 ? c->m : 0;
}

static const sweep_family heev = {
  .op = &batched_heev_op,
  .nflags = 4,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .square = true,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .unique_rows = unique_rows,
  .kinds = (1u << SWEEP_KINDS) - 1 - (1u << SWEEP_BAD),
};

/* What the two jobs give must agree to the error of either. */
static void test_values_alone(void **unused)
{
  (void)unused;
  enum { N = 6 };
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_heev_op.variants[BATCHED_HOST]; v->name; v++) {
    double a[N * N], w[N], wv[N];
    int info;
    sweep_seed(5);
    for (int i = 0; i < N * N; i++) a[i] = (double)sweep_uniform();
    batched_select(ctx, &batched_heev_op, v->name);
    batched_matrix m = batched_strided(a, N, N, N, N * N, 1);
    assert_int_equal(batched_heev(ctx, BATCHED_VALUES, BATCHED_LOWER, m, batched_strided(w, N, 1, N, N, 1), &info), 0);
    assert_int_equal(batched_heev(ctx, BATCHED_VECTORS, BATCHED_LOWER, m, batched_strided(wv, 1, N, 1, N, 1), &info),
                     0);
    for (int i = 0; i < N; i++) assert_true(fabs(w[i] - wv[i]) < 1e-14);
  }
  batched_destroy(&ctx);
}

/* A NaN or an infinity gives NaNs and a positive info; the neighbours are as they should be. */
static void test_not_finite(void **unused)
{
  (void)unused;
  const double bad[] = {__builtin_nan(""), __builtin_inf(), -__builtin_inf()};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_heev_op.variants[BATCHED_HOST]; v->name; v++) {
    batched_select(ctx, &batched_heev_op, v->name);
    for (int i = 0; i < 3; i++) {
      double a[3][4] = {{2, 1, 1, 2}, {1, bad[i], bad[i], 1}, {0, 3, 3, 0}}, w[3][2];
      int info[3] = {7, 7, 7};
      assert_int_equal(batched_heev(ctx, BATCHED_VECTORS, BATCHED_LOWER, batched_strided(a[0], 2, 2, 2, 4, 3),
                                    batched_strided(w[0], 2, 1, 2, 2, 3), info),
                       0);
      assert_true(info[0] == 0 && info[1] > 0 && info[2] == 0);
      assert_true(fabs(w[0][0] - 1) < 1e-14 && fabs(w[0][1] - 3) < 1e-14);
      assert_true(fabs(w[2][0] + 3) < 1e-14 && fabs(w[2][1] - 3) < 1e-14);
      for (int k = 0; k < 4; k++) assert_true(isnan(a[1][k]) && isnan(w[1][k % 2]));
      double _Complex z[4] = {CMPLX(2, bad[i]), 1, 0, CMPLX(2, bad[i])}; /* not looked at: real in a Hermitian matrix */
      assert_int_equal(batched_heev(ctx, BATCHED_VALUES, BATCHED_LOWER, batched_strided(z, 2, 2, 2, 4, 1),
                                    batched_strided(w[0], 2, 1, 2, 2, 1), info),
                       0);
      assert_true(info[0] == 0 && fabs(w[0][0] - 1) < 1e-14 && fabs(w[0][1] - 3) < 1e-14);
    }
  }
  batched_destroy(&ctx);
}

/* The largest component of each vector is real and positive, and Z is otherwise what it was. */
static void test_signs(void **unused)
{
  (void)unused;
  enum { N = 7 };
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_heev_op.variants[BATCHED_HOST]; v->name; v++) {
    double complex a[N * N], z[N * N];
    double w[N];
    int info;
    sweep_seed(7);
    for (int j = 0; j < N; j++)
      for (int i = j; i < N; i++)
        a[i + j * N] = z[i + j * N] = (double complex)sweep_number(i == j ? BATCHED_D : BATCHED_Z);
    batched_select(ctx, &batched_heev_op, v->name);
    const batched_matrix wv = batched_strided(w, N, 1, N, N, 1);
    assert_int_equal(
      batched_heev(ctx, BATCHED_SIGNED_VECTORS, BATCHED_LOWER, batched_strided(z, N, N, N, N * N, 1), wv, &info), 0);
    for (int k = 0; k < N; k++) {
      int most = 0;
      for (int i = 0; i < N; i++) {
        double complex r = -w[k] * z[i + k * N];
        for (int j = 0; j < N; j++) r += (i >= j ? a[i + j * N] : conj(a[j + i * N])) * z[j + k * N];
        assert_true(cabs(r) < 1e-13);
        if (cabs(z[i + k * N]) > cabs(z[most + k * N])) most = i;
      }
      assert_true(creal(z[most + k * N]) > 0.3 && cimag(z[most + k * N]) == 0);
    }
  }
  batched_destroy(&ctx);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[16] = {0}, w[4];
  float wf[4];
  int info[2];
  batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2), v = batched_strided(w, 2, 1, 2, 2, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_heev(NULL, BATCHED_VECTORS, BATCHED_LOWER, a, v, info), -1);
  assert_int_equal(batched_heev(ctx, BATCHED_MULTIPLY, BATCHED_LOWER, a, v, info), -2);
  assert_int_equal(batched_heev(ctx, BATCHED_VECTORS, 2, a, v, info), -3);
  assert_int_equal(batched_heev(ctx, BATCHED_VECTORS, BATCHED_LOWER, SWEEP_CHANGED(a, m, 1), v, info), -4);
  assert_int_equal(batched_heev(ctx, BATCHED_VECTORS, BATCHED_LOWER, SWEEP_CHANGED(a, stride, 0), v, info), -4);
  assert_int_equal(batched_heev(ctx, BATCHED_VECTORS, BATCHED_LOWER, a, SWEEP_CHANGED(v, m, 1), info), -5);
  assert_int_equal(batched_heev(ctx, BATCHED_VECTORS, BATCHED_LOWER, a, batched_strided(wf, 2, 1, 2, 2, 2), info), -5);
  assert_int_equal(batched_heev(ctx, BATCHED_VECTORS, BATCHED_LOWER, a, v, NULL), -6);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_values_alone), cmocka_unit_test(test_not_finite),
                                     cmocka_unit_test(test_signs), cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &heev, extra, 4);
}
