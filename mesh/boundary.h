/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The boundary of a mesh: which of its faces are walls, and what in a mesh file may not be as it was meant.
 */
#ifndef MESH_BOUNDARY_H
#define MESH_BOUNDARY_H

#include "mesh/topology.h"

/* A face of a coarse zone that belongs to no other. */
typedef struct mesh_side {
  int zone, facet; /* facet: 2*axis + side, of the zone's own directions */
  int attribute;   /* MESH_FREE where the file lists no boundary face here */
  int vertices[MESH_MAX_FACET_CORNERS];
} mesh_side;

typedef struct mesh_sides {
  int n;
  mesh_side *items; /* owned */
} mesh_sides;

/* All of them, zone by zone.  Returns STATUS_OK, or STATUS_MACHINE when memory is out. */
int mesh_sides_create(mesh_sides *sides, const mesh *m);
void mesh_sides_destroy(mesh_sides *sides);

/* The axis whose motion a face of this attribute holds; -1: it is free. */
int mesh_wall_axis(int dim, int attribute);

/* The middle of a face, [dim], and its normal, outwards and not of unit length. */
void mesh_side_middle(const mesh_coarse *c, const mesh_side *side, double *x);
void mesh_side_normal(const mesh_coarse *c, const mesh_side *side, double *normal);

/* The number of faces of the (refined) zones that are walls of each axis, and of those that are free. */
typedef struct mesh_boundary {
  int64_t walls[3];
  int64_t free;
} mesh_boundary;

void mesh_boundary_count(const mesh *m, const mesh_sides *sides, mesh_boundary *b);

/* Tells of one doubt in a sentence. */
typedef void mesh_tell(void *user, const char *sentence);

/* Attributes that are no wall, walls that fit no plane, and free faces on a side that should be none:
 * open[2*axis + side] says whether faces that look down (0) or up (1) an axis may be free. */
void mesh_examine_attributes(const mesh *m, const mesh_sides *sides, const bool open[6], mesh_tell *tell, void *user);

/* Vertices of the boundary that coincide, and faces of it behind which there is a zone: cracks, T-junctions, zones that
 * overlap.  Faces are looked at in a few points each.  Returns STATUS_OK, or STATUS_MACHINE when memory is out. */
int mesh_examine_geometry(const mesh *m, const mesh_sides *sides, mesh_tell *tell, void *user);

#endif
