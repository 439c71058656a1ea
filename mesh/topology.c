/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers of lattice nodes by arithmetic: the vertices of the coarse zones first, then the insides of their edges,
 * faces and zones.  The nodes of an edge run from its lower to its higher vertex; those of a face start at its lowest
 * vertex and run first towards the lower of that vertex's two neighbours.  Nodes of a zone are symmetric about its
 * middle (Gauss-Lobatto points are), so counting from the other end is exact.  The nodes of a part of a simplex are
 * counted by its vertices in ascending order.
 */
#include <stdlib.h>
#include <string.h>

#include "mesh/coarse.h"
#include "mesh/simplex/lattice.h"

/* The lattice of one order on the coarse zones. */
typedef struct lattice {
  int dim;
  int n[3];          /* intervals per coarse zone and direction; 0 beyond dim */
  int64_t offset[5]; /* unless it is a box: number of the first node inside entities of each dimension; the end */
  bool joint;        /* nodes on both sides of a seam are one */
} lattice;

/* A mesh of one coarse zone counts its nodes plainly, first direction fastest: its directions may differ. */
static bool is_box(const mesh *m)
{
  return m->coarse->nzones == 1 && m->shape == MESH_TENSOR;
}

/* Nodes inside an entity of dimension e with n intervals a direction. */
static int64_t nodes_inside(mesh_shape shape, int n, int e)
{
  int64_t inside = 1;
  if (shape == MESH_SIMPLEX) return n > e ? simplex_nodes(e, n - e - 1) : 0;
  for (int i = 0; i < e; i++) inside *= n - 1;
  return inside;
}

static lattice lattice_of(const mesh *m, int k, bool joint)
{
  lattice l = {.dim = m->dim, .joint = joint && m->coarse->nseams > 0};
  for (int d = 0; d < m->dim; d++) l.n[d] = k * m->subdivision[d];
  if (is_box(m)) return l; // its nodes are not counted by entity, and of a long one the products would overflow
  for (int e = 0; e <= m->dim; e++)
    l.offset[e + 1] = l.offset[e] + nodes_inside(m->shape, l.n[0], e) * m->entities->count[e];
  return l;
}

int64_t mesh_nodes_global(const mesh *m, int k)
{
  if (!is_box(m)) return lattice_of(m, k, false).offset[m->dim + 1];
  int64_t n = 1;
  for (int d = 0; d < m->dim; d++) n *= (int64_t)k * m->subdivision[d] + 1;
  return n;
}

