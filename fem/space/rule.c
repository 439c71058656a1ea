/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Evaluation at any points (of quads and hexes at tensor points), one zone at a time: for set-up, errors, energies and
 * output.
 */
#include <stdlib.h>

#include "fem/fem.h"
#include "fem/simplex/simplex.h"

int fem_rule_create(fem_rule *r, const fem_space *s, int n1, const double *points, const double *weights)
{
  *r = (fem_rule){
    .dim = s->dim, .factors = s->factors, .n1 = n1, .n = fem_power(n1, s->factors), .d1 = s->d1, .t1 = s->t1};
  const size_t slopes = (size_t)fem_slope_table(s->dim, s->factors, s->dim - 1) + 1;
  int most = n1 > s->d1 ? n1 : s->d1;
  r->work_size = fem_power(most > s->t1 ? most : s->t1, s->factors);
  r->weights = malloc(sizeof(double) * (size_t)n1);
  r->b = malloc(sizeof(double) * (size_t)(n1 * s->d1));
  r->g = malloc(sizeof(double) * slopes * (size_t)(n1 * s->d1));
  r->bt = malloc(sizeof(double) * (size_t)(n1 * s->t1));
  r->work = malloc(sizeof(double) * 3 * (size_t)r->work_size);
  if (!r->weights || !r->b || !r->g || !r->bt || !r->work) {
    fem_rule_destroy(r);
    return STATUS_MACHINE;
  }
  fem_space_tables(s, n1, points, r->b, r->g, r->bt);
  for (int i = 0; i < n1; i++) r->weights[i] = weights ? weights[i] : 0.0;
  return 0;
}

int fem_rule_create_own(fem_rule *r, const fem_space *s)
{
  return fem_rule_create(r, s, s->q1, s->points, s->weights);
}

int fem_rule_create_middle(fem_rule *r, const fem_space *s)
{
  const double middle = s->shape == MESH_SIMPLEX ? 1.0 / (s->dim + 1) : 0.5;
  return fem_rule_create(r, s, 1, (double[]){middle, middle, middle}, NULL);
}

static int create_symmetric(fem_rule *r, const fem_space *s, int degree)
{
  if (degree > FEM_MAX_SIMPLEX_DEGREE) degree = FEM_MAX_SIMPLEX_DEGREE;
  const int n = simplex_rule_points(s->dim, degree);
  double *points = malloc(sizeof(double) * (size_t)(n * (s->dim + 1)));
  *r = (fem_rule){0};
  if (!points) return STATUS_MACHINE;
  double *weights = points + n * s->dim;
  simplex_rule(s->dim, degree, points, weights);
  const int status = fem_rule_create(r, s, n, points, weights);
  free(points);
  return status;
}

int fem_rule_create_gauss(fem_rule *r, const fem_space *s, int n1)
{
  double points[FEM_MAX_POINTS], weights[FEM_MAX_POINTS];
  if (s->shape == MESH_SIMPLEX) return create_symmetric(r, s, 2 * n1 - 1);
  fem_gauss(n1, points, weights);
  return fem_rule_create(r, s, n1, points, weights);
}

void fem_rule_destroy(fem_rule *r)
{
  free(r->weights);
  free(r->b);
  free(r->g);
  free(r->bt);
  free(r->work);
  r->weights = r->b = r->g = r->bt = r->work = NULL;
}

int fem_rule_borrow(fem_rule *mine, const fem_rule *r)
{
  *mine = *r;
  mine->work = malloc(sizeof(double) * 3 * (size_t)r->work_size);
  return mine->work ? STATUS_OK : STATUS_MACHINE;
}

void fem_rule_give_back(fem_rule *mine)
{
  free(mine->work);
  mine->work = NULL;
}

double fem_rule_weight(const fem_rule *r, int q)
{
  double w = 1.0;
  for (int d = 0; d < r->factors; d++, q /= r->n1) w *= r->weights[q % r->n1];
  return w;
}

/* Contracts one direction: in [after][n][before] with a table [n1][n] to out [after][n1][before].  Inlined with n
 * known, the sums stay in registers. */
static inline __attribute__((always_inline)) void contract_known(int n1, int n, int before, int after,
                                                                 const double *restrict table,
                                                                 const double *restrict in, double *restrict out)
{
  for (int a = 0; a < after; a++)
    for (int q = 0; q < n1; q++)
      for (int b = 0; b < before; b++) {
        const double *row = table + q * n, *from = in + a * n * before + b;
        double sum = row[0] * from[0];
        for (int i = 1; i < n; i++) sum += row[i] * from[i * before];
        out[(a * n1 + q) * before + b] = sum;
      }
}

static void contract(int n1, int n, int before, int after, const double *table, const double *in, double *out)
{
  switch (n) {
  case 1: contract_known(n1, 1, before, after, table, in, out); break;
  case 2: contract_known(n1, 2, before, after, table, in, out); break;
  case 3: contract_known(n1, 3, before, after, table, in, out); break;
  case 4: contract_known(n1, 4, before, after, table, in, out); break;
  case 5: contract_known(n1, 5, before, after, table, in, out); break;
  default: contract_known(n1, n, before, after, table, in, out);
  }
}

/* An expansion with n functions per factor at all points: out[q * stride].  Factor `special` (-1: none) takes its
 * functions from another table. */
static void expand(const fem_rule *r, int n, const double *table, int special, const double *other, const double *u,
                   double *out, int stride)
{
  double *spare[2] = {r->work, r->work + r->work_size};
  const double *in = u;
  for (int d = 0; d < r->factors; d++) {
    contract(r->n1, n, fem_power(r->n1, d), fem_power(n, r->factors - 1 - d), d == special ? other : table, in,
             spare[d % 2]);
    in = spare[d % 2];
  }
  for (int q = 0; q < r->n; q++) out[q * stride] = in[q];
}

void fem_rule_values(const fem_rule *r, const fem_space *s, int zone, int ncomp, const double *u, double *value)
{
  double *ze = r->work + 2 * r->work_size;
  for (int c = 0; c < ncomp; c++) {
    fem_gather(s, zone, u + (int64_t)c * s->ndofs, ze);
    expand(r, r->d1, r->b, -1, NULL, ze, value + c, ncomp);
  }
}

void fem_rule_gradients(const fem_rule *r, const fem_space *s, int zone, int ncomp, const double *u, double *gradient)
{
  double *ze = r->work + 2 * r->work_size;
  for (int c = 0; c < ncomp; c++) {
    fem_gather(s, zone, u + (int64_t)c * s->ndofs, ze);
    for (int g = 0; g < r->dim; g++)
      expand(r, r->d1, r->b, fem_slope_factor(r->dim, r->factors, g),
             r->g + (int64_t)fem_slope_table(r->dim, r->factors, g) * r->n1 * r->d1, ze, gradient + c * r->dim + g,
             ncomp * r->dim);
  }
}

void fem_rule_energies(const fem_rule *r, const fem_space *s, const double *e, double *value)
{
  expand(r, s->t1, r->bt, -1, NULL, e, value, 1);
}

double fem_determinant(int dim, const double *j)
{
  if (dim == 1) return j[0];
  if (dim == 2) return j[0] * j[3] - j[1] * j[2];
  return j[0] * (j[4] * j[8] - j[5] * j[7]) - j[1] * (j[3] * j[8] - j[5] * j[6]) + j[2] * (j[3] * j[7] - j[4] * j[6]);
}
