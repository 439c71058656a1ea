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

/* Calls `call` by row `mixed`: two easy matrices, one of condition 1e12, and one that is singular. */
static inline void check_mixed(batched_space space, const batched_op *op, bool complex_numbers,
                               int (*call)(batched_ctx *ctx, batched_matrix a, batched_matrix b, int *info))
{
  enum { N = MIXED_ORDER, NRHS = 2 };
  const batched_type type = complex_numbers ? BATCHED_Z : BATCHED_D;
  const size_t width = complex_numbers ? 2 : 1, square = (size_t)N * N * width, side = (size_t)N * NRHS * width;
  double *a = malloc(MIXED_COUNT * square * sizeof *a), *b = malloc(MIXED_COUNT * side * sizeof *b);
  double *after = malloc(MIXED_COUNT * square * sizeof *a), *x = malloc(MIXED_COUNT * side * sizeof *b);
  double _Complex *one = malloc((size_t)N * N * sizeof *one);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, space), 0);
  for (int m = 0; m < MIXED_COUNT; m++) {
    mixed_matrix(one, N, complex_numbers, m == MIXED_HARD ? 1e-12 : 1e-3, (uint64_t)m + 1);
    for (int e = 0; e < N * N; e++) {
      a[(size_t)m * square + (size_t)e * width] = creal(one[e]);
      if (width == 2) a[(size_t)m * square + 2 * (size_t)e + 1] = cimag(one[e]);
    }
    for (int e = 0; e < N && m == MIXED_SINGULAR; e++)
      for (size_t w = 0; w < width; w++)
        a[(size_t)m * square + ((size_t)e * N + 70) * width + w] =
          a[(size_t)m * square + ((size_t)70 * N + (size_t)e) * width + w] = 0;
  }
  for (size_t e = 0; e < MIXED_COUNT * side; e++) b[e] = (double)sweep_uniform();
  double *da = batched_allocate(ctx, MIXED_COUNT * square * sizeof *a);
  double *db = batched_allocate(ctx, MIXED_COUNT * side * sizeof *b);
  int *reports = batched_allocate(ctx, 2 * MIXED_COUNT * sizeof(int)), found[2 * MIXED_COUNT];
  batched_copy_from_host(ctx, da, a, MIXED_COUNT * square * sizeof *a);
  batched_copy_from_host(ctx, db, b, MIXED_COUNT * side * sizeof *b);
  assert_int_equal(batched_select(ctx, op, "mixed"), 0);
  assert_int_equal(batched_report_refinements(ctx, reports + MIXED_COUNT), 0);
  assert_int_equal(call(ctx, batched_make_strided(type, da, N, N, N, N * N, MIXED_COUNT),
                        batched_make_strided(type, db, N, NRHS, N, N * NRHS, MIXED_COUNT), reports),
                   0);
  batched_copy_to_host(ctx, after, da, MIXED_COUNT * square * sizeof *a);
  batched_copy_to_host(ctx, x, db, MIXED_COUNT * side * sizeof *b);
  batched_copy_to_host(ctx, found, reports, sizeof found);
  for (int m = 0; m < MIXED_COUNT; m++) {
    const int steps = found[MIXED_COUNT + m];
    const bool kept = memcmp(after + (size_t)m * square, a + (size_t)m * square, square * sizeof *a) == 0;
    if (m == MIXED_SINGULAR) {
      assert_int_equal(found[m], 71);
      assert_int_equal(steps, -1);
      assert_memory_equal(x + (size_t)m * side, b + (size_t)m * side, side * sizeof *b);
      continue;
    }
    assert_int_equal(found[m], 0);
    if (m == MIXED_HARD)
      assert_int_equal(steps, -1);
    else
      assert_true(steps >= 1 && steps <= 5);
    assert_int_equal(kept, m != MIXED_HARD);
    for (int j = 0; j < NRHS; j++) {
      double residual = 0, size = 0;
      for (int i = 0; i < N; i++) {
        double _Complex sum = 0;
        for (int k = 0; k <= N; k++) {
          const double *e = a + (size_t)m * square + ((size_t)k * N + (size_t)i) * width,
                       *y = (k < N ? x + (size_t)m * side + ((size_t)j * N + (size_t)k) * width
                                   : b + (size_t)m * side + ((size_t)j * N + (size_t)i) * width);
          const double _Complex number = width == 2 ? y[0] + y[1] * I : y[0];
          if (k == N)
            sum -= number;
          else
            sum += (width == 2 ? e[0] + e[1] * I : e[0]) * number;
          if (k < N && i == 0) size += creal(number * conj(number));
        }
        residual += creal(sum * conj(sum));
      }
      assert_true(sqrt(residual) < 30 * N * 0x1p-53 * sqrt((double)N) * sqrt(size));
    }
  }
  batched_release(ctx, da);
  batched_release(ctx, db);
  batched_release(ctx, reports);
  batched_destroy(&ctx);
  free(a);
  free(b);
  free(after);
  free(x);
  free(one);
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
  const size_t square = sizeof(double) * N * N * (size_t)width, side = sizeof(double) * N * (size_t)width;
  double *a = malloc(square), x[4][2 * N];
  double _Complex *one = malloc(sizeof *one * N * N);
  int found[4][2];
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, space), 0);
  assert_int_equal(batched_select(ctx, op, "mixed"), 0);
  double *da = batched_allocate(ctx, square), *dx = batched_allocate(ctx, side);
  int *reports = batched_allocate(ctx, sizeof found[0]);
  mixed_matrix(one, N, complex_numbers, 1e-3, 1);
  for (int i = 0; i < N * N; i++) {
    a[width * i] = creal(one[i]);
    if (complex_numbers) a[2 * i + 1] = cimag(one[i]);
  }
  batched_copy_from_host(ctx, da, a, square);
  for (int turn = 0; turn < 4; turn++) {
    for (int i = 0; i < width * N; i++) x[turn][i] = ldexp(1 + i % 7, exponents[turn]);
    batched_copy_from_host(ctx, dx, x[turn], side);
    assert_int_equal(batched_report_refinements(ctx, reports + 1), 0);
    assert_int_equal(call(ctx, batched_make_strided(type, da, N, N, N, N * N, 1),
                          batched_make_strided(type, dx, N, 1, N, N, 1), reports),
                     0);
    batched_copy_to_host(ctx, x[turn], dx, side);
    batched_copy_to_host(ctx, found[turn], reports, sizeof found[turn]);
    assert_int_equal(found[turn][0], 0);
    assert_true(found[turn][1] > 0 && found[turn][1] == found[0][1]);
    for (int i = 0; i < width * N; i++) assert_true(x[turn][i] == ldexp(x[0][i], exponents[turn]));
  }
  batched_release(ctx, da);
  batched_release(ctx, dx);
  batched_release(ctx, reports);
  batched_destroy(&ctx);
  free(a);
  free(one);
}

#endif
