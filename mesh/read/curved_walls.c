/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Walls of curved zones: a wall holds the motion along one axis, so it has to be a plane across that axis.
 */
#include <math.h>
#include <stdlib.h>

#include "mesh/boundary.h"
#include "mesh/read/draft.h"
#include "mesh/simplex/lattice.h"

bool mesh_facet_has_node(const mesh_coarse *c, int p, int facet, int i)
{
  if (c->shape == MESH_TENSOR) {
    for (int d = 0; d < facet / 2; d++) i /= p + 1;
    return i % (p + 1) == (facet % 2 ? p : 0);
  }
  int m[4] = {p};
  for (int k = 0; k < i; k++) simplex_next(c->dim, m);
  return m[facet] == 0;
}

/* Tests whether the nodes of a facet have the same coordinate along the axis, but for rounding errors. */
static bool is_flat(const mesh_coarse *c, int zone, int facet, int axis)
{
  const mesh_curve *v = c->curve;
  const int each = mesh_nodes_in_zone(c->shape, c->dim, v->order);
  double low[MESH_MAX_DIM], high[MESH_MAX_DIM], extent = 0;
  for (int d = 0; d < c->dim; d++) low[d] = INFINITY, high[d] = -INFINITY;
  for (int i = 0; i < each; i++) {
    if (!mesh_facet_has_node(c, v->order, facet, i)) continue;
    for (int d = 0; d < c->dim; d++) {
      const double x = v->nodes[((int64_t)zone * each + i) * c->dim + d];
      low[d] = fmin(low[d], x), high[d] = fmax(high[d], x);
    }
  }
  for (int d = 0; d < c->dim; d++) extent = fmax(extent, high[d] - low[d]);
  return high[axis] - low[axis] <= 1e-9 * extent;
}

/* By entity of a facet's dimension: the boundary face that is there, -1: none.  To be freed. */
static int *faces_at(const mesh_coarse *c, const mesh_entities *t)
{
  const int count = t->count[c->dim - 1];
  int *face = malloc(((size_t)count + 1) * sizeof *face);
  for (int i = 0; face && i < count; i++) face[i] = -1;
  for (int f = 0; face && f < c->nfaces; f++) {
    const int at = mesh_entities_find(t, c->dim - 1, mesh_coarse_face(c, f));
    if (at >= 0) face[at] = f;
  }
  return face;
}

static bool check(const mesh_draft *d, scan *s, const mesh_entities *t, const int *face)
{
  const mesh_coarse *c = d->c;
  for (int z = 0; z < c->nzones; z++)
    for (int facet = 0; facet < mesh_shape_facets(c->shape, c->dim); facet++) {
      const int f = face[t->of[(int64_t)z * t->ncodes + mesh_facet_code(c->shape, c->dim, facet)]];
      const int axis = f < 0 ? -1 : mesh_wall_axis(c->dim, c->attributes[f]);
      if (axis < 0 || is_flat(c, z, facet, axis)) continue;
      return scan_fail(s, d->face_at[f],
                       "this boundary face is a wall of %c, but curved: a wall is a plane %c = const; leave it free",
                       "xyz"[axis], "xyz"[axis]);
    }
  return true;
}

bool mesh_draft_check_curved_walls(const mesh_draft *d, scan *s)
{
  if (!d->c->curve) return true;
  mesh_entities *t = mesh_entities_create(d->c);
  int *face = t ? faces_at(d->c, t) : NULL;
  const bool ok = face ? check(d, s, t, face) : scan_fail_memory(s);
  free(face);
  mesh_entities_destroy(t);
  return ok;
}
