/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The definition of this family's results, in plain loops: dense matrices, and their SVD by gesvd's host.ref.
 */
#ifndef BATCHED_LOWRANK_HOST_DENSE_H
#define BATCHED_LOWRANK_HOST_DENSE_H

#include "batched/lowrank/compose.h"

/* C = U V^H, or U where there is no v, truncated. */
int lowrank_ref(batched_ctx *ctx, batched_matrix u, batched_matrix v, batched_matrix cu, batched_matrix cv, int *ranks,
                batched_truncation t, int *info);
/* Matrix b of cu, cv = the truncated m x n matrix x (ld m, overwritten). */
int lowrank_ref_store(batched_ctx *ctx, void *x, int m, int n, batched_matrix cu, batched_matrix cv, int64_t b,
                      int *ranks, batched_truncation t, int *info);

#endif
