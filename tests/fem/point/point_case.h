/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of the physics at a point share: definitions in long double, matrices and points to try.
 */
#ifndef TESTS_FEM_POINT_CASE_H
#define TESTS_FEM_POINT_CASE_H

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "tests/mesh/samples.h"
#include "fem/point/point.h"

static inline void assert_near(double a, double exact, double tolerance)
{
  if (!(fabs(a - exact) <= tolerance)) fail_msg("%.17g is not %.17g to %.1g", a, exact, tolerance);
}

/* ------------------------------------------------------------------ long double */

/* Eigenvalues of a symmetric n x n matrix, ascending: cyclic Jacobi until nothing is left. */
static inline void eigenvalues(int n, long double a[3][3], long double *w)
{
  for (int sweep = 0; sweep < 40; sweep++)
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        if (a[p][q] == 0.0L) continue;
        const long double theta = 0.5L * atan2l(2.0L * a[p][q], a[q][q] - a[p][p]), c = cosl(theta), s = sinl(theta);
        for (int i = 0; i < n; i++) {
          const long double x = a[i][p], y = a[i][q];
          a[i][p] = c * x - s * y, a[i][q] = s * x + c * y;
        }
        for (int i = 0; i < n; i++) {
          const long double x = a[p][i], y = a[q][i];
          a[p][i] = c * x - s * y, a[q][i] = s * x + c * y;
        }
      }
  for (int i = 0; i < n; i++) w[i] = a[i][i];
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (w[j] < w[i]) {
        const long double swap = w[i];
        w[i] = w[j], w[j] = swap;
      }
}

/* Singular values, descending, by one-sided Jacobi: the small ones to high relative accuracy. */
static inline void singular_values(int n, const double *a, long double *w)
{
  long double u[3][3]; // u[j]: column j
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) u[j][i] = a[i * n + j];
  for (int sweep = 0; sweep < 40; sweep++)
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        long double pp = 0.0L, qq = 0.0L, pq = 0.0L;
        for (int i = 0; i < n; i++) pp += u[p][i] * u[p][i], qq += u[q][i] * u[q][i], pq += u[p][i] * u[q][i];
        if (pq == 0.0L) continue;
        const long double theta = 0.5L * atan2l(2.0L * pq, qq - pp), c = cosl(theta), s = sinl(theta);
        for (int i = 0; i < n; i++) {
          const long double x = u[p][i], y = u[q][i];
          u[p][i] = c * x - s * y, u[q][i] = s * x + c * y;
        }
      }
  for (int j = 0; j < n; j++) {
    long double sum = 0.0L;
    for (int i = 0; i < n; i++) sum += u[j][i] * u[j][i];
    w[j] = sqrtl(sum);
  }
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (w[j] > w[i]) {
        const long double swap = w[i];
        w[i] = w[j], w[j] = swap;
      }
}

/* ------------------------------------------------------------------ matrices and points to try */

static inline void random_matrix(int n, double *a, uint64_t *state)
{
  for (int i = 0; i < n; i++) a[i] = sample_uniform(state);
}

static inline void random_symmetric(int dim, double *a, uint64_t *state)
{
  random_matrix(dim * dim, a, state);
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < i; j++) a[i * dim + j] = a[j * dim + i];
}

static const double scales[] = {1.0, 1e-12, 1e12, 1e-200, 1e200, 1e-300, 1e300, 1e-310};
enum { NSCALES = sizeof scales / sizeof *scales };

static inline double smallest_singular(int dim, const double *a)
{
  double adj[9];
  return point_smallest_singular(dim, a, point_adjugate(dim, a, adj));
}

/* A random point that makes sense: a Jacobian near the identity, positive mass. */
static inline point_input random_point(int dim, uint64_t *state)
{
  point_input in = {
    .mass = 1.0 + 0.5 * sample_uniform(state), .weight = 0.25, .energy = 1.0 + sample_uniform(state), .gamma = 1.4};
  random_matrix(dim * dim, in.gradient, state);
  for (int i = 0; i < dim * dim; i++) {
    in.jacobian[i] = (i % (dim + 1) == 0) + 0.3 * sample_uniform(state);
    in.initial_inverse[i] = (i % (dim + 1) == 0) + 0.3 * sample_uniform(state);
  }
  return in;
}

#endif
