/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Seams of periodic meshes: which vertices, edges and faces are one, and the seams of a box.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/coarse.h"

/* ------------------------------------------------------------------ twins */

static const int *side_of(const mesh_coarse *c, int seam, int side)
{
  return c->seams + ((int64_t)seam * 2 + side) * mesh_coarse_facet_corners(c);
}

/* Entity b, whose vertices are q, becomes that whose vertices are w, in the same order. */
static void set_twin(mesh_entities *t, int e, int b, int n, const int *q, int twin, const int *w)
{
  t->twin[e][b] = twin;
  if (e == 0) return;
  const int *own = t->vertices[e] + (int64_t)b * n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (own[j] == q[i]) t->twin_vertices[e][(int64_t)b * n + j] = w[i];
}

/* The parts with this code of both sides of a seam have one twin, the lower.  Returns whether one of them had another
 * before. */
static bool join_part(mesh_entities *t, const mesh_coarse *c, int seam, int code)
{
  int corners[MESH_MAX_CORNERS], v[2][MESH_MAX_FACET_CORNERS], w[2][MESH_MAX_FACET_CORNERS], entity[2], twin[2];
  const int n = mesh_code_corners(c->shape, c->dim - 1, code, corners), e = mesh_code_dim(c->shape, code);
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < n; i++) v[side][i] = w[side][i] = side_of(c, seam, side)[corners[i]];
    entity[side] = mesh_entities_find(t, e, v[side]);
    t->at_seam[e][entity[side]] = 1;
    twin[side] = mesh_entities_twin(t, e, entity[side], n, w[side]);
  }
  if (twin[0] == twin[1]) return false;
  const int low = twin[0] < twin[1] ? 0 : 1;
  set_twin(t, e, entity[!low], n, v[!low], twin[low], w[low]);
  return true;
}

static bool allocate_twins(mesh_entities *t, const mesh_coarse *c)
{
  for (int e = 0; e < c->dim; e++) {
    const size_t n = (size_t)t->count[e], entries = n * (size_t)mesh_shape_corners(c->shape, e);
    t->twin[e] = malloc((n + 1) * sizeof(int));
    t->twin_vertices[e] = e ? malloc((entries + 1) * sizeof(int)) : NULL;
    t->at_seam[e] = calloc(n + 1, 1);
    if (!t->twin[e] || !t->at_seam[e] || (e && !t->twin_vertices[e])) return false;
    for (int i = 0; i < t->count[e]; i++) t->twin[e][i] = i;
    if (e) memcpy(t->twin_vertices[e], t->vertices[e], entries * sizeof(int));
  }
  return true;
}

/* An edge where seams of several axes meet has its twin after as many passes at most. */
bool mesh_entities_join(mesh_entities *t, const mesh_coarse *c)
{
  if (!allocate_twins(t, c)) return false;
  for (bool changed = true; changed;) {
    changed = false;
    for (int seam = 0; seam < c->nseams; seam++)
      for (int code = 0; code < mesh_codes(c->shape, c->dim - 1); code++)
        changed = join_part(t, c, seam, code) || changed;
  }
  return true;
}

int mesh_entities_twin(const mesh_entities *t, int e, int entity, int n, int *v)
{
  if (!t->twin[e]) return entity;
  for (int i = 0; i < n && e > 0; i++) {
    const int *own = t->vertices[e] + (int64_t)entity * n;
    int j = 0;
    while (own[j] != v[i]) j++;
    v[i] = t->twin_vertices[e][(int64_t)entity * n + j];
  }
  return t->twin[e][entity];
}

/* ------------------------------------------------------------------ boxes */

/* A vertex on a side of a box, by its coordinates along the other axes. */
typedef struct rim_vertex {
  double x[2];
  int vertex;
} rim_vertex;

static int compare_rim(const void *a, const void *b)
{
  const rim_vertex *p = a, *q = b;
  for (int i = 0; i < 2; i++)
    if (p->x[i] != q->x[i]) return p->x[i] < q->x[i] ? -1 : 1;
  return 0;
}

