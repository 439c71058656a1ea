/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Meshes of segments, quads and hexes, or of triangles and tetrahedra, spread over the ranks.
 *
 * A mesh is a few coarse zones, each subdivided into a lattice of zones: a box is one coarse zone with
 * zones[0] x zones[1] x zones[2] zones in it, a mesh file refined r times is its own zones with 2^r per direction.  A
 * lattice of order k (k+1 points a direction in every zone) on such a mesh is the lattice of order k*subdivision of the
 * coarse zones, so the number of a node follows from its coarse vertex, edge, face or zone by arithmetic, on any rank
 * and without communication.  Coarse zones are replicated; zones are not.
 *
 * Triangles and tetrahedra are coarse zones of one zone each: refinement (simplex/simplex.h) replaces them before the
 * mesh is made.
 */
#ifndef MESH_H
#define MESH_H

#include "mesh/comm/comm.h"

enum { MESH_MAX_DIM = 3, MESH_MAX_CORNERS = 8, MESH_FREE = 0 };

/* All zones of a mesh are of one shape.  One-dimensional zones are segments of MESH_TENSOR. */
typedef enum mesh_shape {
  MESH_TENSOR, /* segments, quads, hexes: products of segments */
  MESH_SIMPLEX /* triangles, tetrahedra */
} mesh_shape;

/* Corners of a zone in dim dimensions, or of a facet in dim + 1; and a zone's facets. */
static inline int mesh_shape_corners(mesh_shape shape, int dim)
{
  return shape == MESH_SIMPLEX ? dim + 1 : 1 << dim;
}

static inline int mesh_shape_facets(mesh_shape shape, int dim)
{
  return shape == MESH_SIMPLEX ? dim + 1 : 2 * dim;
}

/* Spacing of the nodes of a curved zone along a line: those of a lattice of order p are at i/p, or at the Gauss-Lobatto
 * points; on a simplex their barycentric coordinates are proportional to these. */
typedef enum mesh_line { MESH_EQUISPACED, MESH_GAUSS_LOBATTO } mesh_line;

/* Curved zones: polynomials on the zones of the file, the roots, of which coarse zones are parts. */
typedef struct mesh_curve {
  int order;
  mesh_line line;
  int nroots;
  double *nodes; /* owned, [nroots][mesh_nodes_in_zone][dim]: positions of the nodes */
  int *root;     /* owned, [nzones]; NULL for tensor zones, which are roots */
  double *place; /* owned, [nzones][corners][dim]: reference coordinates of the corners in the root; NULL likewise */
} mesh_curve;

/* Coarse zones, the same on every rank.  Corners of a tensor zone are lexicographic: corner i has bit 0 for the first
 * reference direction, bit 1 for the second, bit 2 for the third (not the order around the face of mesh files).  Corner
 * 0 of a simplex is the origin of its reference coordinates, corner i the end of direction i; which one is corner 0
 * matters to its singular values, and so to the time step. */
typedef struct mesh_coarse {
  int dim;
  mesh_shape shape;
  int nvertices, nzones, nfaces;
  double *vertices;  /* owned, [nvertices][dim] */
  int *zones;        /* owned, [nzones][corners]: vertex of each corner */
  int *faces;        /* owned, [nfaces][corners of a facet]: vertices of the boundary faces, lexicographic */
  int *attributes;   /* owned, [nfaces]: boundary attribute; c+1: no motion along axis c; MESH_FREE and others: free */
  mesh_curve *curve; /* owned; NULL: zones are straight */
  int nseams;
  int *seams; /* owned, [nseams][2][corners of a facet]: facets of the rim that are one facet of a periodic mesh, corner
                 by corner; no boundary faces.  Each side has vertices of its own. */
} mesh_coarse;

/* Makes a box, of any zones, periodic along these axes: its sides become seams.  Returns STATUS_OK, or STATUS_MACHINE
 * when memory is out. */
int mesh_coarse_close(mesh_coarse *coarse, const bool periodic[3]);

/* True where it is periodic along this axis: a side of some seam is shifted along it from the other. */
bool mesh_coarse_repeats(const mesh_coarse *coarse, int axis);

/* One coarse zone: the box from lower to upper.  attributes[2*axis + side] for the face below (0) and above (1). */
int mesh_coarse_box(mesh_coarse **coarse, int dim, const double *lower, const double *upper, const int *attributes);

