/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The fields of a block of LANES zones at its points and back, plane by plane and row by row (tensor.h): reference
 * gradients of positions and velocities, values of energies.
 */
#ifndef FEM_HOST_FIELDS_H
#define FEM_HOST_FIELDS_H

#include "fem/host/tensor.h"

/* A field's nodes on one block, contracted to a plane of points: by values and by slopes along z. */
typedef struct field_plane {
  real value[TENSOR_MAX_PLANE], slope[TENSOR_MAX_PLANE];
} field_plane;

/* The reference gradient of a field on one row of points. */
typedef struct field_row {
  real along[3][FEM_MAX_POINTS]; // [direction][q]
} field_row;

/* Nodes u [d1]^dim to plane qz.  In 2D and 1D the plane is the whole block. */
POINT_FN void field_to_plane(int dim, int d1, const fem_space *s, int qz, const real *u, field_plane *p)
{
  const int n = dim >= 2 ? d1 * d1 : d1;
  if (dim == 3) {
    tensor_sum(d1, n, s->b + qz * d1, u, p->value);
    tensor_sum(d1, n, s->g + qz * d1, u, p->slope);
  } else
    for (int i = 0; i < n; i++) p->value[i] = u[i];
}

/* A plane to its row qy. */
POINT_FN void field_to_row(int dim, int d1, int q1, const fem_space *s, int qy, const field_plane *p, field_row *r)
{
  real line[TENSOR_MAX_1D];
  if (dim == 1) {
    tensor_row(q1, d1, s->g, p->value, r->along[0]);
    return;
  }
  const double *b = s->b + qy * d1, *g = s->g + qy * d1;
  tensor_sum(d1, d1, b, p->value, line);
  tensor_row(q1, d1, s->g, line, r->along[0]);
  tensor_sum(d1, d1, g, p->value, line);
  tensor_row(q1, d1, s->b, line, r->along[1]);
  if (dim == 3) {
    tensor_sum(d1, d1, b, p->slope, line);
    tensor_row(q1, d1, s->b, line, r->along[2]);
  }
}

/* The transposes: point values of a row times the functions' slopes, added to the plane, and a plane to the block. */
POINT_FN void field_from_row(int dim, int d1, int q1, const fem_space *s, int qy, const field_row *r, field_plane *p)
{
  real line[TENSOR_MAX_1D];
  if (dim == 1) {
    tensor_row_transposed(q1, d1, s->g, r->along[0], p->value);
    return;
  }
  const double *b = s->b + qy * d1, *g = s->g + qy * d1;
  tensor_row_transposed(q1, d1, s->g, r->along[0], line);
  tensor_spread(d1, d1, b, line, p->value);
  tensor_row_transposed(q1, d1, s->b, r->along[1], line);
  tensor_spread(d1, d1, g, line, p->value);
  if (dim == 3) {
    tensor_row_transposed(q1, d1, s->b, r->along[2], line);
    tensor_spread(d1, d1, b, line, p->slope);
  }
}

POINT_FN void field_from_plane(int dim, int d1, const fem_space *s, int qz, const field_plane *p, real *u)
{
  const int n = dim >= 2 ? d1 * d1 : d1;
  if (dim == 3) {
    tensor_spread(d1, n, s->b + qz * d1, p->value, u);
    tensor_spread(d1, n, s->g + qz * d1, p->slope, u);
  } else
    for (int i = 0; i < n; i++) u[i] = p->value[i];
}

/* The same for the scalar thermodynamic basis, values only. */
POINT_FN void field_energy_to_plane(int dim, int t1, const fem_space *s, int qz, const real *u, real *p)
{
  const int n = dim >= 2 ? t1 * t1 : t1;
  if (dim == 3)
    tensor_sum(t1, n, s->bt + qz * t1, u, p);
  else
    for (int i = 0; i < n; i++) p[i] = u[i];
}

POINT_FN void field_energy_to_row(int dim, int t1, int q1, const fem_space *s, int qy, const real *p, real *values)
{
  real line[TENSOR_MAX_1D];
  if (dim == 1) {
    tensor_row(q1, t1, s->bt, p, values);
    return;
  }
  tensor_sum(t1, t1, s->bt + qy * t1, p, line);
  tensor_row(q1, t1, s->bt, line, values);
}

POINT_FN void field_energy_from_row(int dim, int t1, int q1, const fem_space *s, int qy, const real *values, real *p)
{
  real line[TENSOR_MAX_1D];
  tensor_row_transposed(q1, t1, s->bt, values, line);
  if (dim >= 2)
    tensor_spread(t1, t1, s->bt + qy * t1, line, p);
  else
    for (int i = 0; i < t1; i++) p[i] = line[i];
}

/* Coefficients of a zone-wise vector [nzones][n] to a block and back; lanes without a zone repeat the last zone, and
 * are not written. */
POINT_FN void field_load_zones(int n, int block, int nzones, const double *e, real *u)
{
  for (int i = 0; i < n; i++) {
    real values = {0};
    for (int l = 0; l < LANES; l++) {
      const int zone = block * LANES + l < nzones ? block * LANES + l : nzones - 1;
      values[l] = e[(int64_t)zone * n + i];
    }
    u[i] = values;
  }
}

POINT_FN void field_store_zones(int n, int block, int nzones, const real *u, double *e)
{
  const int zones = nzones - block * LANES < LANES ? nzones - block * LANES : LANES;
  for (int l = 0; l < zones; l++)
    for (int i = 0; i < n; i++) e[((int64_t)block * LANES + l) * n + i] = u[i][l];
}

#endif
