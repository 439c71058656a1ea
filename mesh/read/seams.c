/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh/read/seams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A facet of the mesh and the one or two zones that have it. */
typedef struct facet {
  int zone[2], number[2]; // number: which of the zone's facets; zone -1: none
} facet;

static const double near = 1e-9; // of a facet's extent: places that are the same

/* By entity of the facets' dimension; NULL, with a sentence: no memory, or a third zone.  To be freed. */
static facet *list_facets(const mesh_draft *d, scan *s, const mesh_entities *t)
{
  const mesh_coarse *c = d->c;
  const int count = t->count[c->dim - 1];
  facet *all = malloc(((size_t)count + 1) * sizeof *all);
  if (!all) scan_fail_memory(s);
  for (int i = 0; all && i < count; i++) all[i] = (facet){.zone = {-1, -1}};
  for (int z = 0; all && z < c->nzones; z++)
    for (int i = 0; i < mesh_shape_facets(c->shape, c->dim); i++) {
      facet *f = &all[t->of[(int64_t)z * t->ncodes + mesh_facet_code(c->shape, c->dim, i)]];
      const int side = f->zone[0] < 0 ? 0 : 1;
      if (side && f->zone[1] >= 0) {
        scan_fail(s, d->zone_at[z], "this zone is the third at one of its faces; a face has at most two zones");
        free(all);
        return NULL;
      }
      f->zone[side] = z, f->number[side] = i;
    }
  return all;
}

/* Corners of the zone on one of its facets. */
static int corners_on(const mesh_coarse *c, int number, int corners[MESH_MAX_CORNERS])
{
  return mesh_code_corners(c->shape, c->dim, mesh_facet_code(c->shape, c->dim, number), corners);
}

static int corner_with(const mesh_coarse *c, int zone, int vertex)
{
  int i = 0;
  while (mesh_coarse_zone(c, zone)[i] != vertex) i++;
  return i;
}

/* Position of a zone's corner, from the nodes of the curve. */
static const double *place_of(const mesh_coarse *c, int zone, int corner)
{
  const mesh_curve *v = c->curve;
  const int each = mesh_nodes_in_zone(c->shape, c->dim, v->order);
  return v->nodes + ((int64_t)zone * each + mesh_corner_node(c->shape, c->dim, v->order, corner)) * c->dim;
}

static double distance(int dim, const double *a, const double *b)
{
  double square = 0;
  for (int i = 0; i < dim; i++) square += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(square);
}

/* The same of a, shifted, from b. */
static double distance_shifted(int dim, const double *a, const double shift[MESH_MAX_DIM], const double *b)
{
  double square = 0;
  for (int i = 0; i < dim && i < MESH_MAX_DIM; i++) square += (a[i] + shift[i] - b[i]) * (a[i] + shift[i] - b[i]);
  return sqrt(square);
}

/* The longest distance of a zone's corner from its first. */
static double extent_of(const mesh_coarse *c, int zone)
{
  double extent = 0;
  for (int i = 1; i < mesh_coarse_corners(c); i++)
    extent = fmax(extent, distance(c->dim, place_of(c, zone, i), place_of(c, zone, 0)));
  return extent;
}

/* ------------------------------------------------------------------ vertices of each side */

/* Whether the two zones of a facet have it at different places: all of its corners then. */
static bool judge_facet(const mesh_draft *d, scan *s, const facet *f, bool *apart)
{
  const mesh_coarse *c = d->c;
  int corners[MESH_MAX_CORNERS], differ = 0;
  *apart = false;
  if (f->zone[1] < 0) return true;
  const int n = corners_on(c, f->number[0], corners);
  const double extent = fmax(extent_of(c, f->zone[0]), extent_of(c, f->zone[1]));
  for (int i = 0; i < n; i++) {
    const int v = mesh_coarse_zone(c, f->zone[0])[corners[i]];
    const double *a = place_of(c, f->zone[0], corners[i]), *b = place_of(c, f->zone[1], corner_with(c, f->zone[1], v));
    const double by = distance(c->dim, a, b);
    differ += by > near * (extent + fabs(a[0]));
    if (by > near * (extent + fabs(a[0])) && by < extent)
      return scan_fail(s, d->zone_at[f->zone[1]],
                       "this zone has vertex %d in another place than a neighbour, but apart by less than a zone: no "
                       "period is that short",
                       v);
  }
  *apart = differ == n;
  return *apart || differ == 0 ||
         scan_fail(s, d->zone_at[f->zone[1]],
                   "this zone and a neighbour have some vertices of their common face at one place, and some apart");
}

