/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Evaluation at any tensor points, one zone at a time, by plain loops: for set-up, errors, energies and output.
 */
#include <stdlib.h>
#include <string.h>

#include "fem.h"

int fem_rule_create(fem_rule *r, const fem_space *s, int n1, const double *points, const double *weights)
{
  *r = (fem_rule){.dim = s->dim, .n1 = n1, .n = 1, .d1 = s->d1, .t1 = s->t1};
  for (int d = 0; d < s->dim; d++) r->n *= n1;
  for (int i = 0; i < n1; i++) {
    r->points[i] = points[i];
    r->weights[i] = weights ? weights[i] : 0.0;
  }
  r->b = malloc(sizeof(double) * (size_t)(n1 * s->d1));
  r->g = malloc(sizeof(double) * (size_t)(n1 * s->d1));
  r->bt = malloc(sizeof(double) * (size_t)(n1 * s->t1));
  if (!r->b || !r->g || !r->bt) {
    fem_rule_destroy(r);
    return 3;
  }
  fem_lagrange(s->d1, s->nodes, n1, points, r->b, r->g);
  fem_bernstein(s->t, n1, points, r->bt);
  return 0;
}

int fem_rule_create_gauss(fem_rule *r, const fem_space *s, int n1)
{
  double points[FEM_MAX_POINTS], weights[FEM_MAX_POINTS];
  fem_gauss(n1, points, weights);
  return fem_rule_create(r, s, n1, points, weights);
}

void fem_rule_destroy(fem_rule *r)
{
  free(r->b);
  free(r->g);
  free(r->bt);
  r->b = r->g = r->bt = NULL;
}

double fem_rule_weight(const fem_rule *r, int q)
{
  double w = 1.0;
  for (int d = 0; d < r->dim; d++, q /= r->n1) w *= r->weights[q % r->n1];
  return w;
}

/* sum_i u_i prod_d table_d[q_d][i_d]: one value of a tensor expansion with n1 functions per direction */
static double expand(int dim, int n1, const double *const *rows, const double *u)
{
  int n = 1;
  double sum = 0.0;
  for (int d = 0; d < dim; d++) n *= n1;
  for (int i = 0; i < n; i++) {
    double shape = u[i];
    for (int d = 0, rest = i; d < dim; d++, rest /= n1) shape *= rows[d][rest % n1];
    sum += shape;
  }
  return sum;
}

/* Rows of a 1D table [n1][m] at the point q; direction `special` (or none: -1) from another table. */
static void rows_at(const fem_rule *r, int q, int m, const double *table, int special, const double *other,
                    const double **rows)
{
  for (int d = 0; d < r->dim; d++, q /= r->n1) rows[d] = (d == special ? other : table) + (q % r->n1) * m;
}

void fem_rule_values(const fem_rule *r, const fem_space *s, int zone, int ncomp, const double *u, double *value)
{
  double ze[(FEM_MAX_ORDER + 1) * (FEM_MAX_ORDER + 1) * (FEM_MAX_ORDER + 1)];
  const double *rows[3];
  for (int c = 0; c < ncomp; c++) {
    fem_gather(s, zone, u + (int64_t)c * s->ndofs, ze);
    for (int q = 0; q < r->n; q++) {
      rows_at(r, q, r->d1, r->b, -1, NULL, rows);
      value[q * ncomp + c] = expand(r->dim, r->d1, rows, ze);
    }
  }
}

void fem_rule_gradients(const fem_rule *r, const fem_space *s, int zone, int ncomp, const double *u, double *gradient)
{
  double ze[(FEM_MAX_ORDER + 1) * (FEM_MAX_ORDER + 1) * (FEM_MAX_ORDER + 1)];
  const double *rows[3];
  for (int c = 0; c < ncomp; c++) {
    fem_gather(s, zone, u + (int64_t)c * s->ndofs, ze);
    for (int q = 0; q < r->n; q++)
      for (int g = 0; g < r->dim; g++) {
        rows_at(r, q, r->d1, r->b, g, r->g, rows);
        gradient[(q * ncomp + c) * r->dim + g] = expand(r->dim, r->d1, rows, ze);
      }
  }
}

void fem_rule_energies(const fem_rule *r, const fem_space *s, const double *e, double *value)
{
  const double *rows[3];
  for (int q = 0; q < r->n; q++) {
    rows_at(r, q, s->t1, r->bt, -1, NULL, rows);
    value[q] = expand(r->dim, s->t1, rows, e);
  }
}

double fem_determinant(int dim, const double *j)
{
  if (dim == 1) return j[0];
  if (dim == 2) return j[0] * j[3] - j[1] * j[2];
  return j[0] * (j[4] * j[8] - j[5] * j[7]) - j[1] * (j[3] * j[8] - j[5] * j[6]) + j[2] * (j[3] * j[7] - j[4] * j[6]);
}
