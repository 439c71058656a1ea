/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of least squares of any rank share: is X of least norm, and is the rank the one of its kind of matrix?
 */
#ifndef TESTS_BATCHED_EIGEN_LEAST_SQUARES_CASE_H
#define TESTS_BATCHED_EIGEN_LEAST_SQUARES_CASE_H

#include "tests/batched/qr/qr_oracle.h"

/* The part of x that is not in the range of A^H = V, whose columns are the right vectors of rank r: by projection with
 * the columns of A^H, made orthonormal. */
static inline long double outside(sweep_dense a, int rank, sweep_dense x)
{
  sweep_dense q = sweep_new(a.n, rank > 0 ? rank : 1);
  int found = 0;
  for (int r = 0; r < a.m && found < rank; r++) {
    sweep_dense column = {a.n, 1, &SWEEP_AT(q, 0, found)};
    long double size = 0;
    for (int i = 0; i < a.n; i++) {
      column.x[i] = conjl(SWEEP_AT(a, r, i));
      size += creall(column.x[i] * conjl(column.x[i]));
    }
    for (int twice = 0; twice < 2; twice++)
      for (int p = 0; p < found; p++) {
        wide dot = 0;
        for (int i = 0; i < a.n; i++) dot += conjl(SWEEP_AT(q, i, p)) * column.x[i];
        for (int i = 0; i < a.n; i++) column.x[i] -= dot * SWEEP_AT(q, i, p);
      }
    const long double norm = sweep_norm(column);
    if (!(norm > 1e-3L * sqrtl(size))) continue;
    for (int i = 0; i < a.n; i++) column.x[i] /= norm;
    found++;
  }
  if (found < rank) return 0; /* rows too close to each other to tell */
  for (int j = 0; j < x.n; j++)
    for (int p = 0; p < found; p++) {
      wide dot = 0;
      for (int i = 0; i < a.n; i++) dot += conjl(SWEEP_AT(q, i, p)) * SWEEP_AT(x, i, j);
      for (int i = 0; i < a.n; i++) SWEEP_AT(x, i, j) -= dot * SWEEP_AT(q, i, p);
    }
  return sweep_norm(x);
}

static inline bool has_rank(const sweep_case *c, int rank)
{
  const int k = least(c->m, c->n);
  switch (c->kind) {
  case SWEEP_ZERO: return rank == 0;
  case SWEEP_RANK_ONE: return rank == 1;
  case SWEEP_SINGULAR: return k < 2 || rank < k;
  default: return rank == k;
  }
}

/* Where A and B are multiplied by powers of two, X changes by the power of two between them, the rank not at all, also
 * where norms or values of A over- or underflow.  `solve` takes A, m x n, and B, one column, of one type. */
typedef void scaled_solver(batched_ctx *ctx, batched_matrix a, batched_matrix b, int *rank);

#define CHECK_POWERS(T, TYPE, RANGE) \
  static inline void check_powers_##TYPE(batched_ctx *ctx, scaled_solver *solve, int m, int n, int ea, int eb) \
  { \
    T a[2][15], b[2][5]; \
    int rank[2]; \
    for (int i = 0; i < 15; i++) { \
      a[0][i] = (T)(0.5 + 0.0625 * ((7 * i) % 8)); \
      a[1][i] = a[0][i] * (T)ldexp(1, ea / 2) * (T)ldexp(1, ea - ea / 2); \
    } \
    for (int i = 0; i < 5; i++) { \
      b[0][i] = (T)(i < m ? 0.75 + 0.03125 * i : 9); \
      b[1][i] = i < m ? b[0][i] * (T)ldexp(1, eb / 2) * (T)ldexp(1, eb - eb / 2) : b[0][i]; \
    } \
    solve(ctx, batched_strided(a[0], m, n, m, 15, 2), batched_strided(b[0], m > n ? m : n, 1, 5, 5, 2), rank); \
    assert_true(rank[0] >= 2 && rank[1] == rank[0]); \
    for (int i = 0; i < n; i++) \
      assert_true(b[1][i] == b[0][i] * (T)ldexp(1, (eb - ea) / 2) * (T)ldexp(1, eb - ea - (eb - ea) / 2)); \
  } \
  static inline void check_range_##TYPE(batched_ctx *ctx, scaled_solver *solve) \
  { \
    const int most = RANGE, \
              exponents[][2] = { \
                {0, 0},           {most, most},       {most, most - 20},    {-most, -most}, {-most, 20 - most}, \
                {most, most / 2}, {-most, -most / 2}, {most / 2, -most / 4}}; \
    for (int i = 0; i < 8; i++) { \
      check_powers_##TYPE(ctx, solve, 5, 3, exponents[i][0], exponents[i][1]); \
      check_powers_##TYPE(ctx, solve, 3, 5, exponents[i][0], exponents[i][1]); \
    } \
  }
CHECK_POWERS(float, float, 127)
CHECK_POWERS(double, double, 1023)
CHECK_POWERS(float _Complex, complex_float, 127)
CHECK_POWERS(double _Complex, complex_double, 1023)

static inline void check_powers(scaled_solver *solve)
{
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  check_range_float(ctx, solve);
  check_range_double(ctx, solve);
  check_range_complex_float(ctx, solve);
  check_range_complex_double(ctx, solve);
  batched_destroy(&ctx);
}

#endif
