/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds where a mesh overlaps itself.  Where every two zones at a face are on different sides of it, which the reader
 * has checked, the number of zones over a point changes at the boundary alone; so it is enough to look behind the faces
 * of the boundary, and at its vertices.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/boundary.h"
#include "mesh/box_tree.h"
#include "mesh/coarse.h"
#include "mesh/small_map.h"

/* Distance behind a face of the points that are tested, in sizes of the face; distance of vertices that coincide, in
 * edges. */
static const double behind = 1e-5, near = 1e-6;

typedef struct search {
  const mesh *m;
  const mesh_sides *sides;
  mesh_box_tree zones;
  double x[MESH_MAX_DIM]; // the point
  int own;                // the zone that the point's face belongs to; or the point's own vertex
  double margin;          // by which the point has to be inside a zone, in reference coordinates
  bool found;
} search;

static mesh_bounds bounds_of(const mesh_coarse *c, const int *vertices, int n)
{
  mesh_bounds b = {{0}, {0}};
  for (int d = 0; d < c->dim; d++) {
    b.low[d] = INFINITY, b.high[d] = -INFINITY;
    for (int i = 0; i < n; i++) {
      const double x = c->vertices[(int64_t)vertices[i] * c->dim + d];
      b.low[d] = fmin(b.low[d], x), b.high[d] = fmax(b.high[d], x);
    }
  }
  return b;
}

static double extent_of(const mesh_bounds *b, int dim)
{
  double extent = 0;
  for (int d = 0; d < dim; d++) extent = fmax(extent, b->high[d] - b->low[d]);
  return extent;
}

static const int *corners_of(const mesh_coarse *c, int zone)
{
  return mesh_coarse_zone(c, zone);
}

static bool find_zones(search *s)
{
  const mesh_coarse *c = s->m->coarse;
  mesh_bounds *bounds = malloc(((size_t)c->nzones + 1) * sizeof *bounds);
  for (int z = 0; bounds && z < c->nzones; z++) bounds[z] = bounds_of(c, corners_of(c, z), mesh_coarse_corners(c));
  return mesh_box_tree_create(&s->zones, c->dim, c->nzones, bounds);
}

static bool is_inside(const search *s, int zone)
{
  const mesh_coarse *c = s->m->coarse;
  double corners[MESH_MAX_CORNERS * MESH_MAX_DIM], r[MESH_MAX_DIM];
  const int *v = corners_of(c, zone);
  for (int i = 0; i < mesh_coarse_corners(c); i++)
    memcpy(corners + i * c->dim, c->vertices + (int64_t)v[i] * c->dim, (size_t)c->dim * sizeof *corners);
  if (!mesh_invert_map(c->shape, c->dim, corners, s->x, r)) return false;
  double rest = 1;
  for (int d = 0; d < c->dim; d++) {
    if (!(r[d] > s->margin && r[d] < 1 - s->margin)) return false;
    rest -= r[d];
  }
  return c->shape == MESH_TENSOR || rest > s->margin;
}

/* ------------------------------------------------------------------ faces with a zone behind them */

static bool visit_behind(void *user, int zone)
{
  search *s = user;
  s->found = zone != s->own && is_inside(s, zone);
  return !s->found;
}

/* That of corner k at the point r of the unit square (segment) that a face is the image of; a triangle is that of the
 * square's map r -> (r0 (1 - r1), r1). */
static double corner_weight(const mesh_coarse *c, int k, const double *r)
{
  double weight = 1;
  if (c->shape == MESH_SIMPLEX && c->dim == 3) return k == 2 ? r[1] : (1 - r[1]) * (k == 1 ? r[0] : 1 - r[0]);
  for (int e = 0; e < c->dim - 1; e++) weight *= k >> e & 1 ? r[e] : 1 - r[e];
  return weight;
}

/* Point i of n^(dim-1) on a face, moved outwards. */
static void point_behind(search *s, const mesh_side *side, int i, int n, double step)
{
  const mesh_coarse *c = s->m->coarse;
  double normal[MESH_MAX_DIM], length = 0;
  const int row = i / n;
  const double r[2] = {(i % n + 0.5) / n, (row + 0.5) / n};
  mesh_side_normal(c, side, normal);
  for (int d = 0; d < c->dim; d++) length = fmax(length, fabs(normal[d]));
  for (int d = 0; d < c->dim; d++) {
    s->x[d] = step * normal[d] / length;
    for (int k = 0; k < mesh_coarse_facet_corners(c); k++) {
      double weight = corner_weight(c, k, r);
      s->x[d] += weight * c->vertices[(int64_t)side->vertices[k] * c->dim + d];
    }
  }
}

static bool has_zone_behind(search *s, const mesh_side *side)
{
  const mesh_coarse *c = s->m->coarse;
  const int points[] = {0, 1, 9, 4}, n = points[c->dim]; // a direction
  const mesh_bounds b = c->dim == 1 ? bounds_of(c, corners_of(c, side->zone), 2)
                                    : bounds_of(c, side->vertices, mesh_coarse_facet_corners(c));
  s->own = side->zone;
  s->margin = -1e-9;
  s->found = false;
  for (int i = 0; i < (c->dim == 3 ? n * n : n) && !s->found; i++) {
    point_behind(s, side, i, n, behind * extent_of(&b, c->dim));
    mesh_box_tree_find(&s->zones, s->x, visit_behind, s);
  }
  return s->found;
}

