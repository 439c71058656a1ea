/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The vertices, edges and faces of the coarse zones, numbered over the whole mesh.  For the inside of the mesh layer.
 *
 * A part of a zone (corner, edge, face, inside) is named by a code with one base-3 digit per direction: 0 at the low
 * end, 1 at the high end, 2 in between.  Its dimension is the number of 2s.
 */
#ifndef MESH_TOPOLOGY_H
#define MESH_TOPOLOGY_H

#include "mesh/mesh.h"

enum { MESH_MAX_FACET_CORNERS = 4 };

typedef struct mesh_entities {
  int dim;
  int ncodes;       /* 3^dim */
  int count[4];     /* entities of each dimension; count[dim] is the number of zones */
  int *of;          /* owned, [nzones][ncodes]: entity that each part of a zone is, among those of its dimension */
  int *vertices[3]; /* owned, [count[e]][2^e]: canonical vertices of the edges (e = 1) and faces (e = 2), sorted */
  unsigned char *bits[4]; /* owned, [count[e]]: bit c is set if a boundary face with attribute c+1 holds the entity */
} mesh_entities;

/* NULL when memory is out. */
mesh_entities *mesh_entities_create(const mesh_coarse *c);
void mesh_entities_destroy(mesh_entities *t);

/* Dimension of the part with this code. */
int mesh_code_dim(int code);
/* The code of facet 2*axis + side of a zone. */
int mesh_facet_code(int dim, int facet);
/* Zone corners of the part with this code, first direction fastest; returns how many (2^e). */
int mesh_code_corners(int dim, int code, int corners[MESH_MAX_CORNERS]);

/* Turns the vertices of an edge (e = 1) or face (e = 2, lexicographic) into those that every zone that shares it sees:
 * the lowest first, then the lower of its two neighbours.  origin: the corner that
 * became the first.  swapped: were the face's two directions exchanged? */
void mesh_canonical_vertices(int e, int v[MESH_MAX_FACET_CORNERS], int *origin, bool *swapped);

/* The coarse zone of this rank's zone, and its place among the cells of that. */
int64_t mesh_zone_cell(const mesh *m, int zone, int cell[3]);

/* The edge or face with these (lexicographic) vertices, -1 if the mesh has none. */
int mesh_entities_find(const mesh_entities *t, int e, const int *vertices);

#endif
