/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/results/zone_point.h"

#include <math.h>
#include <stdlib.h>

bool zone_point_create(zone_point *p, const fem_space *s)
{
  const double middle[3] = {0.5, 0.5, 0.5};
  *p = (zone_point){.space = s,
                    .n = s->factors,
                    .q = s->factors == 1   ? 0
                         : s->factors == 2 ? 2
                                           : 21}; // sum over d of d n^d
  if (fem_rule_create(&p->rule, s, p->n, middle, NULL)) return false;
  p->work = malloc(sizeof *p->work * (size_t)(p->rule.n * s->dim * s->dim));
  return p->work;
}

void zone_point_destroy(zone_point *p)
{
  fem_rule_destroy(&p->rule);
  free(p->work);
}

void zone_point_aim(zone_point *p, const double *xi)
{
  const fem_rule *r = &p->rule;
  fem_space_tables(p->space, p->n, xi, r->b, r->g, r->bt);
}

double zone_point_scalar(zone_point *p, const double *e)
{
  fem_rule_energies(&p->rule, p->space, e, p->work);
  return p->work[p->q];
}

void zone_point_vector(zone_point *p, int zone, const double *u, double *value)
{
  const int dim = p->space->dim;
  fem_rule_values(&p->rule, p->space, zone, dim, u, p->work);
  for (int c = 0; c < dim; c++) value[c] = p->work[p->q * dim + c];
}

/* One step of Newton's iteration for x(xi) = at; returns its length, or a negative number. */
static double improve(zone_point *p, int zone, const double *x, const double *at, double *xi)
{
  const int dim = p->space->dim;
  double j[9], there[3], length = 0.0;
  zone_point_aim(p, xi);
  zone_point_vector(p, zone, x, there);
  fem_rule_gradients(&p->rule, p->space, zone, dim, x, p->work);
  for (int i = 0; i < dim * dim; i++) j[i] = p->work[p->q * dim * dim + i];
  if (!fem_invert(dim, j)) return -1.0;
  for (int g = 0; g < dim; g++) {
    double step = 0.0;
    for (int c = 0; c < dim; c++) step += j[g * dim + c] * (at[c] - there[c]);
    length = fmax(length, fabs(step));
    xi[g] = fmin(fmax(xi[g] + step, -0.25), 1.25); // polynomials run wild far outside
  }
  return isfinite(length) ? length : -1.0;
}

static bool is_inside(const fem_space *s, const double *xi)
{
  const double rounding = 1e-9;
  double sum = 0.0;
  for (int d = 0; d < s->dim; d++) {
    if (!(xi[d] >= -rounding && xi[d] <= 1.0 + rounding)) return false;
    sum += xi[d];
  }
  return s->shape == MESH_TENSOR || sum <= 1.0 + rounding;
}

/* Newton's iteration converges quadratically: after a step of 1e-10 no other is needed. */
static bool find_from(zone_point *p, int zone, const double *x, const double *at, double *xi)
{
  enum { MOST = 40 };
  double length = 1.0;
  for (int i = 0; i < MOST && length > 1e-10; i++) {
    length = improve(p, zone, x, at, xi);
    if (length < 0.0) return false;
  }
  return length <= 1e-10 && is_inside(p->space, xi);
}

/* From the middle, and in a zone that is much curved from the node that is nearest. */
bool zone_point_find(zone_point *p, int zone, const double *x, const double *at, double *xi)
{
  const fem_space *s = p->space;
  const int *dofs = s->dofs + (int64_t)zone * s->nd;
  double least = HUGE_VAL;
  int nearest = 0;
  xi[0] = xi[1] = xi[2] = s->shape == MESH_SIMPLEX ? 1.0 / (s->dim + 1) : 0.5;
  if (find_from(p, zone, x, at, xi)) return true;
  for (int i = 0; i < s->nd; i++) {
    double square = 0.0;
    for (int c = 0; c < s->dim; c++) square += pow(x[(int64_t)c * s->ndofs + dofs[i]] - at[c], 2);
    if (square < least) least = square, nearest = i;
  }
  for (int d = 0; d < s->dim; d++) {
    xi[d] = s->shape == MESH_SIMPLEX ? s->nodes[nearest * s->dim + d] : s->nodes[nearest % s->d1];
    if (s->shape == MESH_TENSOR) nearest /= s->d1;
  }
  return find_from(p, zone, x, at, xi);
}
