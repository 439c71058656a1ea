/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows `mixed` of gesv and posv: they say how many steps the refinement took, leave A as it was where it converged, and
 * go back to the whole precision where a matrix asks for it, among others that do not.
 */
#ifndef TESTS_BATCHED_MIXED_CASE_H
#define TESTS_BATCHED_MIXED_CASE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "batched/batched_refine.h"
#include "tests/batched/sweep/sweep.h"

enum { MIXED_COUNT = 4, MIXED_ORDER = 150, MIXED_HARD = 2, MIXED_SINGULAR = 3 };

/* Hermitian and positive definite, whichever the call is: Householder's I - 2 v v^T times a diagonal times itself. */
static inline void mixed_matrix(double _Complex *a, int n, bool complex_numbers, double smallest, uint64_t seed)
{
  double _Complex *v = malloc((size_t)n * sizeof *v);
  double norm = 0;
  sweep_seed(seed);
  for (int i = 0; i < n; i++) {
    v[i] = (double)sweep_uniform() + (complex_numbers ? (double)sweep_uniform() * I : 0);
    norm += creal(v[i] * conj(v[i]));
  }
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      double _Complex sum = 0;
      for (int k = 0; k < n; k++) {
        const double d = pow(smallest, (double)k / (n - 1));
        sum += ((i == k) - 2 * v[i] * conj(v[k]) / norm) * d * ((j == k) - 2 * v[k] * conj(v[j]) / norm);
      }
      a[i + (int64_t)j * n] = sum;
    }
  free(v);
}

/* MIXED_COUNT systems, complex numbers as pairs, before and after the call; info, then the reported steps. */
typedef struct mixed_systems {
  size_t width, square, side; /* reals of a number, of A, of B */
  double *a, *b, *after, *x;  /* owned */
  int found[2 * MIXED_COUNT];
} mixed_systems;

enum { MIXED_RIGHT = 2 };

static inline void mixed_store(const double _Complex *from, size_t width, double *to)
{
  for (size_t e = 0; e < (size_t)MIXED_ORDER * MIXED_ORDER; e++) {
    to[e * width] = creal(from[e]);
    if (width == 2) to[2 * e + 1] = cimag(from[e]);
  }
}

/* Number i of x. */
static inline double _Complex mixed_at(const double *x, size_t width, size_t i)
{
  return width == 2 ? x[2 * i] + x[2 * i + 1] * I : x[i];
}

/* Two easy matrices, one of condition 1e12, and one that is singular. */
static inline mixed_systems mixed_new(bool complex_numbers)
{
  enum { N = MIXED_ORDER, ZERO = 70 /* row and column of zeros */ };
  const size_t width = complex_numbers ? 2 : 1, square = (size_t)N * N * width, side = (size_t)N * MIXED_RIGHT * width;
  double _Complex *one = malloc((size_t)N * N * sizeof *one);
  mixed_systems s = {width, square, side};
  s.a = malloc(MIXED_COUNT * square * sizeof *s.a);
  s.b = malloc(MIXED_COUNT * side * sizeof *s.b);
  s.after = malloc(MIXED_COUNT * square * sizeof *s.after);
  s.x = malloc(MIXED_COUNT * side * sizeof *s.x);
  assert_true(one && s.a && s.b && s.after && s.x);
  for (int m = 0; m < MIXED_COUNT; m++) {
    mixed_matrix(one, N, complex_numbers, m == MIXED_HARD ? 1e-12 : 1e-3, (uint64_t)m + 1);
    for (int e = 0; e < N && m == MIXED_SINGULAR; e++) one[e * N + ZERO] = one[ZERO * N + e] = 0;
    mixed_store(one, width, s.a + (size_t)m * square);
  }
  for (size_t e = 0; e < MIXED_COUNT * side; e++) s.b[e] = (double)sweep_uniform();
  free(one);
  return s;
}

static inline void mixed_free(mixed_systems *s)
{
  free(s->a);
  free(s->b);
  free(s->after);
  free(s->x);
}

/* One call by row `mixed` of `count` systems of order MIXED_ORDER.  a is what the call leaves of the matrices, b the
 * solutions; found [2][count]: info, and steps of refinement. */