static bool is_at(const mesh_coarse *c, const int *face, int axis, double x)
{
  for (int i = 0; i < mesh_coarse_facet_corners(c); i++)
    if (c->vertices[(int64_t)face[i] * c->dim + axis] != x) return false;
  return true;
}

static rim_vertex rim_of(const mesh_coarse *c, int vertex, int axis)
{
  rim_vertex r = {.vertex = vertex};
  for (int d = 0, i = 0; d < c->dim; d++)
    if (d != axis) r.x[i++] = c->vertices[(int64_t)vertex * c->dim + d];
  return r;
}

/* For the vertices at x along the axis: number [nvertices], the one behind each. */
static bool find_behind(const mesh_coarse *c, int axis, double low, double high, int *behind)
{
  rim_vertex *rim = malloc(((size_t)c->nvertices + 1) * sizeof *rim);
  int n = 0;
  if (!rim) return false;
  for (int v = 0; v < c->nvertices; v++)
    if (c->vertices[(int64_t)v * c->dim + axis] == low) rim[n++] = rim_of(c, v, axis);
  qsort(rim, (size_t)n, sizeof *rim, compare_rim);
  for (int v = 0; v < c->nvertices; v++) {
    if (c->vertices[(int64_t)v * c->dim + axis] != high) continue;
    const rim_vertex key = rim_of(c, v, axis);
    behind[v] = ((const rim_vertex *)bsearch(&key, rim, (size_t)n, sizeof *rim, compare_rim))->vertex;
  }
  free(rim);
  return true;
}

/* Every face of the high side becomes a seam with the one behind it, and faces of both sides are boundary no more. */
static bool close_axis(mesh_coarse *c, int axis)
{
  const int n = mesh_coarse_facet_corners(c);
  int *behind = malloc(((size_t)c->nvertices + 1) * sizeof *behind), kept = 0;
  int *seams = realloc(c->seams, ((size_t)c->nseams + (size_t)c->nfaces + 1) * 2 * (size_t)n * sizeof *seams);
  if (seams) c->seams = seams;
  double low = INFINITY, high = -INFINITY;
  for (int v = 0; v < c->nvertices; v++) {
    low = fmin(low, c->vertices[(int64_t)v * c->dim + axis]);
    high = fmax(high, c->vertices[(int64_t)v * c->dim + axis]);
  }
  const bool ok = behind && seams && find_behind(c, axis, low, high, behind);
  for (int f = 0; ok && f < c->nfaces; f++) {
    const int *face = mesh_coarse_face(c, f);
    const bool is_high = is_at(c, face, axis, high);
    int *seam = c->seams + (int64_t)c->nseams * 2 * n;
    for (int i = 0; i < n && is_high; i++) seam[i] = behind[face[i]], seam[n + i] = face[i];
    c->nseams += is_high;
    if (is_high || is_at(c, face, axis, low)) continue;
    memmove(mesh_coarse_face(c, kept), face, (size_t)n * sizeof *face);
    c->attributes[kept++] = c->attributes[f];
  }
  if (ok) c->nfaces = kept;
  free(behind);
  return ok;
}

int mesh_coarse_close(mesh_coarse *c, const bool periodic[3])
{
  for (int axis = 0; axis < c->dim; axis++)
    if (periodic[axis] && !close_axis(c, axis)) return STATUS_MACHINE;
  return STATUS_OK;
}

bool mesh_coarse_repeats(const mesh_coarse *c, int axis)
{
  for (int i = 0; i < c->nseams; i++) {
    const double *a = c->vertices + (int64_t)*side_of(c, i, 0) * c->dim;
    const double *b = c->vertices + (int64_t)*side_of(c, i, 1) * c->dim;
    double most = 0.0;
    for (int d = 0; d < c->dim; d++) most = fmax(most, fabs(a[d] - b[d]));
    if (fabs(a[axis] - b[axis]) > 1e-6 * most) return true;
  }
  return false;
}
