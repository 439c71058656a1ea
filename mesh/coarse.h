/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Coarse meshes, for the inside of the mesh layer.
 */
#ifndef MESH_COARSE_H
#define MESH_COARSE_H

#include "mesh/topology.h"

/* Uninitialised arrays of these lengths; NULL when memory is out. */
mesh_coarse *mesh_coarse_allocate(mesh_shape shape, int dim, int nvertices, int nzones, int nfaces);

/* The curve of nroots zones of this order, with nodes to be filled in; simplices are roots, and parts of themselves.
 * NULL when memory is out. */
mesh_curve *mesh_curve_allocate(mesh_shape shape, int dim, int nroots, int order, mesh_line line);
void mesh_curve_destroy(mesh_curve **curve);

/* Corners of its zones and of their facets, and the vertices of a zone's corners. */
static inline int mesh_coarse_corners(const mesh_coarse *c)
{
  return mesh_shape_corners(c->shape, c->dim);
}

static inline int mesh_coarse_facet_corners(const mesh_coarse *c)
{
  return mesh_shape_corners(c->shape, c->dim - 1);
}

static inline int *mesh_coarse_zone(const mesh_coarse *c, int64_t zone)
{
  return c->zones + zone * mesh_coarse_corners(c);
}

static inline int *mesh_coarse_face(const mesh_coarse *c, int64_t face)
{
  return c->faces + face * mesh_coarse_facet_corners(c);
}

/* Entries of its arrays. */
static inline size_t mesh_coarse_zone_entries(const mesh_coarse *c)
{
  return (size_t)c->nzones * (size_t)mesh_coarse_corners(c);
}

static inline size_t mesh_coarse_face_entries(const mesh_coarse *c)
{
  return (size_t)c->nfaces * (size_t)mesh_coarse_facet_corners(c);
}

/* The point i of n equal steps from a to b.  The ends are exact, a == b gives a, and counting from b gives the same
 * bits. */
static inline double mesh_between(double a, double b, int i, int n)
{
  if (2 * (int64_t)i == n) return 0.5 * (a + b);
  return 2 * (int64_t)i < n ? a + (b - a) * i / n : b + (a - b) * (n - i) / n;
}

/* Smallest Jacobian determinant at the corners of a zone whose corners x have shape [corners][dim]. */
double mesh_smallest_jacobian(mesh_shape shape, int dim, const double *x);

#endif
