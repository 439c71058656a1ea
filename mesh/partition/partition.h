/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which zones are whose.  Pure functions of the mesh: every rank can ask for the share of any other.
 */
#ifndef MESH_PARTITION_H
#define MESH_PARTITION_H

#include "mesh/mesh.h"

/* The zones of one of nranks parts, in the order in which that rank is to hold them. */
typedef struct mesh_share {
  int64_t nzones;
  int64_t *zone_ids; /* owned */
} mesh_share;

/* Zones of the box or coarse zone, and of the mesh. */
int64_t mesh_cells(const int subdivision[3]);

/* The first of n items of part `rank`, of nranks nearly equal parts. */
static inline int64_t mesh_piece(int64_t n, int nranks, int rank)
{
  return n / nranks * rank + n % nranks * rank / nranks;
}

/* Ranks along each direction of a box: the product is nranks, the largest block smallest, then its surface. */
void mesh_block_grid(const int subdivision[3], int nranks, int blocks[3]);

/* All return STATUS_OK, or STATUS_MACHINE when memory is out.  share->zone_ids is then NULL. */

/* One block of a box, a product of intervals. */
int mesh_partition_block(mesh_share *share, const int subdivision[3], const int blocks[3], int rank);
/* Equal pieces of a space-filling curve through all zones. */
int mesh_partition_hilbert(mesh_share *share, const mesh_coarse *c, const int subdivision[3], int nranks, int rank);
/* Recursive coordinate bisection of the centroids. */
int mesh_partition_rcb(mesh_share *share, const mesh_coarse *c, const int subdivision[3], int nranks, int rank);
/* METIS on the graph of the coarse zones, whole coarse zones to each part.  Returns -1 if METIS is not built in or the
 * coarse zones are too few for parts within a tenth of each other. */
int mesh_partition_metis(mesh_share *share, const mesh_coarse *c, const int subdivision[3], int nranks, int rank);

/* By the name of the method; blocks as in mesh_create.  MESH_BLOCK of more than one coarse zone, and MESH_METIS where
 * that can't be done, are MESH_RCB. */
int mesh_partition_zones(mesh_share *share, const mesh_coarse *c, const int subdivision[3], mesh_partition how,
                         const int *blocks, int nranks, int rank);

#endif
