/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Zone blocks: neighbouring zones that one thread block does together, so that most sums over the zones of a node are
 * made in shared memory.
 */
#ifndef FEM_ZONE_BLOCKS_H
#define FEM_ZONE_BLOCKS_H

#include "fem/fem.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FEM_CHUNK = 32 }; /* a warp's worth of nodes */

/* Node i of zone z of a zone block is at place i * stride + z.  Nodes are sorted for warps: by how many places they
 * have, so that the lanes of a warp sum equally many, then by their number in the zone.  Zone blocks of the same
 * connectivity share one numbering, whose tables then stay in the cache. */
typedef struct fem_zone_blocks {
  int size, stride; /* zones of a zone block, at most; stride > size */
  int nzone_blocks;
  int nfirst;            /* zone blocks of the first zones, which come first */
  int most_nodes;        /* of a zone block */
  int *zone;             /* owned, as all below; [nzone_blocks][size], -1 where there is none */
  int *node_start;       /* [nzone_blocks + 1] */
  int *node;             /* [node_start[nzone_blocks]]: dofs; first those with all their zones in the zone block */
  int *ninner;           /* [nzone_blocks]: how many of these there are; the others are sums in part: slots */
  int *slot_start;       /* [nzone_blocks + 1]: slots, in the order of zone blocks and nodes */
  int *numbering;        /* [nzone_blocks]: below nnumberings */
  int nnumberings;       /* different ones */
  uint16_t *local;       /* [nnumberings][nd][stride]: the node of the zone block; 0 where there is no zone */
  int nchunks;           /* of FEM_CHUNK nodes of a zone block, at most */
  int most_rows;         /* of the places of a numbering */
  uint16_t *chunk_start; /* [nnumberings][nchunks + 1]: rows */
  /* [nnumberings][most_rows][FEM_CHUNK]: column = node: its places, by ascending zones, padded with `size`, which is
   * no zone's */
  uint16_t *place;
} fem_zone_blocks;

/* Zone blocks of at most `size` zones with at most `nodes` nodes, if a zone alone has no more; each grows
 * from the first zone left by the neighbour that adds the fewest nodes.  Zones below `first` and the others do not mix.
 * nd * stride is at most 65535.  Returns 0 or BATCHED_NO_MEMORY. */
int fem_zone_blocks_create(fem_zone_blocks **zone_blocks, const fem_space *s, int first, int size, int stride,
                           int nodes);
void fem_zone_blocks_destroy(fem_zone_blocks **zone_blocks);

#ifdef __cplusplus
}
#endif

#endif
