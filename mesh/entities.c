/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "mesh/coarse.h"

/* One edge or face as one zone sees it; slot is its place in mesh_entities.of. */
typedef struct sighting {
  int v[MESH_MAX_FACET_CORNERS];
  int64_t slot;
} sighting;

int mesh_codes(mesh_shape shape, int dim)
{
  static const int tensor[] = {1, 3, 9, 27};
  return shape == MESH_SIMPLEX ? (2 << dim) - 1 : tensor[dim];
}

int mesh_code_dim(mesh_shape shape, int code)
{
  int e = 0;
  if (shape == MESH_SIMPLEX) return __builtin_popcount((unsigned)code + 1) - 1;
  for (; code > 0; code /= 3) e += code % 3 == 2;
  return e;
}

int mesh_facet_code(mesh_shape shape, int dim, int facet)
{
  int code = 0, power = 1;
  if (shape == MESH_SIMPLEX) return (2 << dim) - 2 - (1 << facet);
  for (int d = 0; d < dim; d++, power *= 3) code += power * (d == facet / 2 ? facet % 2 : 2);
  return code;
}

static int simplex_code_corners(int dim, int code, int corners[MESH_MAX_CORNERS])
{
  int n = 0;
  for (int i = 0; i <= dim; i++)
    if ((code + 1) >> i & 1) corners[n++] = i;
  return n;
}

int mesh_code_corners(mesh_shape shape, int dim, int code, int corners[MESH_MAX_CORNERS])
{
  if (shape == MESH_SIMPLEX) return simplex_code_corners(dim, code, corners);
  int n = 1;
  corners[0] = 0;
  for (int d = 0; d < dim; d++, code /= 3) {
    if (code % 3 == 2) {
      for (int i = 0; i < n; i++) corners[n + i] = corners[i] | 1 << d;
      n *= 2;
    } else {
      for (int i = 0; i < n; i++) corners[i] |= code % 3 << d;
    }
  }
  return n;
}

void mesh_canonical_vertices(int e, int v[MESH_MAX_FACET_CORNERS], int *origin, bool *swapped)
{
  int n = 1 << e, low = 0, old[MESH_MAX_FACET_CORNERS];
  memcpy(old, v, (size_t)n * sizeof *v);
  for (int i = 1; i < n; i++) {
    if (v[i] < v[low]) low = i;
  }
  bool swap = e == 2 && old[low ^ 2] < old[low ^ 1];
  for (int i = 0; i < n; i++) v[i] = old[low ^ (swap ? (i >> 1 | i << 1) & 3 : i)];
  *origin = low;
  *swapped = swap;
}

bool mesh_sort_vertices(int n, int *v)
{
  bool odd = false;
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && v[j] < v[j - 1]; j--) {
      const int low = v[j];
      v[j] = v[j - 1], v[j - 1] = low;
      odd = !odd;
    }
  return odd;
}

/* As mesh_canonical_vertices, for any shape: those of a simplex ascend. */
static void share_vertices(mesh_shape shape, int e, int v[MESH_MAX_FACET_CORNERS])
{
  int origin;
  bool swapped;
  if (shape == MESH_SIMPLEX)
    mesh_sort_vertices(e + 1, v);
  else
    mesh_canonical_vertices(e, v, &origin, &swapped);
}

