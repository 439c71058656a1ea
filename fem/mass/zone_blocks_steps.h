/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How zone blocks are made, step by step; the last step, the places, is in zone_blocks.c.
 */
#ifndef FEM_ZONE_BLOCKS_STEPS_H
#define FEM_ZONE_BLOCKS_STEPS_H

#include "fem/mass/zone_blocks.h"

/* n zeros of some size; NULL only when memory is out. */
void *fem_zone_blocks_allocate(size_t n, size_t size);

/* zone_blocks_grow.c: zone, nzone_blocks and nfirst, from size and the most `nodes` of a zone block.  False: memory is
 * out. */
bool fem_zone_blocks_grow(fem_zone_blocks *p, const fem_space *s, int first, int nodes);

/* zone_blocks_number.c: node_start, node, ninner, slot_start, most_nodes, numbering, nnumberings and local.  False
 * likewise. */
bool fem_zone_blocks_number(fem_zone_blocks *p, const fem_space *s);

#endif
