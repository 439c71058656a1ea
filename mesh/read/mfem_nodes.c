/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The nodes of an MFEM mesh: a GridFunction of a collection H1 or L2.  Nodes of H1 belong to vertices, edges, faces and
 * zones, in this order; edges and faces are numbered as the zones have them, one zone after the other, each in MFEM's
 * order of its own edges and faces, by the vertices of the file.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/read/seams.h"
#include "mesh/simplex/lattice.h"

enum { MOST_ORDER = 8 };

/* A collection of finite elements. */
typedef struct collection {
  bool continuous;
  int order;
  mesh_line line;
} collection;

/* "H1_2D_P3", "L2_T1_2D_P3": head, then "_<dim>D_P<order>". */
static bool has_form(const char *name, const char *head, int dim, int *order)
{
  char middle[32];
  const int n = snprintf(middle, sizeof middle, "%s_%dD_P", head, dim);
  if (strncmp(name, middle, (size_t)n) != 0) return false;
  const char *digits = name + n;
  if (digits[0] < '1' || digits[0] > '0' + MOST_ORDER || digits[1]) return false;
  *order = digits[0] - '0';
  return true;
}

static bool find_collection(scan_word word, int dim, collection *c)
{
  static const struct {
    const char *head;
    bool continuous;
    mesh_line line;
  } known[] = {{"H1", true, MESH_GAUSS_LOBATTO},
               {"H1@G", true, MESH_GAUSS_LOBATTO},
               {"H1@U", true, MESH_EQUISPACED},
               {"L2_T1", false, MESH_GAUSS_LOBATTO},
               {"L2_T4", false, MESH_EQUISPACED}};
  char name[24];
  if (word.length >= sizeof name) return false;
  memcpy(name, word.text, word.length);
  name[word.length] = 0;
  *c = (collection){.continuous = true, .line = MESH_EQUISPACED};
  c->order = strcmp(name, "Linear") == 0 ? 1 : strcmp(name, "Quadratic") == 0 ? 2 : 0;
  for (size_t i = 0; c->order == 0 && i < sizeof known / sizeof *known; i++)
    if (has_form(name, known[i].head, dim, &c->order)) c->continuous = known[i].continuous, c->line = known[i].line;
  return c->order > 0;
}

/* ------------------------------------------------------------------ parts of a zone, in MFEM's order */

typedef struct parts {
  int nedges, nfaces, face_corners;
  int edges[12][2], faces[6][4];
} parts;

static const parts parts_of[2][4] =
  {
    [MESH_TENSOR] =
      {[1] = {0},
       [2] = {4, 0, 0, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {{0}}},
       [3] = {12,
              6,
              4,
              {{0, 1}, {1, 2}, {3, 2}, {0, 3}, {4, 5}, {5, 6}, {7, 6}, {4, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
              {{3, 2, 1, 0}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}, {4, 5, 6, 7}}}},
    [MESH_SIMPLEX] = {
      [2] = {3, 0, 0, {{0, 1}, {1, 2}, {2, 0}}, {{0}}},
      [3] = {6, 4, 3, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}, {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}}}};

/* The place of a zone's corner, in MFEM's order, on the lattice of order p. */
static void corner_place(mesh_shape shape, int dim, int corner, int p, int at[3])
{
  const int bits = corner & 2 ? corner ^ 1 : corner; // around the face, to lexicographic
  for (int d = 0; d < 3; d++) at[d] = d < dim && (shape == MESH_SIMPLEX ? corner == d + 1 : bits >> d & 1) ? p : 0;
}

static int corner_vertex(const mesh_coarse *c, int zone, int corner)
{
  return mesh_coarse_zone(c, zone)[c->shape == MESH_TENSOR && (corner & 2) ? corner ^ 1 : corner];
}

/* The node of a lattice place. */
static int node_at(const mesh_coarse *c, int p, const int at[3])
{
  const int m[4] = {p - at[0] - at[1] - at[2], at[0], at[1], at[2]};
  if (c->shape == MESH_SIMPLEX) return simplex_place(c->dim, p, m);
  return at[0] + (p + 1) * (at[1] + (p + 1) * at[2]);
}

