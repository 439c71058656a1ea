/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bands of the tests: their widths, matrices of each kind in LAPACK's storage, and what stands in it as a dense matrix.
 */
#ifndef TESTS_BATCHED_BAND_CASE_H
#define TESTS_BATCHED_BAND_CASE_H

#include <math.h>

#include "tests/batched/sweep/sweep.h"

/* Widths that the flags stand for: those of kernels, and LAPACK's (dchkgb), which are wider than the matrix, too. */
enum { BAND_FIXED = 8, BAND_WIDTHS = BAND_FIXED + 16 };
static const int band_fixed[BAND_FIXED][2] = {{2, 3}, {10, 7}, {1, 1}, {3, 3}, {32, 32}, {0, 2}, {17, 14}, {4, 1}};

typedef struct band_widths {
  int kl, ku;
} band_widths;

static inline int band_wide(int which, int n)
{
  const int width[] = {0, (n + 1) / 4, (3 * n - 1) / 4, (5 * n + 1) / 4};
  return width[which];
}

static inline band_widths band_widths_of(int which, int m, int n)
{
  if (which < BAND_FIXED) return (band_widths){band_fixed[which][0], band_fixed[which][1]};
  return (band_widths){band_wide((which - BAND_FIXED) % 4, m), band_wide((which - BAND_FIXED) / 4, n)};
}

/* One width, for symmetric and triangular matrices. */
enum { BAND_FIXED_DEPTHS = 6, BAND_DEPTHS = BAND_FIXED_DEPTHS + 4 };

static inline int band_depth_of(int which, int n)
{
  static const int fixed[BAND_FIXED_DEPTHS] = {2, 10, 1, 3, 32, 17};
  return which < BAND_FIXED_DEPTHS ? fixed[which] : band_wide(which - BAND_FIXED_DEPTHS, n);
}

/* Storage whose row `zero` holds the diagonal. */
typedef struct band_layout {
  int m, kl, ku, zero;
} band_layout;

static inline bool band_has(band_layout l, int i, int j)
{
  return i >= 0 && i < l.m && i - j <= l.kl && j - i <= l.ku;
}

/* Element (i, j) in storage. */
#define BAND_AT(ab, l, i, j) SWEEP_AT(ab, (l).zero + (i) - (j), j)

static inline void band_store(band_layout l, sweep_dense a, sweep_dense ab)
{
  for (int j = 0; j < a.n; j++)
    for (int i = j > l.ku ? j - l.ku : 0; i < a.m && i <= j + l.kl; i++) BAND_AT(ab, l, i, j) = SWEEP_AT(a, i, j);
}

static inline sweep_dense band_load(band_layout l, sweep_dense ab)
{
  const sweep_dense a = sweep_new(l.m, ab.n);
  for (int j = 0; j < a.n; j++)
    for (int i = j > l.ku ? j - l.ku : 0; i < a.m && i <= j + l.kl; i++) SWEEP_AT(a, i, j) = BAND_AT(ab, l, i, j);
  return a;
}

/* Of a hard kind: the condition that rows are scaled to, as large as LAPACK's sqrt(.1 / eps) and .1 / eps and
 * beyond. */
static inline long double band_condition(const sweep_case *c)
{
  const long double most = 0.1L / sweep_eps(c->type);
  if (!(1u << c->kind & SWEEP_CONDITIONS)) return c->kind == SWEEP_ILL ? most : 1;
  return fminl(powl(10, 2 + 4 * ((int)c->kind - (int)SWEEP_CONDITION_2)), most);
}

/* How small row i of n is to be. */
static inline long double band_grade(const sweep_case *c, int i, int n)
{
  return n > 1 ? powl(band_condition(c), -(long double)i / (n - 1)) : 1;
}

/* The column of zeros in a BAD matrix: the first, one in the middle or the last, by the flags. */
static inline int band_bad_column(int flags, int n)
{
  return flags % 3 == 0 ? 0 : flags % 3 == 1 ? n / 2 : n - 1;
}

/* A matrix of the kind, of which only the band counts.  SINGULAR: the last half of the columns is zero (LAPACK's fourth
 * type); NEARLY_SINGULAR: two rows are the same up to eps. */
