/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Polynomials on the reference zone.
 */
#include "fem/simplex/simplex.h"

#include "mesh/simplex/lattice.h"

enum { MOST = 32 }; // more than the order of any polynomial

void simplex_lattice_points(int dim, int k, const double *line, double *points)
{
  int m[4] = {k};
  do {
    double sum = 0.0;
    for (int i = 0; i <= dim; i++) sum += line[m[i]];
    for (int i = 1; i <= dim; i++) *points++ = k > 0 ? line[m[i]] / sum : 1.0 / (dim + 1);
  } while (simplex_next(dim, m));
}

/* The barycentric coordinates of a point to the powers 0, ..., k over the powers' factorials. */
static void set_powers(int dim, int k, const double *point, double powers[4][MOST])
{
  double lambda[4] = {1.0};
  for (int i = 1; i <= dim; i++) {
    lambda[i] = point[i - 1];
    lambda[0] -= lambda[i];
  }
  for (int i = 0; i <= dim; i++) {
    powers[i][0] = 1.0;
    for (int p = 1; p <= k; p++) powers[i][p] = powers[i][p - 1] * lambda[i] / p;
  }
}

/* The derivative of the function of m along lambda_i. */
static double slope(int dim, const int *m, int i, double powers[4][MOST])
{
  double value = m[i] > 0 ? 1.0 : 0.0;
  for (int j = 0; j <= dim && m[i] > 0; j++) value *= powers[j][m[j] - (j == i)];
  return value;
}

void simplex_bernstein(int dim, int k, int n, const double *points, double *b, double *g)
{
  const int nf = simplex_nodes(dim, k);
  double factorial = 1.0, powers[4][MOST];
  for (int p = 2; p <= k; p++) factorial *= p;
  for (int q = 0; q < n; q++) {
    int m[4] = {k}, i = 0;
    set_powers(dim, k, points + q * dim, powers);
    do {
      double value = factorial;
      for (int j = 0; j <= dim; j++) value *= powers[j][m[j]];
      b[q * nf + i] = value;
      for (int d = 0; g && d < dim; d++)
        g[(d * n + q) * nf + i] = factorial * (slope(dim, m, d + 1, powers) - slope(dim, m, 0, powers));
      i++;
    } while (simplex_next(dim, m));
  }
}

void simplex_to_lagrange(int n, int nf, const double *b, const double *inverse, double *out)
{
  for (int q = 0; q < n; q++)
    for (int i = 0; i < nf; i++) {
      double sum = 0.0;
      for (int j = 0; j < nf; j++) sum += b[q * nf + j] * inverse[j * nf + i];
      out[q * nf + i] = sum;
    }
}
