/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A coarse mesh while it is read and until it has been checked.
 */
#ifndef MESH_DRAFT_H
#define MESH_DRAFT_H

#include "mesh/coarse.h"
#include "mesh/read/scan.h"

typedef struct mesh_draft {
  mesh_coarse *c;   /* owned; its counts are those of the arrays made so far */
  size_t *zone_at;  /* owned, [nzones]: where in the file */
  size_t *face_at;  /* owned, [nfaces] */
  int first_vertex; /* number that the file gives to the first vertex, for messages; -1: numbers of its own */
} mesh_draft;

/* All fail only where memory is out. */
bool mesh_draft_create(mesh_draft *d, scan *s, mesh_shape shape, int dim);
bool mesh_draft_make_zones(mesh_draft *d, scan *s, int n);
bool mesh_draft_make_faces(mesh_draft *d, scan *s, int n);
bool mesh_draft_make_vertices(mesh_draft *d, scan *s, int n);
void mesh_draft_destroy(mesh_draft *d);

/* The vertices of a segment, quad or hex, from the order around its faces (as in the files) to lexicographic order;
 * those of a simplex stay. */
void mesh_draft_set(int *corners, mesh_shape shape, int ncorners, const int *around);

/* Checks that zones and boundary faces name vertices that there are, each once. */
bool mesh_draft_check_vertices(const mesh_draft *d, scan *s);

/* The coordinates behind an MFEM mesh's "nodes": a GridFunction, which makes curved zones if its order is above 1. */
bool mesh_read_mfem_nodes(scan *s, mesh_draft *d);

/* The node of a corner (of the draft's order) on a zone's lattice of order p; whether its node i is on this facet. */
int mesh_corner_node(mesh_shape shape, int dim, int p, int corner);
bool mesh_facet_has_node(const mesh_coarse *c, int p, int facet, int i);

/* Checks that the walls of curved zones are planes.  To be called before the corners of simplices are put in order. */
bool mesh_draft_check_curved_walls(const mesh_draft *d, scan *s);

/* Checks that it is a mesh; drops vertices that no zone uses; orders the corners of simplices (simplex/simplex.h). */
bool mesh_draft_check(mesh_draft *d, scan *s);

/* The formats; the draft is empty before, and to be destroyed after. */
bool mesh_read_mfem(scan *s, mesh_draft *d);
bool mesh_read_netgen(scan *s, mesh_draft *d);
bool mesh_read_gmsh(scan *s, mesh_draft *d);

#endif
