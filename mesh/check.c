/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "mesh/read/seams.h"
#include "mesh/simplex/simplex.h"

/* The zones and boundary faces that meet at one facet. */
typedef struct facet_use {
  signed char zones, orientations; /* how many zones, and the sum of their +1 and -1 */
  bool listed;                     /* as a boundary face */
} facet_use;

static bool check_vertices(const mesh_draft *d, scan *s, const char *what, const int *v, int n, size_t at)
{
  int last = d->c->nvertices - 1, base = d->first_vertex;
  for (int i = 0; i < n; i++) {
    if (v[i] < 0 || v[i] > last)
      return scan_fail(s, at, "this %s names vertex %lld, but the mesh has %d, numbered from %d", what,
                       (long long)v[i] + base, last + 1, base);
    for (int j = 0; j < i; j++) {
      if (v[i] == v[j]) return scan_fail(s, at, "this %s has the same vertex twice", what);
    }
  }
  return true;
}

bool mesh_draft_check_vertices(const mesh_draft *d, scan *s)
{
  const mesh_coarse *c = d->c;
  int n = mesh_coarse_corners(c), nf = mesh_coarse_facet_corners(c);
  for (int z = 0; z < c->nzones; z++) {
    if (!check_vertices(d, s, "zone", c->zones + (int64_t)z * n, n, d->zone_at[z])) return false;
  }
  for (int f = 0; f < c->nfaces; f++) {
    if (!check_vertices(d, s, "boundary face", c->faces + (int64_t)f * nf, nf, d->face_at[f])) return false;
  }
  return true;
}

/* Numbers the vertices that zones use without gaps, in their old order. */
static bool drop_unused_vertices(mesh_draft *d, scan *s)
{
  mesh_coarse *c = d->c;
  const size_t ncorners = mesh_coarse_zone_entries(c), nface_corners = mesh_coarse_face_entries(c);
  int *number = calloc((size_t)c->nvertices + 1, sizeof *number), used = 0;
  if (!number) return scan_fail_memory(s);
  for (size_t i = 0; i < ncorners; i++) number[c->zones[i]] = 1;
  for (int v = 0; v < c->nvertices; v++) {
    if (!number[v]) {
      number[v] = -1;
      continue;
    }
    memmove(c->vertices + (int64_t)used * c->dim, c->vertices + (int64_t)v * c->dim,
            (size_t)c->dim * sizeof *c->vertices);
    number[v] = used++;
  }
  c->nvertices = used;
  for (size_t i = 0; i < ncorners; i++) c->zones[i] = number[c->zones[i]];
  for (size_t i = 0; i < nface_corners; i++) c->faces[i] = number[c->faces[i]];
  const size_t nseam_corners = (size_t)c->nseams * 2 * (size_t)mesh_coarse_facet_corners(c);
  for (size_t i = 0; i < nseam_corners; i++) c->seams[i] = number[c->seams[i]];
  free(number);
  return true;
}

static bool check_volumes(const mesh_draft *d, scan *s)
{
  const mesh_coarse *c = d->c;
  for (int z = 0; z < c->nzones; z++) {
    double x[MESH_MAX_CORNERS * MESH_MAX_DIM];
    for (int i = 0; i < mesh_coarse_corners(c); i++)
      memcpy(x + i * c->dim, c->vertices + (int64_t)mesh_coarse_zone(c, z)[i] * c->dim, (size_t)c->dim * sizeof *x);
    double j = mesh_smallest_jacobian(c->shape, c->dim, x);
    if (!(j > 0) && c->shape == MESH_SIMPLEX)
      return scan_fail(s, d->zone_at[z], "this zone is flat: its Jacobian determinant is %g", j);
    if (!(j > 0))
      return scan_fail(s, d->zone_at[z], "this zone is %s: the Jacobian determinant at one of its corners is %g%s",
                       j < 0 ? "inverted or not convex" : "flat", j,
                       c->dim == 2 ? "; list its corners counterclockwise" : "");
  }
  return true;
}

