/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fields at any points, zone by zone: for set-up, errors and output; a time step has kernels of its own.
 */
#ifndef FEM_SPACE_RULE_H
#define FEM_SPACE_RULE_H

#include "fem/space/space.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A rule: n1 points per factor with their bases. */
typedef struct fem_rule {
  int dim, factors, n1, n; /* points per factor, in all */
  int d1, t1;
  double *weights; /* owned, [n1]; zero unless the rule is a quadrature */
  double *b, *g;   /* owned, [n1][d1]; of a simplex g [dim][n1][d1] */
  double *bt;      /* owned, [n1][t1] */
  double *work;    /* owned, [3][max(n1, d1, t1)^factors] */
  int work_size;   /* of each of the three */
} fem_rule;

/* n1 points of a factor (a line: at most FEM_MAX_POINTS) and their weights (NULL: none); the space's own; or those of
 * Gauss that are exact for degree 2 n1 - 1 (of simplices for FEM_MAX_SIMPLEX_DEGREE at most), n1 per direction.
 * After a failure r may be destroyed, but need not. */
int fem_rule_create(fem_rule *r, const fem_space *s, int n1, const double *points, const double *weights);
int fem_rule_create_own(fem_rule *r, const fem_space *s);
int fem_rule_create_gauss(fem_rule *r, const fem_space *s, int n1);
/* The rule of one point, the middle of the zone. */
int fem_rule_create_middle(fem_rule *r, const fem_space *s);
void fem_rule_destroy(fem_rule *r);
/* The same rule with workspace of its own, for another thread; r stays the owner of all else. */
int fem_rule_borrow(fem_rule *mine, const fem_rule *r);
void fem_rule_give_back(fem_rule *mine);
/* weight of point q, 0 <= q < n, on the reference zone */
double fem_rule_weight(const fem_rule *r, int q);
/* u [ncomp][ndofs] at the points of a zone: value [n][ncomp] */
void fem_rule_values(const fem_rule *r, const fem_space *s, int zone, int ncomp, const double *u, double *value);
/* du_c/dxi_g of the same: gradient [n][ncomp][dim] */
void fem_rule_gradients(const fem_rule *r, const fem_space *s, int zone, int ncomp, const double *u, double *gradient);
/* coefficients e [nt] of one zone at the points: value [n] */
void fem_rule_energies(const fem_rule *r, const fem_space *s, const double *e, double *value);
/* determinant of a dim x dim row-major matrix */
double fem_determinant(int dim, const double *j);

#ifdef __cplusplus
}
#endif

#endif
