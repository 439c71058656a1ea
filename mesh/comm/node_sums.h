/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums, least and largest of few numbers over few ranks of one machine, through memory that they share.  For comm.c
 * alone.
 */
#ifndef MESH_NODE_SUMS_H
#define MESH_NODE_SUMS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct node_sums node_sums;

enum { NODE_SUMS_MOST = 12, NODE_SUMS_RANKS = 32 };

/* Collective.  *sums is NULL, on all ranks, where there are more than NODE_SUMS_RANKS, or they share no memory. */
void node_sums_create(node_sums **sums);
void node_sums_destroy(node_sums **sums);

typedef enum node_operation { NODE_SUM, NODE_LEAST, NODE_LARGEST } node_operation;

/* Gives the others x [n], n <= NODE_SUMS_MOST; nobody waits. */
void node_sums_post(node_sums *sums, const double *x, int n);
/* What was posted last by all ranks, in their order, as one.  Between the two there is no other sum of `sums`. */
void node_sums_take(node_sums *sums, node_operation operation, double *x, int n);

#ifdef __cplusplus
}
#endif

#endif