/* ------------------------------------------------------------------ the dof of each node */

typedef struct numbering {
  const mesh_coarse *c;
  const parts *parts;
  int p, each;
  int *edge, *face;  // owned: MFEM's numbers of the entities, -1: none yet
  int (*frame)[4];   // owned, by MFEM's number of a face: the vertices that the first zone lists
  int64_t offset[4]; // of the dofs of vertices, edges, faces, zones; of L2 all is the last
} numbering;

static int64_t choose(int n, int k)
{
  return n < k    ? 0
         : k == 0 ? 1
         : k == 1 ? n
         : k == 2 ? (int64_t)n * (n - 1) / 2
                  : (int64_t)n * (n - 1) / 2 * (n - 2) / 3;
}

/* Nodes inside a part of e dimensions. */
static int64_t inside(mesh_shape shape, int p, int e)
{
  int64_t n = 1;
  if (shape == MESH_SIMPLEX) return choose(p - 1, e);
  for (int i = 0; i < e; i++) n *= p - 1;
  return n;
}

/* MFEM's numbers of all edges and faces, and the faces' frames. */
static void number_parts(numbering *n, const mesh_entities *t)
{
  const mesh_coarse *c = n->c;
  int edges = 0, faces = 0;
  for (int e = 0; e < t->count[1] && c->dim > 1; e++) n->edge[e] = -1;
  for (int f = 0; f < t->count[2] && c->dim > 2; f++) n->face[f] = -1;
  for (int z = 0; z < c->nzones; z++) {
    for (int e = 0; e < n->parts->nedges; e++) {
      const int *own = n->parts->edges[e];
      const int at = mesh_entities_find(t, 1, (int[]){corner_vertex(c, z, own[0]), corner_vertex(c, z, own[1])});
      if (n->edge[at] < 0) n->edge[at] = edges++;
    }
    for (int f = 0; f < n->parts->nfaces; f++) {
      int v[4];
      for (int i = 0; i < n->parts->face_corners; i++) v[i] = corner_vertex(c, z, n->parts->faces[f][i]);
      const int at = mesh_entities_find(t, 2, c->shape == MESH_TENSOR ? (int[]){v[0], v[1], v[3], v[2]} : v);
      if (n->face[at] >= 0) continue;
      memcpy(n->frame[faces], v, sizeof v);
      n->face[at] = faces++;
    }
  }
}

/* Which corner of a zone, in MFEM's order, this vertex is. */
static int corner_of(const mesh_coarse *c, int zone, int vertex)
{
  int corner = 0;
  while (corner_vertex(c, zone, corner) != vertex) corner++;
  return corner;
}

/* a + i (b - a) / p + j (e - a) / p on the lattice, for the zone's corners with these vertices. */
static int node_between(const numbering *n, int zone, const int v[3], int i, int j)
{
  const mesh_coarse *c = n->c;
  int place[3][3], at[3];
  for (int k = 0; k < 3; k++) corner_place(c->shape, c->dim, corner_of(c, zone, v[k]), n->p, place[k]);
  for (int d = 0; d < 3; d++)
    at[d] = place[0][d] + (place[1][d] - place[0][d]) / n->p * i + (place[2][d] - place[0][d]) / n->p * j;
  return node_at(c, n->p, at);
}

static void set_edges(const numbering *n, const mesh_entities *t, int zone, int64_t *dofs)
{
  for (int e = 0; e < n->parts->nedges; e++) {
    const int a = corner_vertex(n->c, zone, n->parts->edges[e][0]),
              b = corner_vertex(n->c, zone, n->parts->edges[e][1]);
    const int64_t first = n->offset[1] + (int64_t)n->edge[mesh_entities_find(t, 1, (int[]){a, b})] * (n->p - 1);
    const int low = a < b ? a : b, high = a < b ? b : a;
    for (int i = 1; i < n->p; i++) dofs[node_between(n, zone, (int[]){low, high, low}, i, 0)] = first + i - 1;
  }
}

