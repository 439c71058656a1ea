/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rules and bases in one dimension against what defines them: exactness, symmetry, cardinality, partition of unity.
 */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "fem/fem.h"

static void assert_near(double a, double exact, double tolerance)
{
  if (!(fabs(a - exact) <= tolerance)) fail_msg("%.17g is not %.17g to %.1g", a, exact, tolerance);
}

static long double power(long double x, int n)
{
  long double p = 1.0L;
  for (int i = 0; i < n; i++) p *= x;
  return p;
}

/* Integral of x^degree over [0, 1]. */
static double moment(int n, const double *points, const double *weights, int degree)
{
  long double sum = 0.0L;
  for (int i = 0; i < n; i++) sum += weights[i] * power(points[i], degree);
  return (double)sum;
}

static void gauss_is_exact(void **state)
{
  (void)state;
  double x[FEM_MAX_POINTS], w[FEM_MAX_POINTS];
  for (int n = 1; n <= FEM_MAX_POINTS; n++) {
    fem_gauss(n, x, w);
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
      sum += w[i];
      assert_true(w[i] > 0.0 && x[i] > 0.0 && x[i] < 1.0);
      assert_true(i == 0 || x[i] > x[i - 1]);
      assert_true(i < n / 2 ? x[n - 1 - i] == 1.0 - x[i] && w[n - 1 - i] == w[i] : true);
    }
    assert_near(sum, 1.0, 4 * n * DBL_EPSILON);
    for (int degree = 0; degree < 2 * n; degree++)
      assert_near(moment(n, x, w, degree), 1.0 / (degree + 1), 4 * n * DBL_EPSILON);
  }
}

/* n points miss x^2n by exactly (n!)^4 / ((2n + 1) ((2n)!)^2). */
static void gauss_is_no_better(void **state)
{
  (void)state;
  double x[FEM_MAX_POINTS], w[FEM_MAX_POINTS];
  for (int n = 1; n <= 8; n++) {
    double miss = 1.0 / (2 * n + 1);
    for (int i = 1; i <= n; i++) miss *= (double)i * i / ((n + i) * (double)(n + i));
    fem_gauss(n, x, w);
    assert_near(1.0 / (2 * n + 1) - moment(n, x, w, 2 * n), miss, 20 * DBL_EPSILON);
  }
}

/* The weights that make k + 1 given points exact to degree k make Gauss-Lobatto points exact to 2k - 1. */
static void gauss_lobatto_is_exact(void **state)
{
  (void)state;
  double gx[FEM_MAX_POINTS], gw[FEM_MAX_POINTS], b[FEM_MAX_POINTS * FEM_MAX_POINTS];
  for (int k = 1; k <= 16; k++) {
    double x[FEM_MAX_POINTS], w[FEM_MAX_POINTS] = {0.0};
    fem_gauss_lobatto(k, x);
    assert_true(x[0] == 0.0 && x[k] == 1.0);
    for (int i = 1; i <= k; i++) assert_true(x[i] > x[i - 1]);
    for (int i = 0; i < (k + 1) / 2; i++) assert_true(x[k - i] == 1.0 - x[i]);
    fem_gauss(k + 1, gx, gw);
    fem_lagrange(k + 1, x, k + 1, gx, b, NULL);
    for (int q = 0; q <= k; q++)
      for (int i = 0; i <= k; i++) w[i] += gw[q] * b[q * (k + 1) + i];
    assert_near(w[0], 1.0 / (k * (k + 1)), 1e-14);
    for (int degree = 0; degree < 2 * k; degree++) assert_near(moment(k + 1, x, w, degree), 1.0 / (degree + 1), 1e-14);
  }
}

static void lagrange_is_cardinal(void **state)
{
  (void)state;
  double b[FEM_MAX_POINTS * FEM_MAX_POINTS];
  for (int k = 1; k <= FEM_MAX_ORDER; k++) {
    double x[FEM_MAX_ORDER + 1];
    const int n = k + 1;
    fem_gauss_lobatto(k, x);
    fem_lagrange(n, x, n, x, b, NULL);
    for (int q = 0; q < n; q++)
      for (int i = 0; i < n; i++) {
        if (q == i)
          assert_near(b[q * n + i], 1.0, 4 * DBL_EPSILON);
        else
          assert_true(b[q * n + i] == 0.0);
      }
  }
}

