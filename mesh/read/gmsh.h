/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A Gmsh MSH 2.2 or 4.1 file, text or binary, as it is read.  Formats: gmsh.info/doc/texinfo, "MSH file format".
 */
#ifndef MESH_GMSH_H
#define MESH_GMSH_H

#include "mesh/read/draft.h"
#include "mesh/read/names.h"

typedef struct gmsh_node {
  int64_t tag;
  double x[3];
} gmsh_node;

/* A point, curve, surface or volume of MSH 4.1, and how many physical groups it is in. */
typedef struct gmsh_entity {
  int dim, tag;
  int physical, ngroups; /* the first group's tag, without its sign; 0: none */
} gmsh_entity;

enum { GMSH_MAX_ORDER = 5, GMSH_MAX_NODES = 216 };

typedef struct gmsh_element {
  int64_t nodes[MESH_MAX_CORNERS]; /* tags of the corners */
  int64_t first;                   /* of the other nodes in gmsh_list.tags */
  size_t at;
  mesh_shape shape; /* MESH_TENSOR where there is one alone */
  int order;
  int group; /* MSH 2.2: physical tag, 0: none; 4.1: tag of its entity */
} gmsh_element;

/* Elements of one dimension: points, segments, quads, hexes, triangles or tetrahedra. */
typedef struct gmsh_list {
  int64_t n, room;
  gmsh_element *items; /* owned */
  int64_t ntags, tag_room;
  int64_t *tags;           /* owned, [ntags]: nodes that are no corners */
  const char *unsupported; /* name of the first element of another kind, NULL: there is none ... */
  size_t unsupported_at;   /* ... and where it is */
} gmsh_list;

/* Node `image` of a periodic side of some dimension, and the node that it is an image of; by tags. */
typedef struct gmsh_pair {
  int side; /* counts from 0 */
  int64_t image, node;
} gmsh_pair;

/* A curve or surface that is another one, shifted. */
typedef struct gmsh_side {
  int dim;
  size_t at;
} gmsh_side;

typedef struct gmsh {
  scan *s; /* borrowed */
  int version;
  bool binary;
  int64_t nnodes, nentities, entity_room;
  gmsh_node *nodes;      /* owned; NULL: not read yet */
  gmsh_entity *entities; /* owned */
  gmsh_list elements[4];
  mesh_names names[4]; /* of the physical groups of each dimension */
  int64_t nsides, side_room, npairs, pair_room;
  gmsh_side *sides; /* owned */
  gmsh_pair *pairs; /* owned */
  bool names_read;
  bool periodic_read;
  bool elements_read;
} gmsh;

/* One number, as text or raw: a 4-byte integer, an 8-byte count, a double. */
bool gmsh_int(gmsh *g, const char *what, int64_t low, int64_t high, int64_t *value);
bool gmsh_size(gmsh *g, const char *what, int64_t *value);
bool gmsh_double(gmsh *g, const char *what, double *value);

/* The insides of sections. */
bool gmsh_read_entities(gmsh *g);
bool gmsh_read_nodes(gmsh *g);
bool gmsh_read_elements(gmsh *g);
bool gmsh_read_periodic(gmsh *g);

/* Makes seams of what $Periodic says about sides of one dimension less than the draft's. */
bool gmsh_make_seams(gmsh *g, mesh_draft *d);

/* For the nodes of an element of order p, in Gmsh's order, their numbers on the lattice of that order: node
 * [mesh_nodes_in_zone]. */
void gmsh_order(mesh_shape shape, int dim, int p, int *node);

/* The mesh of what was read. */
bool gmsh_make_draft(gmsh *g, mesh_draft *d);

#endif