static void set_faces(const numbering *n, const mesh_entities *t, int zone, int64_t *dofs)
{
  const bool tensor = n->c->shape == MESH_TENSOR;
  for (int f = 0; f < n->parts->nfaces; f++) {
    int v[4];
    for (int i = 0; i < n->parts->face_corners; i++) v[i] = corner_vertex(n->c, zone, n->parts->faces[f][i]);
    const int face = n->face[mesh_entities_find(t, 2, tensor ? (int[]){v[0], v[1], v[3], v[2]} : v)];
    const int *frame = n->frame[face];
    int64_t dof = n->offset[2] + face * inside(n->c->shape, n->p, 2);
    for (int j = 1; j < n->p; j++)
      for (int i = 1; i < (tensor ? n->p : n->p - j); i++)
        dofs[node_between(n, zone, (int[]){frame[0], frame[1], frame[tensor ? 3 : 2]}, i, j)] = dof++;
  }
}

/* The nodes of a zone that are in no facet, or all of them, in the order of the lattice. */
static void set_own(const numbering *n, bool all, int64_t dof, int64_t *dofs)
{
  const int dim = n->c->dim, p = n->p;
  int at[3] = {0};
  for (at[2] = 0; at[2] <= (dim > 2 ? p : 0); at[2]++)
    for (at[1] = 0; at[1] <= (dim > 1 ? p : 0); at[1]++)
      for (at[0] = 0; at[0] <= p; at[0]++) {
        const int rest = p - at[0] - at[1] - at[2];
        bool own = n->c->shape == MESH_TENSOR || rest > 0;
        if (n->c->shape == MESH_SIMPLEX && rest < 0) continue;
        for (int d = 0; d < dim; d++) own = own && at[d] > 0 && (n->c->shape == MESH_SIMPLEX || at[d] < p);
        if (own || all) dofs[node_at(n->c, p, at)] = dof++;
      }
}

static void set_zone(const numbering *n, const mesh_entities *t, bool continuous, int zone, int64_t *dofs)
{
  const mesh_coarse *c = n->c;
  if (!continuous) {
    set_own(n, true, (int64_t)zone * n->each, dofs);
    return;
  }
  for (int i = 0; i < mesh_coarse_corners(c); i++) {
    int at[3];
    corner_place(c->shape, c->dim, i, n->p, at);
    dofs[node_at(c, n->p, at)] = corner_vertex(c, zone, i);
  }
  set_edges(n, t, zone, dofs);
  set_faces(n, t, zone, dofs);
  set_own(n, false, n->offset[3] + zone * inside(c->shape, n->p, c->dim), dofs);
}

/* dofs [nzones][each]; returns how many there are, -1 when memory is out. */
static int64_t number_nodes(const mesh_coarse *c, const collection *of, int64_t *dofs)
{
  mesh_entities *t = mesh_entities_create(c);
  if (!t) return -1;
  const size_t nedges = c->dim > 1 ? (size_t)t->count[1] : 0, nfaces = c->dim > 2 ? (size_t)t->count[2] : 0;
  numbering n = {.c = c, .parts = &parts_of[c->shape][c->dim], .p = of->order};
  n.each = mesh_nodes_in_zone(c->shape, c->dim, of->order);
  n.edge = malloc((nedges + 1) * sizeof *n.edge);
  n.face = malloc((nfaces + 1) * sizeof *n.face);
  n.frame = malloc((nfaces + 1) * sizeof *n.frame);
  int64_t count = -1;
  if (n.edge && n.face && n.frame) {
    number_parts(&n, t);
    n.offset[1] = c->nvertices;
    n.offset[2] = n.offset[1] + (int64_t)nedges * (of->order - 1);
    n.offset[3] = n.offset[2] + (int64_t)nfaces * inside(c->shape, of->order, 2);
    count = n.offset[3] + c->nzones * inside(c->shape, of->order, c->dim);
    if (!of->continuous) count = (int64_t)c->nzones * n.each;
    for (int z = 0; z < c->nzones; z++) set_zone(&n, t, of->continuous, z, dofs + (int64_t)z * n.each);
  }
  free(n.edge);
  free(n.face);
  free(n.frame);
  mesh_entities_destroy(t);
  return count;
}

