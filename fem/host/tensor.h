/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sum factorisation on blocks of LANES zones, one zone a lane.
 *
 * A field on a block is u[z][y][x] of `real`, x fastest.  Work goes plane by plane (fixed point in z) and row by row
 * (fixed point in y and z), so that a row of points stays in registers and a plane in the first-level cache.  In 2D
 * there is one plane, in 1D one row.  Tables are [points][functions].
 */
#ifndef FEM_HOST_TENSOR_H
#define FEM_HOST_TENSOR_H

#include "fem/host/lanes.h"
#include "fem/fem.h"

/* The most functions of a basis: along a line, in a plane, of a zone. */
enum {
  TENSOR_MAX_1D = 1 + FEM_MAX_ORDER,
  TENSOR_MAX_PLANE = TENSOR_MAX_1D * TENSOR_MAX_1D,
  TENSOR_MAX_ZONE = TENSOR_MAX_PLANE * TENSOR_MAX_1D
};

POINT_FN int tensor_planes(int dim, int q1)
{
  return dim == 3 ? q1 : 1;
}

POINT_FN int tensor_rows(int dim, int q1)
{
  return dim >= 2 ? q1 : 1;
}

/* out[j] = sum_i a[i] u[i][j], j < inner */
POINT_FN void tensor_sum(int n, int inner, const number *a, const real *u, real *out)
{
  for (int j = 0; j < inner; j++) {
    real sum = a[0] * u[j];
    for (int i = 1; i < n; i++) sum += a[i] * u[i * inner + j];
    out[j] = sum;
  }
}

/* out[i][j] += a[i] t[j] */
POINT_FN void tensor_spread(int n, int inner, const number *a, const real *t, real *out)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < inner; j++) out[i * inner + j] += a[i] * t[j];
}

POINT_FN void tensor_zero(int n, real *out)
{
  for (int i = 0; i < n; i++) out[i] = real_of(0.0);
}

/* out[q] = sum_i table[q][i] row[i] */
POINT_FN void tensor_row(int q1, int n1, const number *table, const real *row, real *out)
{
  for (int q = 0; q < q1; q++) {
    real sum = table[q * n1] * row[0];
    for (int i = 1; i < n1; i++) sum += table[q * n1 + i] * row[i];
    out[q] = sum;
  }
}

/* out[i] = sum_q table[q][i] row[q] */
POINT_FN void tensor_row_transposed(int q1, int n1, const number *table, const real *row, real *out)
{
  for (int i = 0; i < n1; i++) {
    real sum = table[i] * row[0];
    for (int q = 1; q < q1; q++) sum += table[q * n1 + i] * row[q];
    out[i] = sum;
  }
}

/* One component of an L-vector to a block: dofs has shape [nd][LANES]. */
POINT_FN void tensor_gather(int nd, const int *dofs, const number *component, real *u)
{
  for (int i = 0; i < nd; i++) u[i] = real_gather(component, dofs + i * LANES);
}

/* The transpose: adds the first `zones` lanes of a block to the L-vector, in order. */
POINT_FN void tensor_scatter(int nd, int zones, const int *dofs, const real *u, number *component)
{
  if (zones >= LANES)
    for (int i = 0; i < nd; i++)
      for (int l = 0; l < LANES; l++) component[dofs[i * LANES + l]] += u[i][l];
  else
    for (int i = 0; i < nd; i++)
      for (int l = 0; l < zones; l++) component[dofs[i * LANES + l]] += u[i][l];
}

/* Blocks: LANES zones each, the last one filled up with copies of the last zone. */
static inline int tensor_blocks(int nzones)
{
  return (nzones + LANES - 1) / LANES;
}

#ifndef LANES_SINGLE
/* tensor.c: [block][n][LANES] from [nzones][n].  NULL: no memory. */
int *tensor_block_dofs(int nzones, int n, const int *dofs);
double *tensor_block_data(int threads, int nzones, int n, const double *data);
#endif

#endif
