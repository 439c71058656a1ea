/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Initial positions of the nodes.
 */
#include <stdlib.h>

#include "fem/fem.h"
#include "fem/space/curve.h"
#include "fem/space/share.h"

/* From a to b; exact at both ends and where they agree, so that a plane of nodes is a plane. */
static double between(double a, double b, double t)
{
  return t == 1.0 ? b : a + t * (b - a);
}

/* The linear map of corners [dim + 1][dim] along an axis at the barycentric coordinates lambda_1, ...: from corner to
 * corner, so that a plane of nodes is a plane. */
static double between_corners(const fem_space *s, const double *corners, int axis, const double *lambda)
{
  double sum = 1.0, u = corners[axis];
  for (int i = 0; i < s->dim; i++) sum -= lambda[i];
  for (int i = 0; i < s->dim; i++) {
    if (lambda[i] == 0.0) continue;
    sum += lambda[i];
    u = between(u, corners[(i + 1) * s->dim + axis], lambda[i] / sum);
  }
  return u;
}

static void simplex_positions(const fem_space *s, const mesh *m, const int *last, double *x)
{
  for (int z = 0; z < s->nzones; z++)
    for (int i = 0; i < s->nd; i++) {
      const int64_t place = (int64_t)z * s->nd + i;
      const int dof = s->dofs[place];
      if (last && last[dof] != place) continue;
      for (int c = 0; c < s->dim; c++)
        x[(int64_t)c * s->ndofs + dof] =
          between_corners(s, m->corners + (int64_t)z * m->ncorners * s->dim, c, s->nodes + i * s->dim);
    }
}

typedef struct positioning {
  const fem_space *s;
  const mesh *m;
  const int *last; /* [ndofs]: fem_last_touches; NULL: zones come one after the other */
  double *x;
} positioning;

/* Position of a node of the reference zone along one direction; corners [2^dim][dim]. */
static double between_all(const fem_space *s, int ncorners, const double *corners, int node, int axis)
{
  double u[MESH_MAX_CORNERS];
  for (int corner = 0; corner < ncorners; corner++) u[corner] = corners[corner * s->dim + axis];
  for (int d = 0, rest = node, half = ncorners / 2; d < s->dim; d++, rest /= s->d1, half /= 2)
    for (int j = 0; j < half; j++) u[j] = between(u[2 * j], u[2 * j + 1], s->nodes[rest % s->d1]);
  return u[0];
}

static int tensor_positions_chunk(void *data, int chunk, int first, int end)
{
  const positioning *p = data;
  const fem_space *s = p->s;
  (void)chunk;
  for (int64_t z = first; z < end; z++) {
    const double *corners = p->m->corners + z * p->m->ncorners * s->dim;
    for (int i = 0; i < s->nd; i++) {
      const int dof = s->dofs[z * s->nd + i];
      if (p->last && p->last[dof] != z * s->nd + i) continue;
      for (int c = 0; c < s->dim; c++)
        p->x[(int64_t)c * s->ndofs + dof] = between_all(s, p->m->ncorners, corners, i, c);
    }
  }
  return 0;
}

static void tensor_positions(const fem_space *s, const mesh *m, const int *last, double *x)
{
  positioning p = {s, m, last, x};
  if (last)
    fem_for_chunks(s, tensor_positions_chunk, &p);
  else
    tensor_positions_chunk(&p, 0, 0, s->nzones);
}

void fem_space_positions(const fem_space *s, const mesh *m, double *x)
{
  halo *sharers = s->places ? s->places : s->halo;
  int *last = fem_last_touches(s, m, sharers);
  if (m->coarse->curve)
    fem_curve_positions(s, m, last, x);
  else if (s->shape == MESH_SIMPLEX)
    simplex_positions(s, m, last, x);
  else
    tensor_positions(s, m, last, x);
  fem_take_last(s, last, sharers, s->dim, x);
  free(last);
}
