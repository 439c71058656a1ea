/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Patches: neighbouring zones that a kernel does together, so that most sums over zones at a node stay inside it.
 */
#ifndef FEM_PATCHES_H
#define FEM_PATCHES_H

#include "fem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A node of a zone is a place i * stride + z, i its number in the zone and z the zone's in the patch.  Patches whose zones hang
 * together in the same way share one numbering, so that its tables stay in a cache. */
typedef struct fem_patches {
  int size, stride; /* zones of a patch, at most; stride >= size */
  int npatches;
  int nfirst;            /* patches of the zones below fem_first_zones: they come first, and have no others */
  int most_nodes;        /* of a patch */
  int *zone;             /* owned, as all below; [npatches][size], -1 where there is none */
  int *node_start;       /* [npatches + 1] */
  int *node;             /* [node_start[npatches]]: dofs, ascending; first those with all their zones in the patch */
  int *ninner;           /* [npatches]: how many of these there are; the others are sums in part: slots */
  int *slot_start;       /* [npatches + 1]: slots, in the order of patches and nodes */
  int *numbering;        /* [npatches]: below nnumberings */
  int nnumberings;       /* different ones */
  uint16_t *local;       /* [nnumberings][nd][stride]: the node of the patch; 0 where there is no zone */
  uint16_t *place_start; /* [nnumberings][most_nodes + 1] */
  uint16_t *place;       /* [nnumberings][nd * size]: the places of each node, by ascending zones */
} fem_patches;

/* Patches of at most `size` zones with at most `nodes` nodes, if a zone alone has no more; grown from the first zone left, by the
 * neighbours with the most contact.  nd * stride is at most 65535.  Returns 0 or BATCHED_NO_MEMORY. */
int fem_patches_create(fem_patches **patches, const fem_space *s, int size, int stride, int nodes);
void fem_patches_destroy(fem_patches **patches);

#ifdef __cplusplus
}
#endif

#endif
