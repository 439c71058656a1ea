/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Uniform refinement.  A tetrahedron leaves an octahedron between the parts at its corners, which is cut around one of
 * its three diagonals: the one whose parts are the most regular.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "batched/batched.h"
#include "mesh/simplex/simplex.h"

enum { TYPES = 3, LOOKED_AT = 2 }; // diagonals, and of the parts around each those that tell how good it is

/* The middles of edges that a zone's parts have; middle i is that of edge i in the order (01) (02) (03) (12) (13)
 * (23). */
static const int around[TYPES][4][4] = {
  {{0, 5, 1, 2}, {0, 5, 2, 4}, {0, 5, 4, 3}, {0, 5, 3, 1}},
  {{1, 0, 4, 2}, {1, 2, 4, 5}, {1, 5, 4, 3}, {1, 3, 4, 0}},
  {{2, 0, 1, 3}, {2, 1, 5, 3}, {2, 5, 4, 3}, {2, 4, 0, 3}},
};

static int edges_of(int dim)
{
  return dim * (dim + 1) / 2;
}

/* ------------------------------------------------------------------ the shape of a part */

/* S = [b - a, c - a, d - a] P, column-major, of a part with corners a, b, c, d; P takes the unit simplex to the regular
 * one. */
static void set_shape(const double middle[6][3], const int *part, double *s)
{
  const double p[3][3] = {{1, -1 / sqrt(3), -1 / sqrt(6)}, {0, 2 / sqrt(3), -1 / sqrt(6)}, {0, 0, sqrt(1.5)}};
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) {
      s[j * 3 + i] = 0;
      for (int k = 0; k < 3; k++) s[j * 3 + i] += (middle[part[k + 1]][i] - middle[part[0]][i]) * p[k][j];
    }
}

/* The middles of a zone's edges, from corner 0. */
static void set_middles(const mesh_coarse *c, const int *zone, double middle[6][3])
{
  for (int axis = 0; axis < 3; axis++) {
    double side[3];
    for (int i = 0; i < 3; i++)
      side[i] = c->vertices[(int64_t)zone[i + 1] * 3 + axis] - c->vertices[(int64_t)zone[0] * 3 + axis];
    for (int i = 0; i < 3; i++) middle[i][axis] = side[i] / 2;
    middle[3][axis] = (side[0] + side[1]) / 2;
    middle[4][axis] = (side[0] + side[2]) / 2;
    middle[5][axis] = (side[1] + side[2]) / 2;
  }
}

/* The condition of S is the measure: the larger of two parts', the lowest type where they are equal. */
static int best_type(const double singular[TYPES][LOOKED_AT][3])
{
  int best = 0;
  double least = INFINITY;
  for (int type = 0; type < TYPES; type++) {
    double worst = 0;
    for (int part = 0; part < LOOKED_AT; part++) worst = fmax(worst, singular[type][part][0] / singular[type][part][2]);
    if (worst < least) best = type, least = worst;
  }
  return best;
}

/* The type of every zone. */
static int choose_types(const mesh_coarse *c, signed char *type)
{
  enum { EACH = TYPES * LOOKED_AT };
  const int64_t n = (int64_t)c->nzones * EACH;
  batched_ctx *ctx = NULL;
  double *shapes = malloc(((size_t)n * 9 + 1) * sizeof *shapes);
  double(*singular)[TYPES][LOOKED_AT][3] = malloc(((size_t)c->nzones + 1) * sizeof *singular);
  int *info = malloc(((size_t)n + 1) * sizeof *info);
  int status = shapes && singular && info ? batched_create(&ctx, BATCHED_HOST) : BATCHED_NO_MEMORY;
  for (int z = 0; !status && z < c->nzones; z++) {
    double middle[6][3];
    set_middles(c, mesh_coarse_zone(c, z), middle);
    for (int i = 0; i < EACH; i++)
      set_shape(middle, around[i / LOOKED_AT][i % LOOKED_AT], shapes + ((int64_t)z * EACH + i) * 9);
  }
  const batched_matrix none = {.type = BATCHED_D, .count = n};
  if (!status)
    status = batched_gesvd(ctx, BATCHED_VALUES, batched_strided(shapes, 3, 3, 3, 9, n),
                           batched_strided((double *)singular, 3, 1, 3, 3, n), none, none, info);
  for (int z = 0; !status && z < c->nzones; z++) type[z] = (signed char)best_type(singular[z]);
  batched_destroy(&ctx);
  free(shapes);
  free(singular);
  free(info);
  return status ? STATUS_MACHINE : STATUS_OK;
}

