/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A rank's part of a checkpoint: what checkpoint.c, which writes it, and checkpoint_read.c share.
 */
#ifndef APP_CHECKPOINT_PART_H
#define APP_CHECKPOINT_PART_H

#include "app/checkpoint/checkpoint.h"

enum { CHECKPOINT_FORMAT = 4, CHECKPOINT_CLOCK = 5, CHECKPOINT_COUNTERS = 13, CHECKPOINT_MESSAGE = 1024 };

/* Columns of /run/parts. */
enum { CHECKPOINT_NODES, CHECKPOINT_ZONES, CHECKPOINT_STEP, CHECKPOINT_RUN, CHECKPOINT_COLUMNS };

/* Rows of this rank, of the ranks before it, and of all. */
typedef struct checkpoint_extent {
  int64_t mine, first, all;
} checkpoint_extent;

typedef struct checkpoint_part {
  checkpoint_extent nodes, zones;
  int64_t *node, *zone; // owned, [nodes.mine], [zones.mine]: numbers in the whole mesh
  double *rows;         // owned, [nodes.mine][dim]
} checkpoint_part;

/* Collective.  Returns whether there was memory for this rank; destroy in any case. */
bool checkpoint_part_create(const hydro *h, checkpoint_part *p);
void checkpoint_part_destroy(checkpoint_part *p);

#endif
