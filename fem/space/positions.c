/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Initial positions of the nodes.
 */
#include <stdlib.h>

#include "fem/host/tensor.h"
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

/* Positions [nd] of the nodes of a zone along one axis; corners [2^dim][dim].  Direction by direction: [half] pairs of
 * [before] nodes become [half][d1][before]; room [2][nd]. */
static inline __attribute__((always_inline)) const double *between_known(int d1, const fem_space *s, int ncorners,
                                                                         const double *corners, int axis, double *room)
{
  double *in = room + s->nd;
  for (int corner = 0; corner < ncorners; corner++) in[corner] = corners[corner * s->dim + axis];
  for (int d = 0, half = ncorners / 2, before = 1; d < s->dim; d++, half /= 2, before *= d1) {
    double *out = room + d % 2 * s->nd;
    for (int j = 0; j < half; j++)
      for (int i = 0; i < d1; i++)
        for (int b = 0; b < before; b++)
          out[(j * d1 + i) * before + b] = between(in[2 * j * before + b], in[(2 * j + 1) * before + b], s->nodes[i]);
    in = out;
  }
  return in;
}

static const double *between_all(const fem_space *s, int ncorners, const double *corners, int axis, double *room)
{
  switch (s->d1) {
  case 2: return between_known(2, s, ncorners, corners, axis, room);
  case 3: return between_known(3, s, ncorners, corners, axis, room);
  case 4: return between_known(4, s, ncorners, corners, axis, room);
  case 5: return between_known(5, s, ncorners, corners, axis, room);
  default: return between_known(s->d1, s, ncorners, corners, axis, room);
  }
}

static int tensor_positions_chunk(void *data, int chunk, int first, int end)
{
  const positioning *p = data;
  const fem_space *s = p->s;
  double room[2 * TENSOR_MAX_ZONE];
  (void)chunk;
  for (int64_t z = first; z < end; z++) {
    const double *corners = p->m->corners + z * p->m->ncorners * s->dim;
    const int *dofs = s->dofs + z * s->nd;
    for (int c = 0; c < s->dim; c++) {
      const double *at = between_all(s, p->m->ncorners, corners, c, room);
      double *x = p->x + (int64_t)c * s->ndofs;
      for (int i = 0; i < s->nd; i++)
        if (!p->last || p->last[dofs[i]] == z * s->nd + i) x[dofs[i]] = at[i];
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