static int compare_vertices(const int *a, const int *b, int n)
{
  for (int i = 0; i < n; i++) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

static int compare_sightings(const void *a, const void *b)
{
  return compare_vertices(((const sighting *)a)->v, ((const sighting *)b)->v, MESH_MAX_FACET_CORNERS);
}

/* All zones' sightings of entities of dimension e; returns how many. */
static int64_t sight(const mesh_coarse *c, const mesh_entities *t, int e, sighting *s)
{
  int64_t n = 0;
  for (int z = 0; z < c->nzones; z++) {
    const int *zone = mesh_coarse_zone(c, z);
    for (int code = 0; code < t->ncodes; code++) {
      if (mesh_code_dim(c->shape, code) != e) continue;
      int corners[MESH_MAX_CORNERS];
      int k = mesh_code_corners(c->shape, c->dim, code, corners);
      sighting *now = &s[n++];
      *now = (sighting){.v = {-1, -1, -1, -1}, .slot = (int64_t)z * t->ncodes + code};
      for (int i = 0; i < k; i++) now->v[i] = zone[corners[i]];
      share_vertices(c->shape, e, now->v);
    }
  }
  return n;
}

/* Numbers the edges (e = 1) or faces (e = 2); equal canonical vertices are one entity. */
static bool number_shared(const mesh_coarse *c, mesh_entities *t, int e)
{
  int per_zone = 0;
  for (int code = 0; code < t->ncodes; code++) per_zone += mesh_code_dim(c->shape, code) == e;
  size_t most = (size_t)c->nzones * (size_t)per_zone;
  sighting *s = malloc((most + 1) * sizeof *s);
  if (!s) return false;
  int64_t n = sight(c, t, e, s);
  qsort(s, (size_t)n, sizeof *s, compare_sightings);
  int count = 0;
  for (int64_t i = 0; i < n; i++) {
    if (i == 0 || compare_sightings(&s[i - 1], &s[i])) count++;
    t->of[s[i].slot] = count - 1;
  }
  t->count[e] = count;
  const size_t corners = (size_t)mesh_shape_corners(c->shape, e);
  t->vertices[e] = malloc(((size_t)count * corners + 1) * sizeof(int));
  if (t->vertices[e]) {
    for (int64_t i = 0; i < n; i++)
      memcpy(t->vertices[e] + (size_t)t->of[s[i].slot] * corners, s[i].v, sizeof(int) * corners);
  }
  free(s);
  return t->vertices[e] != NULL;
}

static void number_own(const mesh_coarse *c, mesh_entities *t)
{
  t->count[0] = c->nvertices;
  t->count[c->dim] = c->nzones;
  for (int z = 0; z < c->nzones; z++) {
    const int *zone = mesh_coarse_zone(c, z);
    int *of = t->of + (int64_t)z * t->ncodes;
    for (int code = 0; code < t->ncodes; code++) {
      int corners[MESH_MAX_CORNERS];
      mesh_code_corners(c->shape, c->dim, code, corners);
      if (mesh_code_dim(c->shape, code) == 0) of[code] = zone[corners[0]];
    }
    of[t->ncodes - 1] = z;
  }
}

int mesh_entities_find(const mesh_entities *t, int e, const int *vertices)
{
  if (e == 0) return vertices[0];
  const int corners = mesh_shape_corners(t->shape, e);
  int v[MESH_MAX_FACET_CORNERS];
  memcpy(v, vertices, sizeof(int) * (size_t)corners);
  share_vertices(t->shape, e, v);
  int low = 0, high = t->count[e] - 1;
  while (low <= high) {
    int middle = low + (high - low) / 2;
    int order = compare_vertices(v, t->vertices[e] + (size_t)middle * (size_t)corners, corners);
    if (order == 0) return middle;
    if (order < 0)
      high = middle - 1;
    else
      low = middle + 1;
  }
  return -1;
}

/* Marks the boundary face's part with this code (of the face), and so its edges and vertices too. */
static void mark(mesh_entities *t, const int *face, int code, unsigned char bit)
{
  int corners[MESH_MAX_CORNERS], v[MESH_MAX_FACET_CORNERS];
  int n = mesh_code_corners(t->shape, t->dim - 1, code, corners), e = mesh_code_dim(t->shape, code);
  for (int i = 0; i < n; i++) v[i] = face[corners[i]];
  int at = mesh_entities_find(t, e, v);
  if (at >= 0) t->bits[e][at] |= bit;
}

static void mark_boundary(const mesh_coarse *c, mesh_entities *t)
{
  for (int f = 0; f < c->nfaces; f++) {
    int attribute = c->attributes[f];
    if (attribute < 1 || attribute > 8) continue;
    for (int code = 0; code < mesh_codes(c->shape, c->dim - 1); code++)
      mark(t, mesh_coarse_face(c, f), code, (unsigned char)(1 << (attribute - 1)));
  }
}

mesh_entities *mesh_entities_create(const mesh_coarse *c)
{
  mesh_entities *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->dim = c->dim;
  t->shape = c->shape;
  t->ncodes = mesh_codes(c->shape, c->dim);
  t->of = malloc(((size_t)c->nzones * (size_t)t->ncodes + 1) * sizeof *t->of);
  bool ok = t->of != NULL;
  if (ok) number_own(c, t);
  for (int e = 1; ok && e < c->dim; e++) ok = number_shared(c, t, e);
  for (int e = 0; ok && e <= c->dim; e++) ok = (t->bits[e] = calloc((size_t)t->count[e] + 1, 1)) != NULL;
  if (!ok) {
    mesh_entities_destroy(t);
    return NULL;
  }
  mark_boundary(c, t);
  if (c->nseams > 0 && !mesh_entities_join(t, c)) {
    mesh_entities_destroy(t);
    return NULL;
  }
  return t;
}

void mesh_entities_destroy(mesh_entities *t)
{
  if (!t) return;
  for (int e = 0; e < 3; e++) {
    free(t->vertices[e]);
    free(t->twin[e]);
    free(t->twin_vertices[e]);
    free(t->at_seam[e]);
  }
  for (int e = 0; e < 4; e++) free(t->bits[e]);
  free(t->of);
  free(t);
}