/* +1 or -1: two zones on different sides of a facet give different signs, if their Jacobians have the same sign. */
static int facet_orientation(const mesh_coarse *c, int zone, int facet)
{
  int corners[MESH_MAX_CORNERS], v[MESH_MAX_FACET_CORNERS], origin = 0;
  bool swapped = false;
  int n = mesh_code_corners(c->shape, c->dim, mesh_facet_code(c->shape, c->dim, facet), corners);
  for (int i = 0; i < n; i++) v[i] = mesh_coarse_zone(c, zone)[corners[i]];
  if (c->shape == MESH_SIMPLEX) return mesh_sort_vertices(n, v) == (facet & 1) ? 1 : -1;
  mesh_canonical_vertices(c->dim - 1, v, &origin, &swapped);
  int odd = (facet & 1) ^ (facet >> 1 & 1) ^ (origin & 1) ^ (origin >> 1) ^ swapped;
  return odd ? -1 : 1;
}

/* Tests whether a zone before this one has the same vertices. */
static bool is_listed_before(const mesh_coarse *c, int zone)
{
  const int n = mesh_coarse_corners(c);
  int mine[MESH_MAX_CORNERS], other[MESH_MAX_CORNERS];
  memcpy(mine, mesh_coarse_zone(c, zone), (size_t)n * sizeof *mine);
  mesh_sort_vertices(n, mine);
  for (int z = 0; z < zone; z++) {
    memcpy(other, mesh_coarse_zone(c, z), (size_t)n * sizeof *other);
    mesh_sort_vertices(n, other);
    if (memcmp(mine, other, (size_t)n * sizeof *mine) == 0) return true;
  }
  return false;
}

static bool refuse_zone(const mesh_draft *d, scan *s, int zone, const char *sentence)
{
  if (is_listed_before(d->c, zone))
    sentence = "this zone is listed for the second time (MSH 2.2 lists it for each physical group that it is in)";
  return scan_fail(s, d->zone_at[zone], "%s", sentence);
}

static bool check_neighbours(const mesh_draft *d, scan *s, const mesh_entities *t, facet_use *use)
{
  const mesh_coarse *c = d->c;
  for (int z = 0; z < c->nzones; z++) {
    for (int f = 0; f < mesh_shape_facets(c->shape, c->dim); f++) {
      facet_use *u = &use[t->of[(int64_t)z * t->ncodes + mesh_facet_code(c->shape, c->dim, f)]];
      u->orientations = (signed char)(u->orientations + facet_orientation(c, z, f));
      if (++u->zones > 2)
        return refuse_zone(d, s, z, "this zone is the third at one of its faces; a face has at most two zones");
      if (u->zones == 2 && u->orientations != 0)
        return refuse_zone(d, s, z,
                           "this zone overlaps another: both lie on the same side of the face that they share");
    }
  }
  return true;
}

static bool check_boundary(const mesh_draft *d, scan *s, const mesh_entities *t, facet_use *use)
{
  const mesh_coarse *c = d->c;
  for (int f = 0; f < c->nfaces; f++) {
    const int *v = mesh_coarse_face(c, f);
    int at = v[0] < 0 ? -1 : mesh_entities_find(t, c->dim - 1, v);
    if (at < 0 || use[at].zones == 0)
      return scan_fail(s, d->face_at[f], "this boundary face is not a face of any zone");
    if (use[at].zones == 2)
      return scan_fail(s, d->face_at[f], "this boundary face lies between two zones, not on the boundary");
    if (use[at].listed)
      return scan_fail(s, d->face_at[f],
                       "this boundary face is listed for the second time; each may have one attribute");
    use[at].listed = true;
  }
  return true;
}

static bool check_facets(const mesh_draft *d, scan *s)
{
  mesh_entities *t = mesh_entities_create(d->c);
  facet_use *use = t ? calloc((size_t)t->count[d->c->dim - 1] + 1, sizeof *use) : NULL;
  bool ok = use ? check_neighbours(d, s, t, use) && check_boundary(d, s, t, use) : scan_fail_memory(s);
  free(use);
  mesh_entities_destroy(t);
  return ok;
}

bool mesh_draft_check(mesh_draft *d, scan *s)
{
  if (d->c->nzones == 0) return scan_fail(s, s->length, "the mesh has no zones");
  if (!mesh_draft_check_vertices(d, s) || !drop_unused_vertices(d, s)) return false;
  if (!mesh_draft_check_curved_walls(d, s) || !mesh_draft_check_seams(d, s)) return false;
  if (d->c->shape == MESH_SIMPLEX) mesh_simplex_orient(d->c);
  if (!check_volumes(d, s) || !check_facets(d, s)) return false;
  return d->c->shape == MESH_TENSOR || !mesh_simplex_mark(d->c) || scan_fail_memory(s);
}