/* ------------------------------------------------------------------ vertices */

/* The size of the smallest face at each vertex; INFINITY inside the mesh.  The caller frees it. */
static double *sizes_of(const mesh_coarse *c, const mesh_sides *sides)
{
  double *size = malloc(((size_t)c->nvertices + 1) * sizeof *size);
  for (int v = 0; size && v < c->nvertices; v++) size[v] = INFINITY;
  for (int i = 0; size && i < sides->n; i++) {
    const mesh_side *side = &sides->items[i];
    const int n = mesh_coarse_facet_corners(c);
    const mesh_bounds b = c->dim == 1 ? bounds_of(c, corners_of(c, side->zone), 2) : bounds_of(c, side->vertices, n);
    for (int k = 0; k < n; k++) size[side->vertices[k]] = fmin(size[side->vertices[k]], extent_of(&b, c->dim));
  }
  return size;
}

static bool visit_within(void *user, int zone)
{
  search *s = user;
  const int *v = corners_of(s->m->coarse, zone);
  for (int i = 0; i < s->m->ncorners; i++)
    if (v[i] == s->own) return true;
  s->found = is_inside(s, zone);
  return !s->found;
}

static bool visit_same(void *user, int item)
{
  search *s = user;
  s->found = item != s->own;
  return !s->found;
}

static bool find_at(search *s, const mesh_box_tree *tree, int own, const double *x, bool (*visit)(void *user, int item))
{
  memcpy(s->x, x, (size_t)s->m->dim * sizeof *x);
  s->own = own;
  s->found = false;
  mesh_box_tree_find(tree, s->x, visit, s);
  return s->found;
}

/* A small box around each vertex of the boundary, listed in vertex[]. */
static bool box_vertices(const mesh_coarse *c, const double *size, mesh_box_tree *tree, int **vertex)
{
  mesh_bounds *bounds = malloc(((size_t)c->nvertices + 1) * sizeof *bounds);
  *vertex = malloc(((size_t)c->nvertices + 1) * sizeof **vertex);
  int n = 0;
  for (int v = 0; bounds && *vertex && v < c->nvertices; v++) {
    if (!isfinite(size[v])) continue;
    (*vertex)[n] = v;
    bounds[n] = bounds_of(c, &v, 1);
    for (int d = 0; d < c->dim; d++) {
      bounds[n].low[d] -= near * size[v];
      bounds[n].high[d] += near * size[v];
    }
    n++;
  }
  return mesh_box_tree_create(tree, c->dim, n, bounds) && *vertex;
}

/* ------------------------------------------------------------------ all of it */

typedef struct findings {
  int coincident, within, covered; // how many, and where the first is
  double at[3][MESH_MAX_DIM];
} findings;

static void note(int *count, double at[MESH_MAX_DIM], const double *x, int dim)
{
  if ((*count)++ == 0) memcpy(at, x, (size_t)dim * sizeof *x);
}

static void look(search *s, const mesh_box_tree *points, const int *vertex, findings *f)
{
  const mesh_coarse *c = s->m->coarse;
  s->margin = near;
  for (int i = 0; i < points->n; i++) {
    const double *x = c->vertices + (int64_t)vertex[i] * c->dim;
    if (find_at(s, points, i, x, visit_same)) note(&f->coincident, f->at[0], x, c->dim);
    if (find_at(s, &s->zones, vertex[i], x, visit_within)) note(&f->within, f->at[1], x, c->dim);
  }
  for (int i = 0; i < s->sides->n; i++) {
    double x[MESH_MAX_DIM];
    mesh_side_middle(c, &s->sides->items[i], x);
    if (has_zone_behind(s, &s->sides->items[i])) note(&f->covered, f->at[2], x, c->dim);
  }
}

static void tell_findings(const findings *f, int dim, mesh_tell *tell, void *user)
{
  const struct {
    int n;
    const char *what, *means;
  } lines[] = {
    {f->coincident, "vertices lie at the same place as another", "zones that should share one are not joined there"},
    {f->within, "vertices of the boundary lie inside a zone", "zones overlap there"},
    {f->covered, "faces of the boundary have a zone behind them",
     "a crack, a vertex that only one side of a face has, or zones that overlap; no force passes there"},
  };
  for (int i = 0; i < 3; i++) {
    char sentence[400], at[96];
    if (lines[i].n == 0) continue;
    int used = 0;
    for (int d = 0; d < dim; d++)
      used += snprintf(at + used, sizeof at - (size_t)used, "%s%.6g", d ? ", " : "", f->at[i][d]);
    snprintf(sentence, sizeof sentence, "%d %s, the first at (%s): %s", lines[i].n, lines[i].what, at, lines[i].means);
    tell(user, sentence);
  }
}

int mesh_examine_geometry(const mesh *m, const mesh_sides *sides, mesh_tell *tell, void *user)
{
  search s = {.m = m, .sides = sides};
  findings f = {0};
  mesh_box_tree points = {0};
  int *vertex = NULL;
  double *size = sizes_of(m->coarse, sides);
  const bool ok = size && find_zones(&s) && box_vertices(m->coarse, size, &points, &vertex);
  if (ok) look(&s, &points, vertex, &f);
  if (ok) tell_findings(&f, m->dim, tell, user);
  mesh_box_tree_destroy(&points);
  mesh_box_tree_destroy(&s.zones);
  free(vertex);
  free(size);
  return ok ? STATUS_OK : STATUS_MACHINE;
}
