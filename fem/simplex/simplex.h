/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Triangles and tetrahedra: quadrature and polynomials on the reference zone, whose corner 0 is the origin and corner i
 * the end of the i-th unit vector.  Reference coordinates are the barycentric ones of corners 1, 2, 3.
 */
#ifndef FEM_SIMPLEX_H
#define FEM_SIMPLEX_H

enum { SIMPLEX_MAX_DEGREE = 20 };

/* Number of points of the rule that is exact for polynomials of this degree, 0 <= degree <= SIMPLEX_MAX_DEGREE. */
int simplex_rule_points(int dim, int degree);
/* That rule: points [n][dim], weights [n], of sum 1/dim!. */
void simplex_rule(int dim, int degree, double *points, double *weights);

/* Points of the lattice of order k, [nodes][dim], in its order (mesh/simplex/lattice.h): the barycentric coordinates of
 * node m are proportional to line[m_0], ..., line[m_dim], line [k + 1].  Order 0: the centroid. */
void simplex_lattice_points(int dim, int k, const double *line, double *points);

/* Bernstein basis k!/(m_0!...m_dim!) lambda^m at n points [n][dim]: b [n][nodes], and derivatives g [dim][n][nodes]
 * where g is not NULL. */
void simplex_bernstein(int dim, int k, int n, const double *points, double *b, double *g);

/* out [n][nf] = b [n][nf] inverse [nf][nf]: from the Bernstein basis to the Lagrange basis of the points whose matrix
 * of Bernstein values [nf][nf] has this inverse. */
void simplex_to_lagrange(int n, int nf, const double *b, const double *inverse, double *out);

#endif