/* Reads an MFEM mesh v1.0, v1.2 or v1.3 file or a Gmsh MSH 2.2/4.1 file (by its content), whose zones may be curved.
 * Only rank 0 reads; all ranks get the mesh, or the same message (of the same size). Returns STATUS_OK, or STATUS_INPUT
 * (STATUS_MACHINE when memory is out) with a sentence (file:line, what is wrong, what would be right) in
 * message[size]. */
int mesh_coarse_read(mesh_coarse **coarse, const char *path, char *message, size_t size);

/* The reader itself, on the bytes of a file: no MPI, no file; name is for the messages. */
int mesh_coarse_parse(mesh_coarse **coarse, const char *name, const char *text, size_t length, char *message,
                      size_t size);

void mesh_coarse_destroy(mesh_coarse **coarse);

typedef enum mesh_partition { MESH_BLOCK, MESH_HILBERT, MESH_RCB, MESH_METIS, MESH_AUTO } mesh_partition;

/* The zones of this rank.  Zones that touch a zone of another rank (share a vertex with it), or a seam, come first. */
typedef struct mesh {
  int dim;
  mesh_shape shape;
  int ncorners;                   /* of a zone */
  int subdivision[3];             /* zones per coarse zone and direction; 1 beyond dim */
  mesh_coarse *coarse;            /* owned */
  struct mesh_entities *entities; /* owned: coarse edges and faces, see topology.c */
  int64_t nzones_global;
  int nzones, nshared; /* zones of this rank; all that touch other ranks or a seam are among the first nshared */
  int64_t *zone_ids;   /* owned, [nzones]: (coarse zone * subdivision cell, first direction fastest) */
  double *corners;     /* owned, [nzones][ncorners][dim]: positions of the zone's corners */
} mesh;

/* Takes ownership of *coarse (and NULLs it).  subdivision[d] zones per coarse zone along direction d; they may differ
 * only if there is one coarse zone.  blocks: NULL, or ranks along each direction of a box (product = comm_size()), used
 * by MESH_BLOCK.  Ranks may be more than zones: some own none.  Returns STATUS_OK, or STATUS_MACHINE when memory is
 * out. */
int mesh_create(mesh **m, mesh_coarse **coarse, const int subdivision[3], mesh_partition how, const int *blocks);
void mesh_destroy(mesh **m);

/* Nodes of the lattice of order k on the whole mesh. */
int64_t mesh_nodes_global(const mesh *m, int k);

/* Nodes of the lattice of order k in a zone: (k+1)^dim, or (k+1)...(k+dim)/dim! of a simplex. */
int mesh_nodes_in_zone(mesh_shape shape, int dim, int k);

/* For every zone of this rank the global ids, in [0, mesh_nodes_global), of its lattice nodes, first direction fastest
 * (of a simplex those with i_1 + ... + i_dim <= k): ids has shape [nzones][nodes].  Two zones that share a node give it
 * the same id. */
void mesh_node_ids(const mesh *m, int k, int64_t *ids);

/* The same where nodes on both sides of a seam are one: it has the lower id of the two, or the lowest of more.  Without
 * seams these are mesh_node_ids. */
void mesh_joint_ids(const mesh *m, int k, int64_t *ids);

/* For the same nodes the boundary attributes they lie on: bit c is set if some boundary face with attribute c+1 holds
 * the node, c < 8.  bits has shape [nzones][nodes]. */
void mesh_node_attributes(const mesh *m, int k, unsigned char *bits);

/* Which part of a root a zone of this rank is, where m->coarse->curve is not NULL: the point xi of the zone is the
 * point origin + sum over d of xi_d step[d] of the root, whose nodes have shape [mesh_nodes_in_zone][dim]. */
typedef struct mesh_part {
  const double *nodes; /* view */
  double origin[MESH_MAX_DIM], step[MESH_MAX_DIM][MESH_MAX_DIM];
} mesh_part;

void mesh_zone_part(const mesh *m, int zone, mesh_part *part);

/* Asks for positive Jacobians at all corners.  Returns -1, or the first bad zone of this rank.  Collective. */
int mesh_first_inverted(const mesh *m);

#endif
