/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Patches: neighbouring zones that a kernel does together, so that most sums over zones at a node stay inside it.
 */
#ifndef FEM_PATCHES_H
#define FEM_PATCHES_H

#include "fem/fem.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FEM_CHUNK = 32 }; /* a warp's worth of nodes */

/* A node of a zone is a place i * stride + z, i its number in the zone and z the zone's in the patch.  Nodes are
 * sorted for warps to work through: those with as many places stand together, neighbours in a zone's numbers after
 * each other.  Patches whose zones hang together in the same way share one numbering, so that its tables stay in a
 * cache. */
typedef struct fem_patches {
  int size, stride; /* zones of a patch, at most; stride > size */
  int npatches;
  int nfirst;            /* patches of the zones below fem_first_zones: they come first, and have no others */
  int most_nodes;        /* of a patch */
  int *zone;             /* owned, as all below; [npatches][size], -1 where there is none */
  int *node_start;       /* [npatches + 1] */
  int *node;             /* [node_start[npatches]]: dofs; first those with all their zones in the patch */
  int *ninner;           /* [npatches]: how many of these there are; the others are sums in part: slots */
  int *slot_start;       /* [npatches + 1]: slots, in the order of patches and nodes */
  int *numbering;        /* [npatches]: below nnumberings */
  int nnumberings;       /* different ones */
  uint16_t *local;       /* [nnumberings][nd][stride]: the node of the patch; 0 where there is no zone */
  int nchunks;           /* of FEM_CHUNK nodes of a patch, at most */
  int most_rows;         /* of the places of a numbering */
  uint16_t *chunk_start; /* [nnumberings][nchunks + 1]: rows */
  /* [nnumberings][most_rows][FEM_CHUNK]: a column has the places of a node, by ascending zones, and at its end, as
   * often as need be, `size`, which is no zone's */
  uint16_t *place;
} fem_patches;

/* Patches of at most `size` zones with at most `nodes` nodes, if a zone alone has no more; grown from the first zone
 * left, by the neighbours with the most contact.  nd * stride is at most 65535.  Returns 0 or BATCHED_NO_MEMORY. */
int fem_patches_create(fem_patches **patches, const fem_space *s, int size, int stride, int nodes);
void fem_patches_destroy(fem_patches **patches);

#ifdef __cplusplus
}
#endif

#endif