/* ------------------------------------------------------------------ numbers of the file */

/* By node, or (by_axis) all of the first axis, then all of the second, ... */
static bool read_numbers(scan *s, int dim, int64_t count, bool by_axis, double *x)
{
  for (int64_t i = 0; i < count * dim; i++) {
    const int64_t at = by_axis ? i % count * dim + i / count : i;
    if (!scan_number(s, "a coordinate", &x[at])) return false;
  }
  return true;
}

/* The corners of zones are the vertices. */
static void set_vertices(mesh_coarse *c, const collection *of)
{
  const int each = mesh_nodes_in_zone(c->shape, c->dim, of->order);
  for (int z = 0; z < c->nzones; z++)
    for (int i = 0; i < mesh_coarse_corners(c); i++) {
      const int node = mesh_corner_node(c->shape, c->dim, of->order, i);
      const double *x = c->curve->nodes + ((int64_t)z * each + node) * c->dim;
      memcpy(c->vertices + (int64_t)mesh_coarse_zone(c, z)[i] * c->dim, x, (size_t)c->dim * sizeof *x);
    }
}

static bool read_curve(scan *s, mesh_draft *d, const collection *of, bool by_axis)
{
  mesh_coarse *c = d->c;
  if (!mesh_draft_check_vertices(d, s)) return false;
  c->curve = mesh_curve_allocate(c->shape, c->dim, c->nzones, of->order, of->line);
  const int each = mesh_nodes_in_zone(c->shape, c->dim, of->order);
  int64_t *dofs = malloc(((size_t)c->nzones * (size_t)each + 1) * sizeof *dofs);
  const int64_t count = dofs && c->curve ? number_nodes(c, of, dofs) : -1;
  double *x = count >= 0 && scan_fits(s, s->at, "the number of nodes", 2 * (size_t)c->dim, count)
                ? malloc(((size_t)count * (size_t)c->dim + 1) * sizeof *x)
                : NULL;
  bool ok = x && read_numbers(s, c->dim, count, by_axis, x);
  for (int64_t i = 0; ok && i < (int64_t)c->nzones * each; i++)
    memcpy(c->curve->nodes + i * c->dim, x + dofs[i] * c->dim, (size_t)c->dim * sizeof *x);
  if (!x && (count < 0 || !s->message[0])) scan_fail_memory(s);
  free(dofs);
  free(x);
  if (!ok) return false;
  set_vertices(c, of);
  return of->continuous || mesh_draft_cut_seams(d, s);
}

bool mesh_read_mfem_nodes(scan *s, mesh_draft *d)
{
  mesh_coarse *c = d->c;
  scan_word word;
  collection of;
  int64_t vdim, ordering;
  if (!scan_expect(s, "FiniteElementSpace") || !scan_expect(s, "FiniteElementCollection:") ||
      !scan_next(s, "the name of a finite element collection", &word))
    return false;
  if (!find_collection(word, c->dim, &of))
    return scan_fail(s, word.at,
                     "the nodes are of '%s', but only those of Linear, Quadratic, H1_%dD_P1 to P8 (also H1@G, H1@U), "
                     "L2_T1 and L2_T4 can be read",
                     scan_quoted(word).text, c->dim);
  if (!scan_expect(s, "VDim:") || !scan_int(s, "VDim (it must be the dimension of the mesh)", c->dim, c->dim, &vdim))
    return false;
  if (!scan_expect(s, "Ordering:") || !scan_int(s, "Ordering", 0, 1, &ordering)) return false;
  if (of.order == 1 && of.continuous) return read_numbers(s, c->dim, c->nvertices, ordering == 0, c->vertices);
  return read_curve(s, d, &of, ordering == 0);
}