/* The last node along a periodic axis is the first. */
static void wrap(const mesh *m, const lattice *l, int g[3])
{
  for (int i = 0; i < m->coarse->nseams; i++) {
    const int *seam = m->coarse->seams + (int64_t)i * 2 * mesh_coarse_facet_corners(m->coarse);
    const int step = abs(seam[0] - seam[mesh_coarse_facet_corners(m->coarse)]); // corners are vertices, lexicographic
    const int axis = step == 1 ? 0 : step / 2;
    if (g[axis] == l->n[axis]) g[axis] = 0;
  }
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

/* Place of node g among the nodes inside its entity of dimension e with these vertices. */
static int64_t place_inside(const lattice *l, int *v, int code, int e, const int g[3])
{
  int at[3] = {0}, free_directions = 0;
  for (int d = 0, c = code; d < l->dim; d++, c /= 3) {
    if (c % 3 == 2) at[free_directions++] = g[d];
  }
  int n = l->n[0];
  if (e < l->dim) {
    int origin;
    bool swapped;
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

/* The entity that a part of a zone is, and its vertices in the zone's order; joint: those of its twin. */
static int part_of(const mesh *m, const lattice *l, int64_t zone, int code, int v[MESH_MAX_CORNERS])
{
  const mesh_entities *t = m->entities;
  int corners[MESH_MAX_CORNERS];
  const int n = mesh_code_corners(m->shape, l->dim, code, corners), e = mesh_code_dim(m->shape, code);
  const int entity = t->of[zone * t->ncodes + code];
  for (int i = 0; i < n; i++) v[i] = mesh_coarse_zone(m->coarse, zone)[corners[i]];
  return l->joint && e < l->dim ? mesh_entities_twin(t, e, entity, n, v) : entity;
}

static int64_t file_node(const mesh *m, const lattice *l, int64_t coarse_zone, const int g[3])
{
  int code = node_code(l, g), e = mesh_code_dim(MESH_TENSOR, code);
  int v[MESH_MAX_CORNERS];
  const int64_t entity = part_of(m, l, coarse_zone, code, v);
  if (e == 0) return entity;
  return l->offset[e] + entity * nodes_inside(MESH_TENSOR, l->n[0], e) + place_inside(l, v, code, e, g);
}

/* ------------------------------------------------------------------ simplices */

/* The code of the part on which the node with these barycentric indices lies. */
static int simplex_code(int dim, const int index[4])
{
  int bits = 0;
  for (int i = 0; i <= dim; i++) bits |= (index[i] > 0) << i;
  return bits - 1;
}

/* The indices of the part's vertices, in ascending order of these, less one each, are those of a lattice of its own. */
static int64_t simplex_node(const mesh *m, const lattice *l, int64_t zone, const int index[4])
{
  const int code = simplex_code(l->dim, index), e = mesh_code_dim(MESH_SIMPLEX, code);
  int corners[MESH_MAX_CORNERS], vertices[MESH_MAX_CORNERS], own[4];
  const int64_t entity = part_of(m, l, zone, code, vertices);
  if (e == 0) return entity;
  mesh_code_corners(MESH_SIMPLEX, l->dim, code, corners);
  for (int i = 1; i <= e; i++) // sort by vertex
    for (int j = i; j > 0 && vertices[j] < vertices[j - 1]; j--) {
      const int low = corners[j], lower = vertices[j];
      corners[j] = corners[j - 1], corners[j - 1] = low;
      vertices[j] = vertices[j - 1], vertices[j - 1] = lower;
    }
  for (int i = 0; i <= e; i++) own[i] = index[corners[i]] - 1;
  return l->offset[e] + entity * nodes_inside(MESH_SIMPLEX, l->n[0], e) + simplex_place(e, l->n[0] - e - 1, own);
}

/* ------------------------------------------------------------------ all nodes */

int64_t mesh_zone_cell(const mesh *m, int zone, int cell[3])
{
  int64_t id = m->zone_ids[zone];
  for (int d = 0; d < 3; d++) {
    cell[d] = (int)(id % m->subdivision[d]);
    id /= m->subdivision[d];
  }
  return id;
}

int mesh_nodes_in_zone(mesh_shape shape, int dim, int k)
{
  int n = 1;
  if (shape == MESH_SIMPLEX) return simplex_nodes(dim, k);
  for (int d = 0; d < dim; d++) n *= k + 1;
  return n;
}

/* Lattice position within the coarse zone of node i of the zone at this cell. */
static void node_position(int dim, int k, const int cell[3], int i, int g[3])
{
  for (int d = 0; d < dim; d++, i /= k + 1) g[d] = k * cell[d] + i % (k + 1);
}

static void simplex_node_ids(const mesh *m, int k, bool joint, int64_t *ids)
{
  const lattice l = lattice_of(m, k, joint);
  for (int zone = 0; zone < m->nzones; zone++) {
    int index[4] = {k};
    do *ids++ = simplex_node(m, &l, m->zone_ids[zone], index);
    while (simplex_next(m->dim, index));
  }
}

/* Nodes of a zone of a box without seams are at the same distances from its first one. */
static void box_node_ids(const mesh *m, int k, const lattice *l, int64_t *ids)
{
  const int n = mesh_nodes_in_zone(m->shape, m->dim, k);
  for (int zone = 0; zone < m->nzones; zone++, ids += n) {
    int cell[3];
    mesh_zone_cell(m, zone, cell);
    const int64_t first = box_node(l, (int[]){k * cell[0], k * cell[1], k * cell[2]});
    int64_t *id = ids;
    for (int z = 0; z <= (m->dim > 2 ? k : 0); z++)
      for (int y = 0; y <= (m->dim > 1 ? k : 0); y++)
        for (int x = 0; x <= k; x++) *id++ = first + box_node(l, (int[]){x, y, z});
  }
}

static void node_ids(const mesh *m, int k, bool joint, int64_t *ids)
{
  if (m->shape == MESH_SIMPLEX) return simplex_node_ids(m, k, joint, ids);
  const lattice l = lattice_of(m, k, joint);
  int n = mesh_nodes_in_zone(m->shape, m->dim, k), cell[3], g[3] = {0};
  if (is_box(m) && !l.joint) return box_node_ids(m, k, &l, ids);
  for (int zone = 0; zone < m->nzones; zone++) {
    int64_t coarse_zone = mesh_zone_cell(m, zone, cell);
    for (int i = 0; i < n; i++) {
      node_position(m->dim, k, cell, i, g);
      if (is_box(m) && l.joint) wrap(m, &l, g);
      *ids++ = is_box(m) ? box_node(&l, g) : file_node(m, &l, coarse_zone, g);
    }
  }
}

void mesh_node_ids(const mesh *m, int k, int64_t *ids)
{
  node_ids(m, k, false, ids);
}

void mesh_joint_ids(const mesh *m, int k, int64_t *ids)
{
  node_ids(m, k, true, ids);
}

bool mesh_zone_at_seam(const mesh *m, int zone)
{
  const mesh_entities *t = m->entities;
  const lattice l = {.dim = m->dim, .n = {m->subdivision[0], m->subdivision[1], m->subdivision[2]}};
  int cell[3], g[3];
  if (m->coarse->nseams == 0) return false;
  const int64_t coarse_zone = mesh_zone_cell(m, zone, cell);
  for (int i = 0; i < m->ncorners; i++) {
    for (int d = 0; d < m->dim; d++) g[d] = cell[d] + (i >> d & 1);
    const int code = m->shape == MESH_SIMPLEX ? (1 << i) - 1 : node_code(&l, g), e = mesh_code_dim(m->shape, code);
    if (e < m->dim && t->at_seam[e][t->of[coarse_zone * t->ncodes + code]]) return true;
  }
  return false;
}

static unsigned char bits_of(const mesh_entities *t, int64_t zone, int code)
{
  return t->bits[mesh_code_dim(t->shape, code)][t->of[zone * t->ncodes + code]];
}

static void simplex_node_attributes(const mesh *m, int k, unsigned char *bits)
{
  for (int zone = 0; zone < m->nzones; zone++) {
    int index[4] = {k};
    do *bits++ = bits_of(m->entities, m->zone_ids[zone], simplex_code(m->dim, index));
    while (simplex_next(m->dim, index));
  }
}

void mesh_node_attributes(const mesh *m, int k, unsigned char *bits)
{
  if (m->shape == MESH_SIMPLEX) return simplex_node_attributes(m, k, bits);
  lattice l = lattice_of(m, k, false);
  int n = mesh_nodes_in_zone(m->shape, m->dim, k), cell[3], g[3] = {0};
  for (int zone = 0; zone < m->nzones; zone++) {
    int64_t coarse_zone = mesh_zone_cell(m, zone, cell);
    bool inside = true;
    for (int d = 0; d < m->dim; d++) inside = inside && cell[d] > 0 && cell[d] < m->subdivision[d] - 1;
    if (inside) {
      memset(bits, bits_of(m->entities, coarse_zone, mesh_codes(m->shape, m->dim) - 1), (size_t)n);
      bits += n;
      continue;
    }
    for (int i = 0; i < n; i++) {
      node_position(m->dim, k, cell, i, g);
      *bits++ = bits_of(m->entities, coarse_zone, node_code(&l, g));
    }
  }
}
