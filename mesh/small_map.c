/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh/small_map.h"

#include <math.h>

/* X(r) - x, and its derivatives by r as columns: jacobian[d] = dX/dr_d. */
static void residual(int dim, const double *corners, const double *x, const double *r, double *f, double jacobian[3][3])
{
  for (int axis = 0; axis < dim; axis++) {
    f[axis] = -x[axis];
    for (int d = 0; d < dim; d++) jacobian[d][axis] = 0;
  }
  for (int i = 0; i < 1 << dim; i++) {
    double weight = 1, slope[3] = {1, 1, 1};
    for (int d = 0; d < dim; d++) {
      const bool high = i >> d & 1;
      weight *= high ? r[d] : 1 - r[d];
      for (int e = 0; e < dim; e++) slope[e] *= e == d ? (high ? 1 : -1) : high ? r[d] : 1 - r[d];
    }
    for (int axis = 0; axis < dim; axis++) {
      f[axis] += weight * corners[i * dim + axis];
      for (int d = 0; d < dim; d++) jacobian[d][axis] += slope[d] * corners[i * dim + axis];
    }
  }
}

static void simplex_residual(int dim, const double *corners, const double *x, const double *r, double *f,
                             double jacobian[3][3])
{
  for (int axis = 0; axis < dim; axis++) {
    f[axis] = corners[axis] - x[axis];
    for (int d = 0; d < dim; d++) {
      jacobian[d][axis] = corners[(d + 1) * dim + axis] - corners[axis];
      f[axis] += r[d] * jacobian[d][axis];
    }
  }
}

static double determinant(const double *a, const double *b, const double *c)
{
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Solves sum_d step_d jacobian[d] = f by Cramer's rule; missing directions are those of the axes. */
static bool solve(int dim, double jacobian[3][3], const double *f, double *step)
{
  double full[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, right[3] = {0, 0, 0};
  for (int axis = 0; axis < dim; axis++) {
    right[axis] = f[axis];
    for (int d = 0; d < dim; d++) full[d][axis] = jacobian[d][axis];
  }
  const double all = determinant(full[0], full[1], full[2]);
  for (int d = 0; d < dim; d++)
    step[d] = determinant(d == 0 ? right : full[0], d == 1 ? right : full[1], d == 2 ? right : full[2]) / all;
  return all != 0 && isfinite(all);
}

bool mesh_invert_map(mesh_shape shape, int dim, const double *corners, const double *x, double *r)
{
  for (int d = 0; d < dim; d++) r[d] = 0.5;
  for (int i = 0; i < 50; i++) {
    double f[3], jacobian[3][3], step[3], largest = 0;
    if (shape == MESH_SIMPLEX)
      simplex_residual(dim, corners, x, r, f, jacobian);
    else
      residual(dim, corners, x, r, f, jacobian);
    if (!solve(dim, jacobian, f, step)) return false;
    for (int d = 0; d < dim; d++) {
      r[d] = fmin(fmax(r[d] - step[d], -1), 2);
      largest = fmax(largest, fabs(step[d]));
    }
    if (largest < 1e-12) return true;
  }
  return false;
}
