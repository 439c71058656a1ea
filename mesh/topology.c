/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers of lattice nodes by arithmetic: the vertices of the coarse zones first, then the insides of their edges,
 * faces and zones.  The nodes of an edge run from its lower to its higher vertex; those of a face start at its lowest
 * vertex and run first towards the lower of that vertex's two neighbours.  Nodes of a zone are symmetric about its
 * middle (Gauss-Lobatto points are), so counting from the other end is exact.
 */
#include "mesh/topology.h"

/* The lattice of one order on the coarse zones. */
typedef struct lattice {
  int dim;
  int n[3];          /* intervals per coarse zone and direction; 0 beyond dim */
  int64_t offset[5]; /* unless it is a box: number of the first node inside entities of each dimension; the end */
} lattice;

/* A mesh of one coarse zone counts its nodes plainly, first direction fastest: its directions may differ. */
static bool is_box(const mesh *m)
{
  return m->coarse->nzones == 1;
}

static lattice lattice_of(const mesh *m, int k)
{
  lattice l = {.dim = m->dim};
  for (int d = 0; d < m->dim; d++) l.n[d] = k * m->subdivision[d];
  if (is_box(m)) return l; // its nodes are not counted by entity, and of a long one the products would overflow
  int64_t inside = 1;
  for (int e = 0; e <= m->dim; e++) {
    l.offset[e + 1] = l.offset[e] + inside * m->entities->count[e];
    if (e < m->dim) inside *= l.n[0] - 1;
  }
  return l;
}

int64_t mesh_nodes_global(const mesh *m, int k)
{
  if (!is_box(m)) return lattice_of(m, k).offset[m->dim + 1];
  int64_t n = 1;
  for (int d = 0; d < m->dim; d++) n *= (int64_t)k * m->subdivision[d] + 1;
  return n;
}

static int64_t box_node(const lattice *l, const int g[3])
{
  return g[0] + (l->n[0] + (int64_t)1) * (g[1] + (l->n[1] + (int64_t)1) * g[2]);
}

/* The code of the part of its coarse zone on which node g lies. */
static int node_code(const lattice *l, const int g[3])
{
  int code = 0, power = 1;
  for (int d = 0; d < l->dim; d++, power *= 3) code += power * (g[d] == 0 ? 0 : g[d] == l->n[d] ? 1 : 2);
  return code;
}

/* Place of node g among the nodes inside its entity of dimension e. */
static int64_t place_inside(const lattice *l, const int *zone, int code, int e, const int g[3])
{
  int at[3] = {0}, corners[MESH_MAX_CORNERS], free_directions = 0;
  for (int d = 0, c = code; d < l->dim; d++, c /= 3) {
    if (c % 3 == 2) at[free_directions++] = g[d];
  }
  int n = l->n[0];
  if (e < l->dim) {
    int v[MESH_MAX_FACET_CORNERS], origin;
    bool swapped;
    int k = mesh_code_corners(l->dim, code, corners);
    for (int i = 0; i < k; i++) v[i] = zone[corners[i]];
    mesh_canonical_vertices(e, v, &origin, &swapped);
    for (int i = 0; i < e; i++) {
      if (origin >> i & 1) at[i] = n - at[i];
    }
    if (swapped) {
      int first = at[0];
      at[0] = at[1];
      at[1] = first;
    }
  }
  int64_t place = 0;
  for (int i = e - 1; i >= 0; i--) place = place * (n - 1) + at[i] - 1;
  return place;
}

static int64_t file_node(const mesh *m, const lattice *l, int64_t coarse_zone, const int g[3])
{
  int code = node_code(l, g), e = mesh_code_dim(code);
  int64_t entity = m->entities->of[coarse_zone * m->entities->ncodes + code];
  if (e == 0) return entity;
  int64_t inside = 1;
  for (int i = 0; i < e; i++) inside *= l->n[0] - 1;
  const int *zone = m->coarse->zones + (coarse_zone << l->dim);
  return l->offset[e] + entity * inside + place_inside(l, zone, code, e, g);
}

int64_t mesh_zone_cell(const mesh *m, int zone, int cell[3])
{
  int64_t id = m->zone_ids[zone];
  for (int d = 0; d < 3; d++) {
    cell[d] = (int)(id % m->subdivision[d]);
    id /= m->subdivision[d];
  }
  return id;
}

static int nodes_per_zone(int dim, int k)
{
  int n = 1;
  for (int d = 0; d < dim; d++) n *= k + 1;
  return n;
}

/* Lattice position within the coarse zone of node i of the zone at this cell. */
static void node_position(int dim, int k, const int cell[3], int i, int g[3])
{
  for (int d = 0; d < dim; d++, i /= k + 1) g[d] = k * cell[d] + i % (k + 1);
}

void mesh_node_ids(const mesh *m, int k, int64_t *ids)
{
  lattice l = lattice_of(m, k);
  int n = nodes_per_zone(m->dim, k), cell[3], g[3] = {0};
  for (int zone = 0; zone < m->nzones; zone++) {
    int64_t coarse_zone = mesh_zone_cell(m, zone, cell);
    for (int i = 0; i < n; i++) {
      node_position(m->dim, k, cell, i, g);
      *ids++ = is_box(m) ? box_node(&l, g) : file_node(m, &l, coarse_zone, g);
    }
  }
}

void mesh_node_attributes(const mesh *m, int k, unsigned char *bits)
{
  lattice l = lattice_of(m, k);
  const mesh_entities *t = m->entities;
  int n = nodes_per_zone(m->dim, k), cell[3], g[3] = {0};
  for (int zone = 0; zone < m->nzones; zone++) {
    int64_t coarse_zone = mesh_zone_cell(m, zone, cell);
    for (int i = 0; i < n; i++) {
      node_position(m->dim, k, cell, i, g);
      int code = node_code(&l, g);
      *bits++ = t->bits[mesh_code_dim(code)][t->of[coarse_zone * t->ncodes + code]];
    }
  }
}
