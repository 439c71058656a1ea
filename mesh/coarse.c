/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "mesh/coarse.h"

mesh_coarse *mesh_coarse_allocate(mesh_shape shape, int dim, int nvertices, int nzones, int nfaces)
{
  mesh_coarse *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  *c = (mesh_coarse){.dim = dim, .shape = shape, .nvertices = nvertices, .nzones = nzones, .nfaces = nfaces};
  c->vertices = malloc(((size_t)nvertices * (size_t)dim + 1) * sizeof *c->vertices);
  c->zones = malloc((mesh_coarse_zone_entries(c) + 1) * sizeof *c->zones);
  c->faces = malloc((mesh_coarse_face_entries(c) + 1) * sizeof *c->faces);
  c->attributes = malloc(((size_t)nfaces + 1) * sizeof *c->attributes);
  if (!c->vertices || !c->zones || !c->faces || !c->attributes) mesh_coarse_destroy(&c);
  return c;
}

void mesh_coarse_destroy(mesh_coarse **coarse)
{
  mesh_coarse *c = *coarse;
  *coarse = NULL;
  if (!c) return;
  free(c->vertices);
  free(c->zones);
  free(c->faces);
  free(c->attributes);
  free(c);
}

int mesh_coarse_box(mesh_coarse **coarse, int dim, const double *lower, const double *upper, const int *attributes)
{
  int ncorners = 1 << dim;
  mesh_coarse *c = *coarse = mesh_coarse_allocate(MESH_TENSOR, dim, ncorners, 1, 2 * dim);
  if (!c) return STATUS_MACHINE;
  for (int i = 0; i < ncorners; i++) {
    c->zones[i] = i;
    for (int d = 0; d < dim; d++) c->vertices[i * dim + d] = (i >> d & 1 ? upper : lower)[d];
  }
  for (int f = 0; f < 2 * dim; f++) {
    int corners[MESH_MAX_CORNERS];
    int n = mesh_code_corners(MESH_TENSOR, dim, mesh_facet_code(MESH_TENSOR, dim, f), corners);
    for (int i = 0; i < n; i++) c->faces[f * n + i] = corners[i];
    c->attributes[f] = attributes[f];
  }
  return 0;
}

/* Determinant of the columns a[d], each of shape [dim]. */
static double determinant(int dim, double a[3][3])
{
  if (dim == 1) return a[0][0];
  if (dim == 2) return a[0][0] * a[1][1] - a[1][0] * a[0][1];
  return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
         a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

static double simplex_jacobian(int dim, const double *x)
{
  double a[3][3];
  for (int d = 0; d < dim; d++)
    for (int axis = 0; axis < dim; axis++) a[d][axis] = x[(d + 1) * dim + axis] - x[axis];
  return determinant(dim, a);
}

double mesh_smallest_jacobian(mesh_shape shape, int dim, const double *x)
{
  double smallest = INFINITY;
  if (shape == MESH_SIMPLEX) return simplex_jacobian(dim, x);
  for (int i = 0; i < 1 << dim; i++) {
    double a[3][3];
    for (int d = 0; d < dim; d++) {
      const double *low = x + (i & ~(1 << d)) * dim, *high = x + (i | 1 << d) * dim;
      for (int axis = 0; axis < dim; axis++) a[d][axis] = high[axis] - low[axis];
    }
    double j = determinant(dim, a);
    if (isnan(j)) return j;
    smallest = fmin(smallest, j);
  }
  return smallest;
}
