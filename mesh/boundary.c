/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh/boundary.h"

#include <math.h>
#include <stdlib.h>

#include "mesh/coarse.h"

int mesh_wall_axis(int dim, int attribute)
{
  return attribute >= 1 && attribute <= dim ? attribute - 1 : -1;
}

/* The attribute of every edge, face, ... of the facets' dimension; the caller frees it. */
static int *attributes_of(const mesh_coarse *c, const mesh_entities *t)
{
  int *attribute = calloc((size_t)t->count[c->dim - 1] + 1, sizeof *attribute);
  for (int f = 0; attribute && f < c->nfaces; f++) {
    const int at = mesh_entities_find(t, c->dim - 1, mesh_coarse_face(c, f));
    if (at >= 0) attribute[at] = c->attributes[f];
  }
  return attribute;
}

static int facet_entity(const mesh *m, int zone, int facet)
{
  return m->entities->of[(int64_t)zone * m->entities->ncodes + mesh_facet_code(m->shape, m->dim, facet)];
}

/* Tests whether the zone has a neighbour at this facet, across a seam. */
static bool is_seam(const mesh *m, int facet)
{
  const unsigned char *const at_seam = m->entities->at_seam[m->dim - 1];
  return at_seam && at_seam[facet];
}

/* Appends the facets of a zone that no other zone has. */
static void add_sides(mesh_sides *sides, const mesh *m, int zone, const unsigned char *uses, const int *attribute)
{
  for (int facet = 0; facet < mesh_shape_facets(m->shape, m->dim); facet++) {
    const int at = facet_entity(m, zone, facet);
    if (uses[at] != 1 || is_seam(m, at)) continue;
    mesh_side *side = &sides->items[sides->n++];
    int corners[MESH_MAX_CORNERS];
    *side = (mesh_side){.zone = zone, .facet = facet, .attribute = attribute[at]};
    const int n = mesh_code_corners(m->shape, m->dim, mesh_facet_code(m->shape, m->dim, facet), corners);
    for (int i = 0; i < n; i++) side->vertices[i] = mesh_coarse_zone(m->coarse, zone)[corners[i]];
  }
}

int mesh_sides_create(mesh_sides *sides, const mesh *m)
{
  const mesh_coarse *c = m->coarse;
  const size_t nfacets = (size_t)m->entities->count[m->dim - 1];
  unsigned char *uses = calloc(nfacets + 1, 1);
  int *attribute = attributes_of(c, m->entities);
  *sides = (mesh_sides){0};
  if (uses && attribute) {
    size_t n = 0;
    for (int z = 0; z < c->nzones; z++)
      for (int facet = 0; facet < mesh_shape_facets(m->shape, m->dim); facet++) uses[facet_entity(m, z, facet)]++;
    for (size_t i = 0; i < nfacets; i++) n += uses[i] == 1;
    sides->items = malloc((n + 1) * sizeof *sides->items);
  }
  for (int z = 0; sides->items && z < c->nzones; z++) add_sides(sides, m, z, uses, attribute);
  free(uses);
  free(attribute);
  return sides->items ? STATUS_OK : STATUS_MACHINE;
}

void mesh_sides_destroy(mesh_sides *sides)
{
  free(sides->items);
  *sides = (mesh_sides){0};
}

static void set_mean(const mesh_coarse *c, const int *vertices, int n, double *x)
{
  for (int axis = 0; axis < c->dim; axis++) {
    x[axis] = 0;
    for (int i = 0; i < n; i++) x[axis] += c->vertices[(int64_t)vertices[i] * c->dim + axis] / n;
  }
}

void mesh_side_middle(const mesh_coarse *c, const mesh_side *side, double *x)
{
  set_mean(c, side->vertices, mesh_coarse_facet_corners(c), x);
}

/* Perpendicular to the segment in 2D; in 3D to both diagonals of the quad, to two edges of the triangle. */
void mesh_side_normal(const mesh_coarse *c, const mesh_side *side, double *normal)
{
  const int *v = side->vertices, last = c->shape == MESH_SIMPLEX ? 1 : 3;
  double inside[3], middle[3], a[3] = {0}, b[3] = {0}, outwards = 0;
  set_mean(c, mesh_coarse_zone(c, side->zone), mesh_coarse_corners(c), inside);
  mesh_side_middle(c, side, middle);
  for (int axis = 0; axis < c->dim; axis++) {
    const double *x = c->vertices + axis;
    if (c->dim > 1) a[axis] = x[(int64_t)v[c->dim == 2 ? 1 : last] * c->dim] - x[(int64_t)v[0] * c->dim];
    if (c->dim == 3) b[axis] = x[(int64_t)v[2] * c->dim] - x[(int64_t)v[1] * c->dim];
  }
  if (c->dim == 1) normal[0] = 1;
  if (c->dim == 2) normal[0] = a[1], normal[1] = -a[0];
  for (int axis = 0; c->dim == 3 && axis < 3; axis++) {
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    normal[axis] = a[i] * b[j] - a[j] * b[i];
  }
  for (int axis = 0; axis < c->dim; axis++) outwards += normal[axis] * (middle[axis] - inside[axis]);
  for (int axis = 0; axis < c->dim; axis++) normal[axis] = copysign(1, outwards) * normal[axis];
}

/* Cells of the refined mesh on a facet of a coarse zone. */
static int64_t cells_on(const mesh *m, int facet)
{
  int64_t n = 1;
  for (int d = 0; d < m->dim; d++) n *= d == facet / 2 ? 1 : m->subdivision[d];
  return n;
}

void mesh_boundary_count(const mesh *m, const mesh_sides *sides, mesh_boundary *b)
{
  *b = (mesh_boundary){0};
  for (int i = 0; i < sides->n; i++) {
    const int axis = mesh_wall_axis(m->dim, sides->items[i].attribute);
    *(axis < 0 ? &b->free : &b->walls[axis]) += cells_on(m, sides->items[i].facet);
  }
}
