/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Eigenvalues of general matrices: |A V - V W| / (n |A| eps), the same of A^H and the left vectors, norms of the
 * vectors and their largest components (LAPACK's ddrvev), and the first two moments of the values, with and without
 * vectors.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/sweep/sweep.h"

/* flags: without left vectors, without right vectors */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {4, 4, 0},   {5, 5, 0},   {7, 7, 0},   {8, 8, 0}, {9, 9, 0},
  {15, 15, 0}, {16, 16, 0}, {17, 17, 0}, {31, 31, 0}, {32, 32, 0}, {33, 33, 0}, {48, 48, 0}, {-1},
};
static const int large_shapes[][3] = {{24, 24, 0}, {63, 63, 0},   {64, 64, 0},   {65, 65, 0},
                                      {81, 81, 0}, {100, 100, 0}, {129, 129, 0}, {-1}};

enum { JORDAN = SWEEP_KINDS, SYMMETRIC, ROTATION, TRIANGULAR, NEARLY_HESSENBERG, SMALL_BLOCK };
static const char *const own_kinds[] = {"Jordan block",      "symmetric",   "roots of 1", "triangle",
                                        "nearly Hessenberg", "small block", NULL};

static bool has_left(const sweep_case *c)
{
  return c->flags % 2 == 0;
}

static bool has_right(const sweep_case *c)
{
  return c->flags / 2 == 0;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .shareable = true, .m = c->m, .n = c->m};
  o[1] = (sweep_operand){.role = SWEEP_OUT, .form = SWEEP_COLUMN, .is_complex = true, .m = c->m, .n = 1};
  o[2] = (sweep_operand){.role = SWEEP_OUT, .is_complex = true, .m = c->m, .n = c->m};
  o[3] = o[2];
}

/* Element (i, j) of one of our own kinds. */
static wide element(const sweep_case *c, int i, int j)
{
  switch ((int)c->kind) {
  case JORDAN: return i == j ? 0.5L : j == i + 1;
  case SYMMETRIC: return cosl(i * 3.0L + j * 3.0L) + (i == j);
  case ROTATION: return i == (j + 1) % c->m;
  /* squares of what is far below the diagonal vanish beside 1 */
  case NEARLY_HESSENBERG: return i > j + 1 ? sqrtl(sweep_eps(c->type)) / 4 : i == j + 1 ? 1 : sweep_number(c->type);
  /* of which squares of squares underflow */
  case SMALL_BLOCK:
    if ((i < c->m / 2) != (j < c->m / 2)) return 0;
    return ldexpl(1, i < c->m / 2 ? 0 : batched_real_type(c->type) == BATCHED_S ? -40 : -300) * sweep_number(c->type);
  default: return i <= j ? sweep_number(c->type) : 0;
  }
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i > 0) return;
  if ((int)c->kind < SWEEP_KINDS) sweep_general(c, x);
  for (int j = 0; (int)c->kind >= SWEEP_KINDS && j < x.n; j++)
    for (int r = 0; r < x.m; r++) SWEEP_AT(x, r, j) = element(c, r, j);
  if (c->kind == SWEEP_BAD && x.n > 0) SWEEP_AT(x, x.m - 1, x.n / 2) = x.n % 2 ? __builtin_nanl("") : -__builtin_infl();
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  const batched_matrix none = {0};
  return batched_geev(ctx, x[0], x[1], has_left(c) ? x[2] : none, has_right(c) ? x[3] : none, info);
}

static bool is_all_nan(sweep_dense x)
{
  for (int64_t i = 0; i < (int64_t)x.m * x.n; i++)
    if (!isnan(creall(x.x[i]))) return false;
  return true;
}

/* |x| for scaled squares: elements are as large as 2^900. */
static long double norm_of_column(sweep_dense x, int j)
{
  long double sum = 0;
  for (int i = 0; i < x.m; i++) sum += powl(sweep_abs(SWEEP_AT(x, i, j)), 2);
  return sqrtl(sum);
}

/* The least imaginary part among the components that are largest but for rounding: one of them is real. */
static long double imaginary_part(const sweep_case *c, sweep_dense v, int j)
{
  long double largest = 0, part = 1;
  for (int i = 0; i < v.m; i++) largest = fmaxl(largest, sweep_abs(SWEEP_AT(v, i, j)));
  for (int i = 0; i < v.m; i++)
    if (sweep_abs(SWEEP_AT(v, i, j)) >= largest * (1 - 100 * sweep_eps(c->type)))
      part = fminl(part, fabsl(cimagl(SWEEP_AT(v, i, j))));
  return part;
}

