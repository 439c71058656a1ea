/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.tree of the reductions of a vector.
 */
#ifndef BATCHED_VECTORS_HOST_TREE_H
#define BATCHED_VECTORS_HOST_TREE_H

#include "batched/host/rows.h"
#include "batched/vectors/vectors.h"

int batched_dot_tree(batched_ctx *ctx, const void *args);
int batched_asum_tree(batched_ctx *ctx, const void *args);
int batched_nrm2_tree(batched_ctx *ctx, const void *args);
int batched_amax_tree(batched_ctx *ctx, const void *args);

#endif
