/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The vertices, edges and faces of the coarse zones, numbered over the whole mesh.  For the inside of the mesh layer.
 *
 * A part of a zone (corner, edge, face, inside) is named by a code.  Of a tensor zone it has one base-3 digit per
 * direction: 0 at the low end, 1 at the high end, 2 in between; the part's dimension is the number of 2s.  Of a simplex
 * it has one bit per corner that the part has, less 1; the dimension is one less than the number of bits.  The last
 * code is that of the zone.
 */
#ifndef MESH_TOPOLOGY_H
#define MESH_TOPOLOGY_H

#include "mesh/mesh.h"

enum { MESH_MAX_FACET_CORNERS = 4 };

typedef struct mesh_entities {
  int dim;
  mesh_shape shape;
  int ncodes;       /* mesh_codes(shape, dim) */
  int count[4];     /* entities of each dimension; count[dim] is the number of zones */
  int *of;          /* owned, [nzones][ncodes]: entity that each part of a zone is, among those of its dimension */
  int *vertices[3]; /* owned, [count[e]][corners]: canonical vertices of edges (e = 1) and faces (e = 2), sorted */
  unsigned char *bits[4]; /* owned, [count[e]]: bit c is set if a boundary face with attribute c+1 holds the entity */
  /* For a periodic mesh, NULL otherwise; entities of less than dim dimensions. */
  int *twin[3];              /* owned, [count[e]]: the lowest of the entities that are one with it across seams */
  int *twin_vertices[3];     /* owned, [count[e]][corners]: the twin's vertices, in the order of `vertices` (e > 0) */
  unsigned char *at_seam[3]; /* owned, [count[e]]: it is on a seam */
} mesh_entities;

/* Finds the twins.  False: memory is out. */
bool mesh_entities_join(mesh_entities *t, const mesh_coarse *c);
/* The twin of an entity of e dimensions, and of its vertices v [n], in any order; itself where there are no seams. */
int mesh_entities_twin(const mesh_entities *t, int e, int entity, int n, int *v);

/* NULL when memory is out. */
mesh_entities *mesh_entities_create(const mesh_coarse *c);
void mesh_entities_destroy(mesh_entities *t);

/* Number of codes of a zone: 3^dim, or 2^(dim+1) - 1. */
int mesh_codes(mesh_shape shape, int dim);
/* Dimension of the part with this code. */
int mesh_code_dim(mesh_shape shape, int code);
/* The code of a facet of a zone: 2*axis + side, or of a simplex the corner that it lacks. */
int mesh_facet_code(mesh_shape shape, int dim, int facet);
/* Zone corners of the part with this code, first direction fastest; returns how many. */
int mesh_code_corners(mesh_shape shape, int dim, int code, int corners[MESH_MAX_CORNERS]);

/* Turns the vertices of an edge (e = 1) or face (e = 2, lexicographic) of tensor zones into those that every zone that
 * shares it sees: the lowest first, then the lower of its two neighbours.  origin: the corner that
 * became the first.  swapped: the face's two directions were exchanged. */
void mesh_canonical_vertices(int e, int v[MESH_MAX_FACET_CORNERS], int *origin, bool *swapped);
/* Sorts n vertices; true where it takes an odd number of exchanges. */
bool mesh_sort_vertices(int n, int *v);

/* True if the zone of this rank touches a seam. */
bool mesh_zone_at_seam(const mesh *m, int zone);

/* The coarse zone of this rank's zone, and its place among the cells of that. */
int64_t mesh_zone_cell(const mesh *m, int zone, int cell[3]);

/* The edge or face with these (lexicographic) vertices, -1 if the mesh has none. */
int mesh_entities_find(const mesh_entities *t, int e, const int *vertices);

#endif
