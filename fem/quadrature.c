/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rules and bases in one dimension, on [0, 1].
 */
#include <math.h>
#include <string.h>

#include "fem.h"

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

void fem_gauss_lobatto(int k, double *points)
{
  points[0] = 0.0;
  points[k] = 1.0;
  for (int i = 1; i <= k / 2; i++) {
    double x = -cos(M_PI * i / k), d;
    for (int newton = 0; newton < 16; newton++) { // roots of P_k'; (1-x^2) P_k'' = 2x P_k' - k(k+1) P_k
      double p = legendre(k, x, &d);
      x -= d * (1.0 - x * x) / (2.0 * x * d - k * (k + 1) * p);
    }
    points[i] = 2 * i == k ? 0.5 : 0.5 * (1.0 + x);
  }
  mirror(k + 1, points, 1.0);
}

void fem_lagrange(int n, const double *nodes, int nx, const double *x, double *b, double *g)
{
  for (int q = 0; q < nx; q++)
    for (int i = 0; i < n; i++) {
      double value = 1.0, slope = 0.0;
      for (int j = 0; j < n; j++)
        if (j != i) value *= (x[q] - nodes[j]) / (nodes[i] - nodes[j]);
      for (int m = 0; m < n; m++) {
        if (m == i) continue;
        double term = 1.0 / (nodes[i] - nodes[m]);
        for (int j = 0; j < n; j++)
          if (j != i && j != m) term *= (x[q] - nodes[j]) / (nodes[i] - nodes[j]);
        slope += term;
      }
      if (b) b[q * n + i] = value;
      if (g) g[q * n + i] = slope;
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

bool fem_invert(int n, double *a)
{
  double inverse[FEM_MAX_POINTS * FEM_MAX_POINTS];
  memset(inverse, 0, sizeof inverse);
  for (int i = 0; i < n; i++) inverse[i * n + i] = 1.0;
  for (int c = 0; c < n; c++) {
    int pivot = c;
    for (int i = c + 1; i < n; i++)
      if (fabs(a[i * n + c]) > fabs(a[pivot * n + c])) pivot = i;
    if (!(fabs(a[pivot * n + c]) > 0.0)) return false;
    for (int j = 0; j < n; j++) {
      double swap = a[c * n + j];
      a[c * n + j] = a[pivot * n + j], a[pivot * n + j] = swap;
      swap = inverse[c * n + j];
      inverse[c * n + j] = inverse[pivot * n + j], inverse[pivot * n + j] = swap;
    }
    double scale = 1.0 / a[c * n + c];
    for (int j = 0; j < n; j++) a[c * n + j] *= scale, inverse[c * n + j] *= scale;
    for (int i = 0; i < n; i++) {
      double factor = a[i * n + c];
      if (i == c || factor == 0.0) continue;
      for (int j = 0; j < n; j++) a[i * n + j] -= factor * a[c * n + j], inverse[i * n + j] -= factor * inverse[c * n + j];
    }
  }
  memcpy(a, inverse, sizeof *a * (size_t)(n * n));
  return true;
}