static inline sweep_dense band_dense(const sweep_case *c, int m, int n)
{
  const sweep_dense a = sweep_new(m, n);
  sweep_case plain = *c;
  if (band_condition(c) > 1 || c->kind == SWEEP_SINGULAR || c->kind == SWEEP_NEARLY_SINGULAR || c->kind == SWEEP_BAD)
    plain.kind = SWEEP_RANDOM;
  sweep_general(&plain, a);
  for (int i = 0; i < m; i++) {
    const long double grade = band_grade(c, i, m);
    for (int j = 0; j < n; j++) {
      SWEEP_AT(a, i, j) *= grade;
      if (c->kind == SWEEP_SINGULAR && 2 * j >= n) SWEEP_AT(a, i, j) = 0;
      if (c->kind == SWEEP_BAD && j == band_bad_column(c->flags, m < n ? m : n)) SWEEP_AT(a, i, j) = 0;
    }
  }
  for (int j = 0; c->kind == SWEEP_NEARLY_SINGULAR && m > 1 && j < n; j++)
    SWEEP_AT(a, m - 1, j) = SWEEP_AT(a, m / 2, j) * (1 + j * sweep_eps(c->type));
  return a;
}

/* Random matrices get a stronger diagonal than LAPACK's, for their condition not to decide how far apart rows are; and
 * triangular ones one that keeps their inverses from growing with the order. */
static inline void band_strengthen(const sweep_case *c, band_widths w, sweep_dense a)
{
  const int wide = w.kl > w.ku ? w.kl : w.ku;
  if (c->kind != SWEEP_RANDOM && c->kind != SWEEP_LARGE && c->kind != SWEEP_SMALL) return;
  for (int k = 0; k < a.m && k < a.n; k++) {
    const long double more = sweep_scale(c) * (w.kl == 0 || w.ku == 0 ? 1 + 0.5L * wide : 1);
    SWEEP_AT(a, k, k) += creall(SWEEP_AT(a, k, k)) < 0 ? -more : more;
  }
}

/* A Hermitian positive definite matrix of the kind, even if only a band of it counts: diagonally dominant, and for the
 * hard kinds with rows and columns scaled. */
static inline sweep_dense band_positive(const sweep_case *c, int n)
{
  const sweep_dense a = sweep_new(n, n);
  sweep_case plain = *c;
  if (band_condition(c) > 1) plain.kind = SWEEP_RANDOM;
  sweep_hermitian(&plain, a, true);
  for (int k = 0; band_condition(c) > 1 && k < n; k++) {
    const long double root = sqrtl(band_grade(c, k, n));
    for (int l = 0; l < n; l++) SWEEP_AT(a, k, l) *= root, SWEEP_AT(a, l, k) *= root;
  }
  return a;
}

/* L is a product of exchanges and columns of multipliers l(i, k), 0 < i - k <= kl: X becomes L X. */
static inline void band_multiply_lower(band_layout l, sweep_dense f, const int *pivots, int npivots, sweep_dense x)
{
  for (int k = npivots - 1; k >= 0; k--) {
    const int p = pivots[k] - 1;
    for (int j = 0; j < x.n; j++) {
      for (int i = k + 1; i < x.m && i <= k + l.kl; i++) SWEEP_AT(x, i, j) += BAND_AT(f, l, i, k) * SWEEP_AT(x, k, j);
      const wide t = SWEEP_AT(x, k, j);
      SWEEP_AT(x, k, j) = SWEEP_AT(x, p, j);
      SWEEP_AT(x, p, j) = t;
    }
  }
}

/* The matrix that factors and pivots in gbtrf's storage stand for. */
static inline sweep_dense band_product(int m, band_widths w, sweep_dense f, const int *pivots)
{
  const band_layout upper = {m, 0, w.kl + w.ku, w.kl + w.ku}, lower = {m, w.kl, 0, w.kl + w.ku};
  const sweep_dense a = band_load(upper, f);
  band_multiply_lower(lower, f, pivots, m < f.n ? m : f.n, a);
  return a;
}

/* |op(A) X - B| / (n |A| |X| eps) */
static inline long double band_residual(const sweep_case *c, batched_trans trans, sweep_dense a, sweep_dense x,
                                        sweep_dense b)
{
  if (x.m == 0 || x.n == 0) return 0;
  const sweep_dense residual = sweep_new(b.m, b.n);
  sweep_multiply(1, trans, a, BATCHED_NO_TRANS, x, residual);
  for (int64_t e = 0; e < (int64_t)b.m * b.n; e++) residual.x[e] -= b.x[e];
  const long double error = sweep_norm(residual);
  return error == 0 ? 0 : error / (x.m * sweep_unit(c, sweep_norm(a) * sweep_norm(x)));
}

static inline void band_random(const sweep_case *c, sweep_dense x)
{
  for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) x.x[e] = sweep_number(c->type);
}

static inline bool band_same(sweep_dense x, sweep_dense y)
{
  for (int64_t e = 0; e < (int64_t)x.m * x.n; e++)
    if (x.x[e] != y.x[e]) return false;
  return true;
}

/* A width, or the number of rows, of each matrix of the case. */
static inline batched_extent band_extent(const sweep_case *c, int which, int bound)
{
  return batched_each(bound, c->extents[which]);
}

#endif
