/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which corner of a zone is the first.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/simplex/simplex.h"

/* Corner i becomes what corner order[i] was. */
static void reorder(mesh_coarse *c, int z, const int *order)
{
  const int n = c->dim + 1, dim = c->dim;
  int *v = mesh_coarse_zone(c, z), old[4];
  memcpy(old, v, (size_t)n * sizeof *v);
  for (int i = 0; i < n; i++) v[i] = old[order[i]];
  if (!c->curve) return;
  double *place = c->curve->place + (int64_t)z * n * dim, before[4 * MESH_MAX_DIM];
  memcpy(before, place, (size_t)(n * dim) * sizeof *place);
  for (int i = 0; i < n; i++) memcpy(place + i * dim, before + order[i] * dim, (size_t)dim * sizeof *place);
}

void mesh_simplex_orient(mesh_coarse *c)
{
  for (int z = 0; z < c->nzones; z++) {
    double x[4 * MESH_MAX_DIM];
    const int *zone = mesh_coarse_zone(c, z);
    for (int i = 0; i <= c->dim; i++)
      memcpy(x + i * c->dim, c->vertices + (int64_t)zone[i] * c->dim, (size_t)c->dim * sizeof *x);
    if (mesh_smallest_jacobian(MESH_SIMPLEX, c->dim, x) < 0) reorder(c, z, (int[]){1, 0, 2, 3});
  }
}

/* The square of the distance of two vertices, summed in the order of the axes. */
static double square_of(const mesh_coarse *c, int a, int b)
{
  double sum = 0;
  for (int d = 0; d < c->dim; d++) {
    const double step = c->vertices[(int64_t)b * c->dim + d] - c->vertices[(int64_t)a * c->dim + d];
    sum += step * step;
  }
  return sum;
}

/* ------------------------------------------------------------------ triangles */

static void mark_triangle(mesh_coarse *c, int z)
{
  const int *v = mesh_coarse_zone(c, z);
  static const int shifts[3][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}};
  const double d[] = {square_of(c, v[0], v[1]), square_of(c, v[1], v[2]), square_of(c, v[0], v[2])};
  const int longest = d[0] >= d[1] ? (d[0] >= d[2] ? 0 : 2) : d[1] >= d[2] ? 1 : 2;
  reorder(c, z, shifts[longest]);
}

/* ------------------------------------------------------------------ tetrahedra
 *
 * Edges are ranked by length, those of equal length in the order in which the zones have them. */

typedef struct edge {
  int v[2]; // ascending
  int64_t seen;
  double length;
  int rank;
} edge;

static int compare_vertices(const void *a, const void *b)
{
  const edge *x = a, *y = b;
  if (x->v[0] != y->v[0]) return x->v[0] < y->v[0] ? -1 : 1;
  if (x->v[1] != y->v[1]) return x->v[1] < y->v[1] ? -1 : 1;
  return (x->seen > y->seen) - (x->seen < y->seen);
}

static int compare_lengths(const void *a, const void *b)
{
  const edge *x = a, *y = b;
  if (x->length != y->length) return x->length < y->length ? -1 : 1;
  return (x->seen > y->seen) - (x->seen < y->seen);
}

static edge edge_of(int a, int b)
{
  return (edge){.v = {a < b ? a : b, a < b ? b : a}};
}

/* All edges, by their vertices; returns how many. */
static int64_t list_edges(const mesh_coarse *c, edge *edges)
{
  int64_t n = 0, kept = 0;
  for (int z = 0; z < c->nzones; z++) {
    const int *v = mesh_coarse_zone(c, z);
    for (int i = 0; i < 4; i++)
      for (int j = i + 1; j < 4; j++, n++) {
        edges[n] = edge_of(v[i], v[j]);
        edges[n].seen = n;
        edges[n].length = sqrt(square_of(c, edges[n].v[0], edges[n].v[1]));
      }
  }
  qsort(edges, (size_t)n, sizeof *edges, compare_vertices);
  for (int64_t i = 0; i < n; i++)
    if (i == 0 || edges[i].v[0] != edges[kept - 1].v[0] || edges[i].v[1] != edges[kept - 1].v[1])
      edges[kept++] = edges[i];
  return kept;
}

typedef struct ranking {
  edge *edges; // owned, [n], by their vertices
  int64_t n;
} ranking;

static bool rank_edges(ranking *r, const mesh_coarse *c)
{
  r->edges = malloc(((size_t)c->nzones * 6 + 1) * sizeof *r->edges);
  if (!r->edges) return false;
  r->n = list_edges(c, r->edges);
  qsort(r->edges, (size_t)r->n, sizeof *r->edges, compare_lengths);
  for (int64_t i = 0; i < r->n; i++) r->edges[i].rank = (int)i, r->edges[i].seen = 0;
  qsort(r->edges, (size_t)r->n, sizeof *r->edges, compare_vertices);
  return true;
}

static int rank_of(const ranking *r, const int *v, int i, int j)
{
  const edge key = edge_of(v[i], v[j]);
  return ((const edge *)bsearch(&key, r->edges, (size_t)r->n, sizeof key, compare_vertices))->rank;
}

/* Which of n edges, pairs of corners, has the highest rank. */
static int highest(const ranking *r, const int *v, int n, const int pairs[][2])
{
  int best = 0;
  for (int i = 1; i < n; i++)
    if (rank_of(r, v, pairs[i][0], pairs[i][1]) > rank_of(r, v, pairs[best][0], pairs[best][1])) best = i;
  return best;
}

/* The longest edge comes first; of the edge's two ends that one is the first that the longest edges of the two faces
 * beside it say, as MFEM's bisection has it. */
static void mark_tetrahedron(const ranking *r, mesh_coarse *c, int z)
{
  const int *v = mesh_coarse_zone(c, z);
  static const int all[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  static const int orders[6][4] = {{0, 1, 2, 3}, {1, 2, 0, 3}, {2, 0, 1, 3}, {3, 0, 2, 1}, {1, 3, 2, 0}, {2, 3, 0, 1}};
  static const int beside_0[3][2] = {{0, 2}, {0, 3}, {2, 3}}, beside_1[3][2] = {{1, 2}, {1, 3}, {2, 3}};
  reorder(c, z, orders[highest(r, v, 6, all)]);
  const int a = highest(r, v, 3, beside_0), b = highest(r, v, 3, beside_1);
  if ((a == 1 && b > 0) || (a == 2 && b == 1)) reorder(c, z, (int[]){1, 0, 3, 2});
}

int mesh_simplex_mark(mesh_coarse *c)
{
  ranking r = {0};
  if (c->dim == 2) {
    for (int z = 0; z < c->nzones; z++) mark_triangle(c, z);
    return STATUS_OK;
  }
  if (!rank_edges(&r, c)) return STATUS_MACHINE;
  for (int z = 0; z < c->nzones; z++) mark_tetrahedron(&r, c, z);
  free(r.edges);
  return STATUS_OK;
}
