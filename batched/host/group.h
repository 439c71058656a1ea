/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups of matrices of one shape, for the rows that put a matrix into each SIMD lane.  A variable-size batch is taken
 * in the order of its shapes, so that the lanes of a group do the same work, and a matrix gets the same bits whoever
 * its neighbours are.
 */
#ifndef BATCHED_HOST_GROUP_H
#define BATCHED_HOST_GROUP_H

#include "batched/host/rows.h"

enum { BATCHED_MAX_LANES = 16 };

typedef struct batched_groups {
  const batched_matrix *shape; /* borrowed */
  int64_t *order;              /* scratch; NULL: the batch's own order */
  int lanes;
  bool fetch; /* the next group's matrices meanwhile */
  int64_t next;
} batched_groups;

typedef struct batched_group {
  int m, n, active;                 /* shape; number of lanes in use */
  int64_t index[BATCHED_MAX_LANES]; /* lane -> matrix; idle lanes repeat the first */
  int64_t ahead;                    /* from each index to that of the group to fetch; 0: there is none */
} batched_group;

/* Shapes are those of `shape`, which must outlive the groups.  Takes scratch memory for variable sizes. */
int batched_groups_begin(batched_ctx *ctx, batched_groups *groups, const batched_matrix *shape, int lanes);
bool batched_groups_next(batched_groups *groups, batched_group *group);
void batched_groups_end(batched_ctx *ctx, batched_groups *groups);

#endif