/* The worst vector. */
static long double of_vectors(const sweep_case *c, sweep_dense a, sweep_dense w, sweep_dense v, bool left,
                              long double norm)
{
  const int n = c->m;
  sweep_dense r = sweep_new(n, n);
  long double worst = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) SWEEP_AT(r, i, j) = -(left ? conjl(w.x[j]) : w.x[j]) * SWEEP_AT(v, i, j);
  sweep_multiply(1, left ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS, a, BATCHED_NO_TRANS, v, r);
  for (int j = 0; j < n; j++) {
    worst = sweep_larger(worst, norm_of_column(r, j) / (n * sweep_unit(c, norm)));
    worst = sweep_larger(worst, fabsl(norm_of_column(v, j) - 1) / (n * sweep_eps(c->type)));
    worst = sweep_larger(worst, imaginary_part(c, v, j) / sweep_eps(c->type));
  }
  return worst;
}

/* The traces of A and A^2 against the sums of the values and of their squares. */
static long double of_moments(const sweep_case *c, sweep_dense a, sweep_dense w, long double norm)
{
  const int n = c->m;
  const long double size = norm > 0 ? norm : 1;
  wide first = 0, second = 0;
  for (int j = 0; j < n; j++) {
    first += SWEEP_AT(a, j, j) - w.x[j];
    second -= w.x[j] / size * (w.x[j] / size);
    for (int i = 0; i < n; i++) second += SWEEP_AT(a, i, j) / size * (SWEEP_AT(a, j, i) / size);
  }
  const long double unit = n * sqrtl(n) * sweep_unit(c, norm);
  return sweep_larger(sweep_abs(first) / unit, sweep_abs(second) * size / unit);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  if (c->kind == SWEEP_BAD && c->m > 0)
    return info > 0 && is_all_nan(after[1]) && (!has_left(c) || is_all_nan(after[2])) &&
               (!has_right(c) || is_all_nan(after[3]))
             ? 0
             : NAN;
  if (info != 0) return NAN;
  if (c->m == 0) return 0;
  const long double norm = sweep_norm(before[0]);
  long double r = of_moments(c, before[0], after[1], norm);
  if (has_left(c)) r = sweep_larger(r, of_vectors(c, before[0], after[1], after[2], true, norm));
  if (has_right(c)) r = sweep_larger(r, of_vectors(c, before[0], after[1], after[3], false, norm));
  return r;
}

/* Values come in any order. */
static int unique_rows(const sweep_case *c, int i)
{
  (void)c;
  (void)i;
  return 0;
}

static const sweep_family geev = {
  .op = &batched_geev_op,
  .nflags = 4,
  .noperands = 4,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .quick = 40,
  .own_kinds = own_kinds,
  .limit = 30,
  .square = true,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .unique_rows = unique_rows,
  .kinds = (1u << SWEEP_KINDS) - 1 - (1u << SWEEP_DENORMAL) - SWEEP_CONDITIONS,
  .host_kinds = 1u << SWEEP_DENORMAL,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[8] = {0};
  double complex y[4], z[8], t[8];
  int info[2];
  const batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2), w = batched_strided(y, 2, 1, 2, 2, 2), none = {0};
  const batched_matrix vl = batched_strided(z, 2, 2, 2, 4, 2), vr = batched_strided(t, 2, 2, 2, 4, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_geev(NULL, a, w, vl, vr, info), -1);
  assert_int_equal(batched_geev(ctx, SWEEP_CHANGED(a, m, 1), w, vl, vr, info), -2);
  assert_int_equal(batched_geev(ctx, a, SWEEP_CHANGED(w, type, BATCHED_D), vl, vr, info), -3);
  assert_int_equal(batched_geev(ctx, a, w, SWEEP_CHANGED(vl, type, BATCHED_D), vr, info), -4);
  assert_int_equal(batched_geev(ctx, a, w, none, SWEEP_CHANGED(vr, n, 1), info), -5);
  assert_int_equal(batched_geev(ctx, a, w, vl, vr, NULL), -6);
  assert_int_equal(batched_geev(ctx, SWEEP_CHANGED(a, count, 0), SWEEP_CHANGED(w, count, 0), none, none, NULL), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &geev, extra, 1);
}
