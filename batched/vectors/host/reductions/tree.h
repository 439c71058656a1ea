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

/* True where vectors of the bound's length fill 64 bytes.  Shorter ones are read by masks, which the processor does not
 * prefetch: 8 to 16 ns each in a long batch, where a loop takes 4 to 5. */
static inline bool batched_is_long_for_tree(const batched_matrix *x)
{
  return (int64_t)batched_max(x->m, x->n) * (int64_t)batched_element_bytes(x->type) >= 64;
}

#endif
