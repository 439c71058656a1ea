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
  free(c->seams);
  mesh_curve_destroy(&c->curve);
  free(c);
}

/* Every zone is a root. */
static void set_places(mesh_curve *v, int dim)
{
  double *place = v->place;
  for (int z = 0; z < v->nroots; z++) {
    v->root[z] = z;
    for (int i = 0; i <= dim; i++)
      for (int d = 0; d < dim; d++) *place++ = i == d + 1;
  }
}

mesh_curve *mesh_curve_allocate(mesh_shape shape, int dim, int nroots, int order, mesh_line line)
{
  mesh_curve *v = calloc(1, sizeof *v);
  if (!v) return NULL;
  *v = (mesh_curve){.order = order, .line = line, .nroots = nroots};
  const size_t zones = (size_t)nroots + 1, each = (size_t)mesh_nodes_in_zone(shape, dim, order);
  v->nodes = malloc(zones * each * (size_t)dim * sizeof *v->nodes);
  if (shape == MESH_SIMPLEX) {
    v->root = malloc(zones * sizeof *v->root);
    v->place = malloc(zones * (size_t)(dim * (dim + 1)) * sizeof *v->place);
  }
  if (!v->nodes || (shape == MESH_SIMPLEX && (!v->root || !v->place)))
    mesh_curve_destroy(&v);
  else if (shape == MESH_SIMPLEX)
    set_places(v, dim);
  return v;
}

void mesh_curve_destroy(mesh_curve **curve)
{
  mesh_curve *v = *curve;
  *curve = NULL;
  if (!v) return;
  free(v->nodes);
  free(v->root);
  free(v->place);
  free(v);
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