/* ------------------------------------------------------------------ the parts */

static int *put(int *out, int n, const int *vertices)
{
  memcpy(out, vertices, (size_t)n * sizeof *out);
  return out + n;
}

/* The four of a triangle, of a zone or of a face, with middles m of (01) (12) (20); here and below vertices, or numbers
 * of a zone's corners (0 up to dim) and middles (from dim + 1). */
static int *cut_triangle(const int *v, const int *m, int *out)
{
  out = put(out, 3, (int[]){v[0], m[0], m[2]});
  out = put(out, 3, (int[]){m[1], m[2], m[0]});
  out = put(out, 3, (int[]){m[0], v[1], m[1]});
  return put(out, 3, (int[]){m[2], m[1], v[2]});
}

static int *cut_tetrahedron(const int *v, const int *m, int type, int *out)
{
  out = put(out, 4, (int[]){v[0], m[0], m[1], m[2]});
  out = put(out, 4, (int[]){m[0], v[1], m[3], m[4]});
  out = put(out, 4, (int[]){m[1], m[3], v[2], m[5]});
  out = put(out, 4, (int[]){m[2], m[4], m[5], v[3]});
  for (int part = 0; part < 4; part++)
    for (int i = 0; i < 4; i++) *out++ = m[around[type][part][i]];
  return out;
}

/* The vertex in the middle of an edge. */
static int middle_of(const mesh_coarse *c, const mesh_entities *t, int a, int b)
{
  return c->nvertices + mesh_entities_find(t, 1, (int[]){a, b});
}

static void set_vertices(const mesh_coarse *c, const mesh_entities *t, mesh_coarse *fine)
{
  const size_t old = (size_t)c->nvertices * (size_t)c->dim;
  double *x = fine->vertices + old;
  memcpy(fine->vertices, c->vertices, old * sizeof *x);
  for (int e = 0; e < t->count[1]; e++)
    for (int axis = 0; axis < c->dim; axis++) {
      const double *from = c->vertices + axis;
      *x++ = (from[(int64_t)t->vertices[1][2 * e] * c->dim] + from[(int64_t)t->vertices[1][2 * e + 1] * c->dim]) / 2;
    }
}

/* The two corners of edge i of a zone. */
static const int edges[2][6][2] = {{{0, 1}, {1, 2}, {2, 0}}, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};

/* The parts of a zone, [2^dim][dim + 1] numbers of corners and middles. */
static void cut(int dim, int type, int *parts)
{
  static const int corners[] = {0, 1, 2, 3}, middles[2][6] = {{3, 4, 5}, {4, 5, 6, 7, 8, 9}};
  if (dim == 2)
    cut_triangle(corners, middles[0], parts);
  else
    cut_tetrahedron(corners, middles[1], type, parts);
}

static void set_zones(const mesh_coarse *c, const mesh_entities *t, const signed char *type, mesh_coarse *fine)
{
  const int n = c->dim + 1, entries = n << c->dim;
  int *out = fine->zones;
  for (int z = 0; z < c->nzones; z++) {
    const int *v = mesh_coarse_zone(c, z), (*edge)[2] = edges[c->dim - 2];
    int parts[32];
    cut(c->dim, c->dim == 3 ? type[z] : 0, parts);
    for (int i = 0; i < entries; i++) {
      const int at = parts[i];
      *out++ = at < n ? v[at] : middle_of(c, t, v[edge[at - n][0]], v[edge[at - n][1]]);
    }
  }
}

/* The parts of curved zones keep their root, and know their corners' places in it. */
static void set_places(const mesh_coarse *c, const signed char *type, mesh_curve *fine)
{
  const int n = c->dim + 1, entries = n << c->dim, dim = c->dim;
  double *out = fine->place;
  for (int z = 0; z < c->nzones; z++) {
    const double *place = c->curve->place + (int64_t)z * n * dim;
    const int(*edge)[2] = edges[dim - 2];
    int parts[32];
    cut(dim, dim == 3 ? type[z] : 0, parts);
    for (int i = 0; i < 1 << dim; i++) fine->root[(z << dim) + i] = c->curve->root[z];
    for (int i = 0; i < entries; i++)
      for (int d = 0; d < dim; d++) {
        const int at = parts[i], e = at - n;
        *out++ = at < n ? place[at * dim + d] : (place[edge[e][0] * dim + d] + place[edge[e][1] * dim + d]) / 2;
      }
  }
}