static int find_root(int *parent, int i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* Corners of zones that are one vertex: those at common facets, but for seams. */
static void join_corners(const mesh_coarse *c, const facet *f, int *parent)
{
  const int each = mesh_coarse_corners(c);
  int corners[MESH_MAX_CORNERS];
  const int n = corners_on(c, f->number[0], corners);
  for (int i = 0; i < n; i++) {
    const int other = corner_with(c, f->zone[1], mesh_coarse_zone(c, f->zone[0])[corners[i]]);
    const int a = find_root(parent, f->zone[0] * each + corners[i]), b = find_root(parent, f->zone[1] * each + other);
    parent[a > b ? a : b] = a > b ? b : a;
  }
}

/* The new vertices of a facet, corner by corner as its first zone has it. */
static void set_side(const mesh_coarse *c, const facet *f, int side, const int *fresh, int *out)
{
  int corners[MESH_MAX_CORNERS];
  const int n = corners_on(c, f->number[0], corners), each = mesh_coarse_corners(c);
  for (int i = 0; i < n; i++) {
    const int v = mesh_coarse_zone(c, f->zone[0])[corners[i]];
    out[i] = fresh[f->zone[side] * each + (side ? corner_with(c, f->zone[1], v) : corners[i])];
  }
}

/* Boundary faces take the vertices of their zone. */
static bool renumber_faces(const mesh_draft *d, scan *s, const mesh_entities *t, const facet *facets, const bool *apart,
                           const int *fresh)
{
  mesh_coarse *c = d->c;
  for (int i = 0; i < c->nfaces; i++) {
    int *face = mesh_coarse_face(c, i);
    const int at = mesh_entities_find(t, c->dim - 1, face);
    if (at < 0) return scan_fail(s, d->face_at[i], "this boundary face is not a face of any zone");
    if (apart[at]) return scan_fail(s, d->face_at[i], "this boundary face lies on a seam of the periodic mesh");
    for (int k = 0; k < mesh_coarse_facet_corners(c); k++)
      face[k] = fresh[facets[at].zone[0] * mesh_coarse_corners(c) + corner_with(c, facets[at].zone[0], face[k])];
  }
  return true;
}

/* Numbers the classes of corners; fresh [nzones][corners].  Returns how many there are. */
static int number_classes(int n, int *parent, int *fresh)
{
  int count = 0;
  for (int i = 0; i < n; i++) {
    const int root = find_root(parent, i);
    fresh[i] = root == i ? count++ : fresh[root]; // roots are the lowest of their classes
  }
  return count;
}

static bool double_vertices(mesh_draft *d, scan *s, const mesh_entities *t, const facet *facets, const bool *apart)
{
  mesh_coarse *c = d->c;
  const int each = mesh_coarse_corners(c), n = c->nzones * each, nf = mesh_coarse_facet_corners(c);
  const int count = t->count[c->dim - 1];
  int *parent = malloc(((size_t)n + 1) * sizeof *parent), *fresh = malloc(((size_t)n + 1) * sizeof *fresh);
  double *vertices = malloc(((size_t)n * (size_t)c->dim + 1) * sizeof *vertices);
  c->seams = malloc(((size_t)count * 2 * (size_t)nf + 1) * sizeof *c->seams);
  bool ok = parent && fresh && vertices && c->seams ? true : scan_fail_memory(s);
  if (ok) {
    for (int i = 0; i < n; i++) parent[i] = i;
    for (int f = 0; f < count; f++)
      if (facets[f].zone[1] >= 0 && !apart[f]) join_corners(c, &facets[f], parent);
    c->nvertices = number_classes(n, parent, fresh);
    ok = renumber_faces(d, s, t, facets, apart, fresh);
  }
  for (int f = 0; ok && f < count; f++) {
    if (!apart[f]) continue;
    for (int side = 0; side < 2; side++)
      set_side(c, &facets[f], side, fresh, c->seams + ((int64_t)c->nseams * 2 + side) * nf);
    c->nseams++;
  }
  if (ok) {
    for (int i = 0; i < n; i++)
      memcpy(vertices + (int64_t)fresh[i] * c->dim, place_of(c, i / each, i % each), (size_t)c->dim * sizeof *vertices);
    memcpy(c->zones, fresh, (size_t)n * sizeof *fresh);
    double *old = c->vertices;
    c->vertices = vertices;
    vertices = old;
  }
  free(parent);
  free(fresh);
  free(vertices);
  return ok;
}

bool mesh_draft_cut_seams(mesh_draft *d, scan *s)
{
  mesh_entities *t = mesh_entities_create(d->c);
  facet *facets = t ? list_facets(d, s, t) : NULL;
  const int count = t ? t->count[d->c->dim - 1] : 0;
  bool *apart = calloc((size_t)count + 1, sizeof *apart), any = false;
  bool ok = (t && apart) || scan_fail_memory(s);
  ok = ok && facets;
  for (int f = 0; ok && f < count; f++) {
    ok = judge_facet(d, s, &facets[f], &apart[f]);
    any = any || apart[f];
  }
  if (ok && any) ok = double_vertices(d, s, t, facets, apart);
  free(facets);
  free(apart);
  mesh_entities_destroy(t);
  return ok;
}

/* ------------------------------------------------------------------ pairs of vertices */

static int compare_pairs(const void *a, const void *b)
{
  const mesh_vertex_pair *x = a, *y = b;
  return (x->image > y->image) - (x->image < y->image);
}

/* The vertices of a facet's first zone, and what they are images of; false: not all are. */
static bool find_behind(const mesh_coarse *c, const facet *f, const mesh_vertex_pair *pairs, int n, int *image,
                        int *behind)
{
  int corners[MESH_MAX_CORNERS];
  const int k = corners_on(c, f->number[0], corners);
  for (int i = 0; i < k; i++) {
    const mesh_vertex_pair key = {.image = mesh_coarse_zone(c, f->zone[0])[corners[i]]};
    const mesh_vertex_pair *p = bsearch(&key, pairs, (size_t)n, sizeof key, compare_pairs);
    if (!p) return false;
    image[i] = key.image, behind[i] = p->vertex;
  }
  return true;
}

/* Boundary faces of these facets go; a wall among them is a contradiction. */
static bool drop_faces(mesh_draft *d, scan *s, const mesh_entities *t, const bool *on_seam)
{
  mesh_coarse *c = d->c;
  int kept = 0;
  for (int f = 0; f < c->nfaces; f++) {
    const int *face = mesh_coarse_face(c, f), at = mesh_entities_find(t, c->dim - 1, face);
    if (at >= 0 && on_seam[at]) {
      if (c->attributes[f] >= 1 && c->attributes[f] <= c->dim)
        return scan_fail(s, d->face_at[f],
                         "this boundary face is a wall of %c, but lies on a seam of the periodic mesh",
                         "xyz"[c->attributes[f] - 1]);
      continue;
    }
    memmove(mesh_coarse_face(c, kept), face, (size_t)mesh_coarse_facet_corners(c) * sizeof *face);
    d->face_at[kept] = d->face_at[f];
    c->attributes[kept++] = c->attributes[f];
  }
  c->nfaces = kept;
  return true;
}

static bool add_seams(mesh_draft *d, scan *s, const mesh_entities *t, const facet *facets,
                      const mesh_vertex_pair *pairs, int n, size_t at, bool *on_seam, int *found)
{
  mesh_coarse *c = d->c;
  const int count = t->count[c->dim - 1], nf = mesh_coarse_facet_corners(c);
  int *more = realloc(c->seams, ((size_t)c->nseams + (size_t)count + 1) * 2 * (size_t)nf * sizeof *more);
  if (!more) return scan_fail_memory(s);
  c->seams = more;
  for (int f = 0; f < count; f++) {
    int image[MESH_MAX_FACET_CORNERS], behind[MESH_MAX_FACET_CORNERS];
    if (facets[f].zone[0] < 0 || facets[f].zone[1] >= 0 || !find_behind(c, &facets[f], pairs, n, image, behind))
      continue;
    const int other = mesh_entities_find(t, c->dim - 1, behind);
    if (other < 0 || facets[other].zone[1] >= 0)
      return scan_fail(s, at, "no boundary face has the vertices that $Periodic pairs with those of another");
    if (other == f) continue;
    int *seam = c->seams + (int64_t)c->nseams++ * 2 * nf;
    memcpy(seam, behind, (size_t)nf * sizeof *seam);
    memcpy(seam + nf, image, (size_t)nf * sizeof *seam);
    on_seam[f] = on_seam[other] = true;
    ++*found;
  }
  return drop_faces(d, s, t, on_seam);
}

bool mesh_draft_add_seams(mesh_draft *d, scan *s, const mesh_vertex_pair *pairs, int n, size_t at, int *found)
{
  mesh_entities *t = mesh_entities_create(d->c);
  facet *facets = t ? list_facets(d, s, t) : NULL;
  bool *on_seam = t ? calloc((size_t)t->count[d->c->dim - 1] + 1, sizeof *on_seam) : NULL;
  bool ok = (t && on_seam) || scan_fail_memory(s);
  *found = 0;
  ok = ok && facets && add_seams(d, s, t, facets, pairs, n, at, on_seam, found);
  free(facets);
  free(on_seam);
  mesh_entities_destroy(t);
  return ok;
}

/* ------------------------------------------------------------------ both sides of a seam */

/* Every node of a facet of the curve, shifted, is a node of the other side. */
static bool nodes_fit(const mesh_coarse *c, const facet *side[2], const double *shift, double extent)
{
  const mesh_curve *v = c->curve;
  const int each = mesh_nodes_in_zone(c->shape, c->dim, v->order);
  for (int i = 0; i < each; i++) {
    const double *x = v->nodes + ((int64_t)side[0]->zone[0] * each + i) * c->dim,
                 *other = v->nodes + (int64_t)side[1]->zone[0] * each * c->dim;
    bool fits = false;
    if (!mesh_facet_has_node(c, v->order, side[0]->number[0], i)) continue;
    for (int j = 0; j < each && !fits; j++, other += c->dim)
      fits = mesh_facet_has_node(c, v->order, side[1]->number[0], j) &&
             distance_shifted(c->dim, x, shift, other) <= 1e-6 * extent;
    if (!fits) return false;
  }
  return true;
}

static bool check_seam(const mesh_draft *d, scan *s, const mesh_entities *t, const facet *facets, int seam)
{
  const mesh_coarse *c = d->c;
  const int nf = mesh_coarse_facet_corners(c), *v = c->seams + (int64_t)seam * 2 * nf;
  const facet *side[2];
  double shift[MESH_MAX_DIM] = {0}, extent = 0;
  for (int i = 0; i < 2; i++) {
    const int at = mesh_entities_find(t, c->dim - 1, v + i * nf);
    side[i] = &facets[at];
  }
  const size_t at = d->zone_at[side[1]->zone[0]];
  if (side[0]->zone[0] == side[1]->zone[0])
    return scan_fail(s, at, "this zone is its own neighbour across a seam: at least two zones make a period");
  const double *a = c->vertices + (int64_t)v[0] * c->dim, *b = c->vertices + (int64_t)v[nf] * c->dim;
  for (int axis = 0; axis < c->dim; axis++) shift[axis] = b[axis] - a[axis];
  for (int i = 0; i < mesh_coarse_corners(c); i++)
    extent =
      fmax(extent, distance(c->dim, c->vertices + (int64_t)mesh_coarse_zone(c, side[1]->zone[0])[i] * c->dim, b));
  bool fits = true;
  for (int i = 1; i < nf; i++) {
    const double *x = c->vertices + (int64_t)v[i] * c->dim, *y = c->vertices + (int64_t)v[nf + i] * c->dim;
    fits = fits && distance_shifted(c->dim, x, shift, y) <= 1e-6 * extent;
  }
  fits = fits && (!c->curve || nodes_fit(c, side, shift, extent));
  return fits || scan_fail(s, at,
                           "a face of this zone lies on a seam, but is not the other side's face shifted: a mesh "
                           "repeats itself by shifts alone");
}

/* Facets are on one seam at most. */
static bool check_once(const mesh_draft *d, scan *s, const mesh_entities *t, const facet *facets)
{
  const mesh_coarse *c = d->c;
  const int nf = mesh_coarse_facet_corners(c);
  bool *seen = calloc((size_t)t->count[c->dim - 1] + 1, sizeof *seen), ok = seen || scan_fail_memory(s);
  for (int i = 0; ok && i < 2 * c->nseams; i++) {
    const int at = mesh_entities_find(t, c->dim - 1, c->seams + (int64_t)i * nf);
    ok = !seen[at] || scan_fail(s, d->zone_at[facets[at].zone[0]], "a face of this zone lies on two seams");
    seen[at] = true;
  }
  free(seen);
  return ok;
}

bool mesh_draft_check_seams(const mesh_draft *d, scan *s)
{
  if (d->c->nseams == 0) return true;
  mesh_entities *t = mesh_entities_create(d->c);
  facet *facets = t ? list_facets(d, s, t) : NULL;
  bool ok = t || scan_fail_memory(s);
  ok = ok && facets && check_once(d, s, t, facets);
  for (int i = 0; ok && i < d->c->nseams; i++) ok = check_seam(d, s, t, facets, i);
  free(facets);
  mesh_entities_destroy(t);
  return ok;
}