static inline void mixed_solve(batched_space space, const batched_op *op, batched_type type, int count, int nrhs,
                               double *a, double *b, int *found,
                               int (*call)(batched_ctx *ctx, batched_matrix a, batched_matrix b, int *info))
{
  enum { N = MIXED_ORDER };
  const size_t side = sizeof(double) * (type == BATCHED_Z ? 2 : 1) * N * (size_t)count, squares = side * N,
               sides = side * (size_t)nrhs, reported = 2 * (size_t)count * sizeof *found;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, space), 0);
  double *da = batched_allocate(ctx, squares), *db = batched_allocate(ctx, sides);
  int *reports = batched_allocate(ctx, reported);
  batched_copy_from_host(ctx, da, a, squares);
  batched_copy_from_host(ctx, db, b, sides);
  assert_int_equal(batched_select(ctx, op, "mixed"), 0);
  assert_int_equal(batched_report_refinements(ctx, reports + count), 0);
  assert_int_equal(call(ctx, batched_make_strided(type, da, N, N, N, N * N, count),
                        batched_make_strided(type, db, N, nrhs, N, N * nrhs, count), reports),
                   0);
  batched_copy_to_host(ctx, a, da, squares);
  batched_copy_to_host(ctx, b, db, sides);
  batched_copy_to_host(ctx, found, reports, reported);
  batched_release(ctx, da);
  batched_release(ctx, db);
  batched_release(ctx, reports);
  batched_destroy(&ctx);
}

/* |A x - b| / |x| for right-hand side j of matrix m. */
static inline double mixed_residual(const mixed_systems *s, int m, int j)
{
  enum { N = MIXED_ORDER };
  const double *a = s->a + (size_t)m * s->square;
  const size_t side = (size_t)m * s->side + (size_t)j * N * s->width;
  double residual = 0, size = 0;
  for (size_t i = 0; i < N; i++) {
    const double _Complex x = mixed_at(s->x + side, s->width, i);
    double _Complex sum = -mixed_at(s->b + side, s->width, i);
    for (size_t k = 0; k < N; k++) sum += mixed_at(a, s->width, k * N + i) * mixed_at(s->x + side, s->width, k);
    residual += creal(sum * conj(sum));
    size += creal(x * conj(x));
  }
  return sqrt(residual / size);
}

static inline void mixed_judge(const mixed_systems *s, int m)
{
  const int info = s->found[m], steps = s->found[MIXED_COUNT + m];
  const double *a = s->a + (size_t)m * s->square, *after = s->after + (size_t)m * s->square;
  if (m == MIXED_SINGULAR) {
    assert_int_equal(info, 71);
    assert_int_equal(steps, -1);
    assert_memory_equal(s->x + (size_t)m * s->side, s->b + (size_t)m * s->side, s->side * sizeof *s->b);
    return;
  }
  assert_int_equal(info, 0);
  if (m == MIXED_HARD)
    assert_int_equal(steps, -1);
  else
    assert_true(steps >= 1 && steps <= 5);
  assert_int_equal(memcmp(after, a, s->square * sizeof *a) == 0, m != MIXED_HARD);
  for (int j = 0; j < MIXED_RIGHT; j++)
    assert_true(mixed_residual(s, m, j) < 30 * MIXED_ORDER * 0x1p-53 * sqrt((double)MIXED_ORDER));
}

/* What the call by row `mixed` does to matrices of each kind, beside each other. */
static inline void check_mixed(batched_space space, const batched_op *op, bool complex_numbers,
                               int (*call)(batched_ctx *ctx, batched_matrix a, batched_matrix b, int *info))
{
  mixed_systems s = mixed_new(complex_numbers);
  memcpy(s.after, s.a, MIXED_COUNT * s.square * sizeof *s.a);
  memcpy(s.x, s.b, MIXED_COUNT * s.side * sizeof *s.b);
  mixed_solve(space, op, complex_numbers ? BATCHED_Z : BATCHED_D, MIXED_COUNT, MIXED_RIGHT, s.after, s.x, s.found,
              call);
  for (int m = 0; m < MIXED_COUNT; m++) mixed_judge(&s, m);
  mixed_free(&s);
}

/* Right-hand sides times a power of two, whose squares under- or overflow, have the solution times that, in as many
 * steps. */
static inline void check_mixed_scales(batched_space space, const batched_op *op, bool complex_numbers,
                                      int (*call)(batched_ctx *ctx, batched_matrix a, batched_matrix b, int *info))
{
  enum { N = MIXED_ORDER };
  static const int exponents[] = {0, -540, -800, 700};
  const batched_type type = complex_numbers ? BATCHED_Z : BATCHED_D;
  const int width = complex_numbers ? 2 : 1;
  double *a = malloc(sizeof *a * N * N * (size_t)width), x[4][2 * N];
  double _Complex *one = malloc(sizeof *one * N * N);
  int found[4][2];
  mixed_matrix(one, N, complex_numbers, 1e-3, 1);
  for (int turn = 0; turn < 4; turn++) {
    mixed_store(one, (size_t)width, a);
    for (int i = 0; i < width * N; i++) x[turn][i] = ldexp(1 + i % 7, exponents[turn]);
    mixed_solve(space, op, type, 1, 1, a, x[turn], found[turn], call);
    assert_int_equal(found[turn][0], 0);
    assert_true(found[turn][1] > 0 && found[turn][1] == found[0][1]);
    for (int i = 0; i < width * N; i++) assert_true(x[turn][i] == ldexp(x[0][i], exponents[turn]));
  }
  free(a);
  free(one);
}

#endif
