/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rules and bases in one dimension, on [0, 1].
 */
#include <math.h>

#include "fem/fem.h"

/* Legendre polynomial of degree n at x in [-1, 1] and its derivative. */
static double legendre(int n, double x, double *derivative)
{
  double p0 = 1.0, p1 = x;
  for (int i = 2; i <= n; i++) {
    double p2 = ((2 * i - 1) * x * p1 - (i - 1) * p0) / i;
    p0 = p1;
    p1 = p2;
  }
  if (n == 0) p1 = 1.0, p0 = 0.0;
  *derivative = x * x == 1.0 ? 0.5 * n * (n + 1) * (n % 2 ? 1.0 : x) : n * (p0 - x * p1) / (1.0 - x * x);
  return p1;
}

/* Points come in pairs about 1/2 and are made so to the last bit. */
static void mirror(int n, double *a, double about)
{
  for (int i = 0; i < n / 2; i++) a[n - 1 - i] = about - a[i];
}

void fem_gauss(int n, double *points, double *weights)
{
  for (int i = 0; i < (n + 1) / 2; i++) {
    double x = -cos(M_PI * (i + 0.75) / (n + 0.5)), d;
    for (int newton = 0; newton < 8; newton++) {
      double p = legendre(n, x, &d);
      x -= p / d;
    }
    if (2 * i + 1 == n) x = 0.0;
    legendre(n, x, &d);
    points[i] = 0.5 * (1.0 + x);
    weights[i] = weights[n - 1 - i] = 1.0 / ((1.0 - x * x) * d * d);
  }
  mirror(n, points, 1.0);
}

/* Newton's method on (1 - x^2) P_k', whose step is (x P_k - P_(k-1)) / ((k + 1) P_k).  Start and last step are those
 * of MFEM: which side of a jump a node falls on (fem_project_vector) can hang on the last bit. */
void fem_gauss_lobatto(int k, double *points)
{
  points[0] = 0.0;
  points[k] = 1.0;
  for (int i = 1; i <= k / 2; i++) {
    double x = sin(M_PI * ((double)i / k - 0.5)), step = 1.0;
    for (int newton = 0; newton < 20 && fabs(step) >= 1e-16; newton++) {
      double before = 1.0, p = x;
      for (int l = 1; l < k; l++) {
        const double next = ((2 * l + 1) * x * p - l * before) / (l + 1);
        before = p;
        p = next;
      }
      step = (x * p - before) / ((k + 1) * p);
      points[i] = ((1.0 + x) - step) / 2;
      x -= step;
    }
  }
  mirror(k + 1, points, 1.0);
}

/* Values by the first barycentric formula (Berrut, Trefethen, SIAM Review 46, 2004), in the order of operations of
 * MFEM: at a node they may miss 1 by a unit in the last place, and a velocity that jumps there goes with it
 * (fem_project_vector). */
static void lagrange_values(int n, const double *nodes, const double *w, double x, double *b)
{
  int near = 0; // the node closest to x
  double rest = 1.0;
  for (; near < n - 1; near++) {
    if (x >= (nodes[near] + nodes[near + 1]) / 2) {
      rest *= x - nodes[near];
      continue;
    }
    for (int i = near + 1; i < n; i++) rest *= x - nodes[i];
    break;
  }
  const double all = rest * (x - nodes[near]);
  for (int i = 0; i < n; i++) b[i] = i == near ? rest * w[i] : all * w[i] / (x - nodes[i]);
}

/* dl_i/dx = sum over m of 1/(x_i - x_m) times the other factors */
static double lagrange_slope(int n, const double *nodes, int i, double x)
{
  double slope = 0.0;
  for (int m = 0; m < n; m++) {
    if (m == i) continue;
    double term = 1.0 / (nodes[i] - nodes[m]);
    for (int j = 0; j < n; j++)
      if (j != i && j != m) term *= (x - nodes[j]) / (nodes[i] - nodes[j]);
    slope += term;
  }
  return slope;
}

void fem_lagrange(int n, const double *nodes, int nx, const double *x, double *b, double *g)
{
  double w[FEM_MAX_POINTS];
  for (int i = 0; i < n; i++) w[i] = 1.0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      w[i] *= nodes[i] - nodes[j];
      w[j] *= -(nodes[i] - nodes[j]);
    }
  for (int i = 0; i < n; i++) w[i] = 1.0 / w[i];
  for (int q = 0; q < nx; q++) {
    lagrange_values(n, nodes, w, x[q], b + q * n);
    for (int i = 0; g && i < n; i++) g[q * n + i] = lagrange_slope(n, nodes, i, x[q]);
  }
}

void fem_bernstein(int t, int nx, const double *x, double *b)
{
  for (int q = 0; q < nx; q++) {
    double *row = b + q * (t + 1); // de Casteljau's triangle, degree by degree
    row[0] = 1.0;
    for (int degree = 1; degree <= t; degree++) {
      row[degree] = row[degree - 1] * x[q];
      for (int i = degree - 1; i > 0; i--) row[i] = row[i] * (1.0 - x[q]) + row[i - 1] * x[q];
      row[0] *= 1.0 - x[q];
    }
  }
}

/* Gauss and Jordan's method in place with row exchanges: column c of the inverse takes the place of column c once that
 * is eliminated; the exchanges, backwards, are those of the inverse's columns in the end. */
bool fem_invert(int n, double *a)
{
  int pivots[FEM_MAX_FUNCTIONS];
  for (int c = 0; c < n; c++) {
    int pivot = c;
    for (int i = c + 1; i < n; i++)
      if (fabs(a[i * n + c]) > fabs(a[pivot * n + c])) pivot = i;
    if (!(fabs(a[pivot * n + c]) > 0.0)) return false;
    pivots[c] = pivot;
    for (int j = 0; j < n; j++) {
      const double swap = a[c * n + j];
      a[c * n + j] = a[pivot * n + j], a[pivot * n + j] = swap;
    }
    const double scale = 1.0 / a[c * n + c];
    a[c * n + c] = 1.0;
    for (int j = 0; j < n; j++) a[c * n + j] *= scale;
    for (int i = 0; i < n; i++) {
      const double factor = a[i * n + c];
      if (i == c || factor == 0.0) continue;
      a[i * n + c] = 0.0;
      for (int j = 0; j < n; j++) a[i * n + j] -= factor * a[c * n + j];
    }
  }
  for (int c = n - 1; c >= 0; c--)
    for (int i = 0; i < n; i++) {
      const double swap = a[i * n + c];
      a[i * n + c] = a[i * n + pivots[c]], a[i * n + pivots[c]] = swap;
    }
  return true;
}