/* Values and derivatives of the interpolant of x^degree, degree < n, anywhere, at the nodes too; n = 1 as well. */
static void lagrange_is_exact(void **state)
{
  (void)state;
  enum { NX = 23 };
  double x[NX], b[NX * FEM_MAX_POINTS], g[NX * FEM_MAX_POINTS];
  for (int n = 1; n <= 12; n++) {
    double nodes[FEM_MAX_POINTS], unused[FEM_MAX_POINTS];
    if (n == 1)
      fem_gauss(n, nodes, unused);
    else
      fem_gauss_lobatto(n - 1, nodes);
    for (int i = 0; i < NX; i++) x[i] = i < n ? nodes[i] : (double)(i - n) / (NX - 1 - n);
    fem_lagrange(n, nodes, NX, x, b, g);
    for (int degree = 0; degree < n; degree++)
      for (int q = 0; q < NX; q++) {
        long double value = 0.0L, slope = 0.0L;
        for (int i = 0; i < n; i++) {
          value += b[q * n + i] * power(nodes[i], degree);
          slope += g[q * n + i] * power(nodes[i], degree);
        }
        assert_near((double)value, (double)power(x[q], degree), 2e-14);
        assert_near((double)slope, degree ? degree * (double)power(x[q], degree - 1) : 0.0, 1e-12);
      }
  }
}

static double binomial(int n, int k)
{
  double b = 1.0;
  for (int i = 1; i <= k; i++) b = b * (n - k + i) / i;
  return b;
}

static void bernstein_is_what_it_is(void **state)
{
  (void)state;
  enum { NX = 33 };
  double x[NX], b[NX * (FEM_MAX_ORDER + 1)];
  for (int i = 0; i < NX; i++) x[i] = (double)i / (NX - 1);
  for (int t = 0; t <= FEM_MAX_ORDER; t++) {
    fem_bernstein(t, NX, x, b);
    for (int q = 0; q < NX; q++) {
      double sum = 0.0, mean = 0.0;
      for (int a = 0; a <= t; a++) {
        const double value = b[q * (t + 1) + a];
        assert_near(value, binomial(t, a) * (double)(power(x[q], a) * power(1.0L - x[q], t - a)),
                    4 * (t + 1) * DBL_EPSILON);
        assert_true(value >= 0.0);
        sum += value;
        mean += value * a;
      }
      assert_near(sum, 1.0, 4 * (t + 1) * DBL_EPSILON);
      assert_near(mean, t * x[q], 8 * (t + 1) * DBL_EPSILON);
    }
    for (int a = 0; a <= t; a++) {
      assert_true(b[a] == (a == 0));
      assert_true(b[(NX - 1) * (t + 1) + a] == (a == t));
    }
  }
}

static void inverts(void **state)
{
  (void)state;
  for (int t = 0; t <= FEM_MAX_ORDER; t++) {
    const int n = t + 1;
    double x[FEM_MAX_ORDER + 1], w[FEM_MAX_ORDER + 1], a[81], inverse[81];
    fem_gauss(n, x, w);
    fem_bernstein(t, n, x, a);
    for (int i = 0; i < n * n; i++) inverse[i] = a[i];
    assert_true(fem_invert(n, inverse));
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double sum = 0.0, size = 0.0;
        for (int k = 0; k < n; k++) {
          sum += a[i * n + k] * inverse[k * n + j];
          size += fabs(a[i * n + k] * inverse[k * n + j]);
        }
        assert_near(sum, i == j, 40 * DBL_EPSILON * (1.0 + size));
      }
  }
}

static void needs_and_finds_pivots(void **state)
{
  (void)state;
  double a[9] = {0.0, 2.0, 0.0, 0.0, 0.0, 4.0, 8.0, 0.0, 0.0};
  const double inverse[9] = {0.0, 0.0, 0.125, 0.5, 0.0, 0.0, 0.0, 0.25, 0.0};
  assert_true(fem_invert(3, a));
  for (int i = 0; i < 9; i++) assert_true(a[i] == inverse[i]);
}

static void refuses_singular(void **state)
{
  (void)state;
  double zero[1] = {0.0}, rank1[4] = {1.0, 2.0, 2.0, 4.0}, nan[4] = {NAN, 0.0, 0.0, 1.0},
         hole[9] = {1, 0, 0, 0, 0, 0, 0, 0, 1};
  assert_false(fem_invert(1, zero));
  assert_false(fem_invert(2, rank1));
  assert_false(fem_invert(2, nan));
  assert_false(fem_invert(3, hole));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(gauss_is_exact),
    cmocka_unit_test(gauss_is_no_better),
    cmocka_unit_test(gauss_lobatto_is_exact),
    cmocka_unit_test(lagrange_is_cardinal),
    cmocka_unit_test(lagrange_is_exact),
    cmocka_unit_test(bernstein_is_what_it_is),
    cmocka_unit_test(inverts),
    cmocka_unit_test(needs_and_finds_pivots),
    cmocka_unit_test(refuses_singular),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