/* The curve of the parts takes the nodes of the zones'. */
static bool refine_curve(mesh_coarse *c, const signed char *type, mesh_coarse *fine)
{
  mesh_curve *old = c->curve, *v = old ? calloc(1, sizeof *v) : NULL;
  if (!old) return true;
  if (!v) return false;
  *v = (mesh_curve){.order = old->order, .line = old->line, .nroots = old->nroots};
  v->root = malloc(((size_t)fine->nzones + 1) * sizeof *v->root);
  v->place = malloc((mesh_coarse_zone_entries(fine) * (size_t)c->dim + 1) * sizeof *v->place);
  if (!v->root || !v->place) {
    mesh_curve_destroy(&v);
    return false;
  }
  set_places(c, type, v);
  v->nodes = old->nodes;
  old->nodes = NULL;
  fine->curve = v;
  return true;
}

/* The parts of a facet, one after the other. */
static int *cut_facet(const mesh_coarse *c, const mesh_entities *t, const int *v, int *out)
{
  int m[3];
  for (int i = 0; i < edges_of(c->dim - 1); i++) m[i] = middle_of(c, t, v[i], v[(i + 1) % c->dim]);
  if (c->dim == 3) return cut_triangle(v, m, out);
  out = put(out, 2, (int[]){v[0], m[0]});
  return put(out, 2, (int[]){m[0], v[1]});
}

static void set_faces(const mesh_coarse *c, const mesh_entities *t, mesh_coarse *fine)
{
  const int parts = 1 << (c->dim - 1);
  int *out = fine->faces;
  for (int f = 0; f < c->nfaces; f++) {
    for (int i = 0; i < parts; i++) fine->attributes[f * parts + i] = c->attributes[f];
    out = cut_facet(c, t, mesh_coarse_face(c, f), out);
  }
}

/* The parts of both sides correspond, as they are cut alike. */
static bool refine_seams(const mesh_coarse *c, const mesh_entities *t, mesh_coarse *fine)
{
  const int parts = 1 << (c->dim - 1), n = c->dim;
  if (c->nseams == 0) return true;
  fine->seams = malloc((size_t)c->nseams * (size_t)parts * 2 * (size_t)n * sizeof *fine->seams);
  if (!fine->seams) return false;
  int *out = fine->seams;
  for (int i = 0; i < c->nseams; i++) {
    int sides[2][12];
    for (int side = 0; side < 2; side++) cut_facet(c, t, c->seams + (i * 2 + side) * n, sides[side]);
    for (int part = 0; part < parts; part++)
      for (int side = 0; side < 2; side++) out = put(out, n, sides[side] + part * n);
  }
  fine->nseams = c->nseams * parts;
  return true;
}

int mesh_simplex_refine(mesh_coarse **coarse)
{
  mesh_coarse *c = *coarse, *fine = NULL;
  if (c->nzones > INT_MAX / 16 / (1 << c->dim) || c->nfaces > INT_MAX / 16 || c->nseams > INT_MAX / 64)
    return STATUS_MACHINE;
  mesh_entities *t = mesh_entities_create(c);
  signed char *type = malloc((size_t)c->nzones + 1);
  int status = t && type ? STATUS_OK : STATUS_MACHINE;
  if (!status && c->dim == 3) status = choose_types(c, type);
  if (!status)
    fine = mesh_coarse_allocate(MESH_SIMPLEX, c->dim, c->nvertices + t->count[1], c->nzones << c->dim,
                                c->nfaces << (c->dim - 1));
  if (fine && (!refine_curve(c, type, fine) || !refine_seams(c, t, fine))) mesh_coarse_destroy(&fine);
  if (fine) {
    set_vertices(c, t, fine);
    set_zones(c, t, type, fine);
    set_faces(c, t, fine);
    mesh_coarse_destroy(coarse);
    *coarse = fine;
  }
  mesh_entities_destroy(t);
  free(type);
  return fine ? STATUS_OK : STATUS_MACHINE;
}
