/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums over few ranks of one machine through memory that they share.  For comm.c alone.
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

/* x [n], n <= NODE_SUMS_MOST, becomes its sum over the ranks, in their order.  Collective. */
void node_sums_add(node_sums *sums, double *x, int n);

#ifdef __cplusplus
}
#endif

#endif
