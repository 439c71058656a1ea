/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Quadrature and polynomials on triangles and tetrahedra, by their definitions.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fem/fem.h"
#include "fem/simplex/simplex.h"
#include "mesh/simplex/lattice.h"

static double factorial(int n)
{
  return n < 2 ? 1.0 : n * factorial(n - 1);
}

/* The integral of xi_1^m_1 ... over the reference zone is m_1! ... m_dim! / (m_1 + ... + m_dim + dim)!. */
static void rules_are_exact(void **state)
{
  (void)state;
  double points[3 * 512], weights[512];
  for (int dim = 2; dim <= 3; dim++)
    for (int degree = 0; degree <= SIMPLEX_MAX_DEGREE; degree++) {
      const int n = simplex_rule_points(dim, degree);
      int m[4] = {degree};
      assert_true(n <= 512);
      simplex_rule(dim, degree, points, weights);
      do {
        double sum = 0.0, exact = 1.0;
        int total = dim;
        for (int d = 1; d <= dim; d++) exact *= factorial(m[d]), total += m[d];
        exact /= factorial(total);
        for (int q = 0; q < n; q++) {
          double value = weights[q];
          for (int d = 0; d < dim; d++) value *= pow(points[q * dim + d], m[d + 1]);
          sum += value;
        }
        assert_true(fabs(sum - exact) < 1e-15);
      } while (simplex_next(dim, m));
      for (int q = 0; q < n; q++) {
        double rest = 1.0;
        for (int d = 0; d < dim; d++) {
          assert_true(points[q * dim + d] >= 0.0); // a point of the triangle of degree 16 is on an edge
          rest -= points[q * dim + d];
        }
        assert_true(rest > -1e-16 && weights[q] > 0.0);
      }
    }
}

/* A Lagrange basis is 1 at its own node and 0 at the others; its derivatives are those of differences. */
static void lagrange_basis_is_nodal(void **state)
{
  (void)state;
  enum { MOST = FEM_MAX_FUNCTIONS };
  double line[FEM_MAX_ORDER + 1], nodes[MOST * 3];
  double *modal = malloc(sizeof(double) * MOST * MOST), *b = malloc(sizeof(double) * MOST * MOST);
  for (int dim = 2; dim <= 3; dim++)
    for (int k = 1; k <= FEM_MAX_ORDER; k++) {
      const int n = simplex_nodes(dim, k);
      fem_gauss_lobatto(k, line);
      simplex_lattice_points(dim, k, line, nodes);
      simplex_bernstein(dim, k, n, nodes, modal, NULL);
      simplex_bernstein(dim, k, n, nodes, b, NULL);
      assert_true(fem_invert(n, modal));
      double *values = malloc(sizeof(double) * MOST * MOST);
      simplex_to_lagrange(n, n, b, modal, values);
      for (int i = 0; i < n * n; i++) assert_true(fabs(values[i] - (i / n == i % n)) < 1e-11);
      free(values);
    }
  free(modal);
  free(b);
}

static void slopes_are_derivatives(void **state)
{
  (void)state;
  const double step = 1e-6, point[3] = {0.2, 0.3, 0.15};
  double b[2][FEM_MAX_FUNCTIONS], at[3 * FEM_MAX_FUNCTIONS], g[3 * FEM_MAX_FUNCTIONS];
  for (int dim = 2; dim <= 3; dim++)
    for (int k = 0; k <= FEM_MAX_ORDER; k++) {
      const int n = simplex_nodes(dim, k);
      double sum = 0.0;
      simplex_bernstein(dim, k, 1, point, at, g);
      for (int i = 0; i < n; i++) sum += at[i];
      assert_true(fabs(sum - 1.0) < 1e-14);
      for (int d = 0; d < dim; d++) {
        for (int side = 0; side < 2; side++) {
          double moved[3] = {point[0], point[1], point[2]};
          moved[d] += side ? step : -step;
          simplex_bernstein(dim, k, 1, moved, b[side], NULL);
        }
        for (int i = 0; i < n; i++) assert_true(fabs((b[1][i] - b[0][i]) / (2 * step) - g[d * n + i]) < 1e-7);
      }
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rules_are_exact),
    cmocka_unit_test(lagrange_basis_is_nodal),
    cmocka_unit_test(slopes_are_derivatives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
