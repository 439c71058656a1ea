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
 * where norms or values of A over- or underflow.  `solve` takes A, m x n, and B, one column, of one type; s has room
 * for the values of A, info for two numbers. */
typedef void scaled_solver(batched_ctx *ctx, batched_matrix a, batched_matrix b, batched_matrix s, int *rank,
                           int *info);

/* `both` in the context's memory: A, B, values, of two matrices; rank and info. */
typedef struct scaled_problem {
  batched_ctx *ctx;
  scaled_solver *solve;
  char *both;
  int *numbers;
  bool has_info;
} scaled_problem;

#define CHECK_POWERS(T, R, TYPE) \
  static inline void check_powers_##TYPE(const scaled_problem *p, int m, int n, int ea, int eb) \
  { \
    T a[2][15], b[2][5]; \
    int numbers[4] = {0}; \
    T *const to_a = (T *)p->both, *const to_b = to_a + 30; \
    R *const to_s = (R *)(to_b + 10); \
    for (int i = 0; i < 15; i++) { \
      a[0][i] = (T)(0.5 + 0.0625 * ((7 * i) % 8)); \
      a[1][i] = a[0][i] * (T)ldexp(1, ea / 2) * (T)ldexp(1, ea - ea / 2); \
    } \
    for (int i = 0; i < 5; i++) { \
      b[0][i] = (T)(i < m ? 0.75 + 0.03125 * i : 9); \
      b[1][i] = i < m ? b[0][i] * (T)ldexp(1, eb / 2) * (T)ldexp(1, eb - eb / 2) : b[0][i]; \
    } \
    assert_int_equal(batched_copy_from_host(p->ctx, to_a, a, sizeof a), 0); \
    assert_int_equal(batched_copy_from_host(p->ctx, to_b, b, sizeof b), 0); \
    p->solve(p->ctx, batched_strided(to_a, m, n, m, 15, 2), batched_strided(to_b, m > n ? m : n, 1, 5, 5, 2), \
             batched_strided(to_s, 3, 1, 3, 3, 2), p->numbers, p->numbers + 2); \
    assert_int_equal(batched_copy_to_host(p->ctx, b, to_b, sizeof b), 0); \
    assert_int_equal(batched_copy_to_host(p->ctx, numbers, p->numbers, (p->has_info ? 4 : 2) * sizeof *numbers), 0); \
    assert_true(numbers[0] >= 2 && numbers[1] == numbers[0] && numbers[2] == 0 && numbers[3] == 0); \
    for (int i = 0; i < n; i++) \
      assert_true(b[1][i] == b[0][i] * (T)ldexp(1, (eb - ea) / 2) * (T)ldexp(1, eb - ea - (eb - ea) / 2)); \
  } \
  static inline void check_range_##TYPE(const scaled_problem *p) \
  { \
    const int most = sizeof(R) == 4 ? 127 : 1023, \
              exponents[][2] = { \
                {0, 0},           {most, most},       {most, most - 20},    {-most, -most}, {-most, 20 - most}, \
                {most, most / 2}, {-most, -most / 2}, {most / 2, -most / 4}}; \
    for (int i = 0; i < 8; i++) { \
      check_powers_##TYPE(p, 5, 3, exponents[i][0], exponents[i][1]); \
      check_powers_##TYPE(p, 3, 5, exponents[i][0], exponents[i][1]); \
    } \
  }
CHECK_POWERS(float, float, float)
CHECK_POWERS(double, double, double)
CHECK_POWERS(float _Complex, float, complex_float)
CHECK_POWERS(double _Complex, double, complex_double)

/* Skipped where there is no GPU. */
static inline void check_powers(batched_space space, scaled_solver *solve, bool has_info)
{
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, space), 0);
  const scaled_problem p = {ctx, solve, batched_allocate(ctx, 50 * sizeof(double _Complex)),
                            batched_allocate(ctx, 4 * sizeof(int)), has_info};
  assert_true(p.both && p.numbers);
  check_range_float(&p);
  check_range_double(&p);
  check_range_complex_float(&p);
  check_range_complex_double(&p);
  batched_release(ctx, p.both);
  batched_release(ctx, p.numbers);
  batched_destroy(&ctx);
}

#endif
