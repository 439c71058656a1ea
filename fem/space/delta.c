/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The delta of a blast: an energy at the vertices nearest to the origin.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem/space/share.h"

static int corner_dof(const fem_space *s, int zone, int corner)
{
  return s->dofs[(int64_t)zone * s->nd + fem_corner_node(s, s->k, corner)];
}

/* Distance of a zone's corner from the origin. */
static double corner_distance(const fem_space *s, const double *x, int zone, int corner)
{
  const int dof = corner_dof(s, zone, corner);
  double sum = 0.0;
  for (int c = 0; c < s->dim; c++) {
    double a = x[(int64_t)c * s->ndofs + dof];
    sum += a * a;
  }
  return sqrt(sum);
}

/* The smallest distance of a corner in each chunk of zones. */
typedef struct corner_search {
  const fem_space *s;
  const double *x;
  double *nearest; /* [chunks] */
} corner_search;

static int find_nearest(void *data, int chunk, int first, int end)
{
  const corner_search *c = data;
  const int ncorners = mesh_shape_corners(c->s->shape, c->s->dim);
  double nearest = INFINITY;
  for (int z = first; z < end; z++)
    for (int corner = 0; corner < ncorners; corner++) nearest = fmin(nearest, corner_distance(c->s, c->x, z, corner));
  c->nearest[chunk] = nearest;
  return 0;
}

/* What a delta is made with. */
typedef struct delta {
  const fem_space *s;
  const double *x;
  fem_rule rule;
  double *jacobian, *value; /* owned: in the points of a zone */
  double *nearest;          /* owned, [chunks]: corner_search */
  double same_point;        /* no vertex with the delta is farther from the origin, but images */
  double *marks;            /* owned, [ndofs]: positive at the vertices that have the delta, images beyond seams, too */
} delta;

static int delta_create(delta *d)
{
  const fem_space *s = d->s;
  d->jacobian = malloc(sizeof(double) * (size_t)(s->nq * s->dim * s->dim));
  d->value = malloc(sizeof(double) * (size_t)s->nq);
  d->nearest = malloc(sizeof(double) * ((size_t)fem_chunks(s) + 1));
  d->marks = calloc((size_t)s->ndofs + 1, sizeof(double));
  const int status = fem_rule_create_own(&d->rule, s);
  return comm_worst(status || !d->jacobian || !d->value || !d->nearest || !d->marks ? STATUS_MACHINE : STATUS_OK);
}

static void delta_destroy(delta *d)
{
  fem_rule_destroy(&d->rule);
  free(d->jacobian);
  free(d->value);
  free(d->nearest);
  free(d->marks);
}

/* Marks the vertices nearest to the origin, and returns their distance: 0 up to rounding. */
static double mark_nearest(delta *d)
{
  const fem_space *s = d->s;
  const int ncorners = mesh_shape_corners(s->shape, s->dim);
  corner_search corners = {s, d->x, d->nearest};
  double nearest = INFINITY, extent = 0.0;
  fem_for_chunks(s, find_nearest, &corners);
  for (int i = 0; i < fem_chunks(s); i++) nearest = fmin(nearest, d->nearest[i]);
  comm_min(&nearest, 1);
  for (int64_t i = 0; i < (int64_t)s->dim * s->ndofs; i++) extent = fmax(extent, fabs(d->x[i]));
  comm_max(&extent, 1);
  const double rounding = 1e-12 * extent;
  d->same_point = nearest + rounding;
  for (int z = 0; z < s->nzones; z++) {
    if (d->nearest[z / FEM_CHUNK] > d->same_point) continue;
    for (int corner = 0; corner < ncorners; corner++)
      if (corner_distance(s, d->x, z, corner) <= d->same_point) d->marks[corner_dof(s, z, corner)] = 1.0;
  }
  if (s->places) {
    halo_sum_begin(NULL, s->halo, 1, d->marks);
    halo_sum_end(NULL, s->halo, 1, d->marks);
  }
  return nearest <= rounding ? 0.0 : nearest;
}

/* One in the marked corners of the zones, and the integral of that. */
static double raise_corners(delta *d, double *e)
{
  const fem_space *s = d->s;
  const int ncorners = mesh_shape_corners(s->shape, s->dim);
  double integral = 0.0;
  for (int z = 0; z < s->nzones; z++) {
    if (!s->places && d->nearest[z / FEM_CHUNK] > d->same_point) continue;
    for (int corner = 0; corner < ncorners; corner++) {
      if (d->marks[corner_dof(s, z, corner)] == 0.0) continue;
      double *ez = e + (int64_t)z * s->nt;
      ez[fem_corner_node(s, s->t, corner)] = 1.0;
      fem_rule_gradients(&d->rule, s, z, s->dim, d->x, d->jacobian);
      fem_rule_energies(&d->rule, s, ez, d->value);
      for (int q = 0; q < d->rule.n; q++)
        integral +=
          fem_rule_weight(&d->rule, q) * fem_determinant(s->dim, d->jacobian + q * s->dim * s->dim) * d->value[q];
    }
  }
  comm_sum(&integral, 1);
  return integral;
}

/* Axes along which the marked vertices do not move. */
static int count_walls(const delta *d)
{
  const fem_space *s = d->s;
  double held[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < s->ndofs; i++)
    for (int c = 0; c < s->dim && d->marks[i] > 0.0; c++)
      if (s->essential[i] >> c & 1) held[c] = 1.0;
  comm_max(held, 3);
  return (int)(held[0] + held[1] + held[2]);
}

int fem_project_delta(const fem_space *s, const double *x, double energy, double *e, double *distance)
{
  delta d = {.s = s, .x = x};
  const int status = delta_create(&d);
  if (!status) {
    memset(e, 0, sizeof(double) * (size_t)s->nzones * (size_t)s->nt);
    *distance = mark_nearest(&d);
    const double inside = ldexp(energy, -count_walls(&d)), integral = raise_corners(&d, e);
    for (int64_t i = 0; i < (int64_t)s->nzones * s->nt; i++) e[i] *= inside / integral;
  }
  delta_destroy(&d);
  return status;
}
