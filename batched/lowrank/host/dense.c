/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/lowrank/host/dense.h"

#include "batched/eigen/eigen.h"
#include "batched/host/rows.h"

#define BODY "batched/lowrank/host/dense_ref.h"
#include "batched/host/each_type.h"

int lowrank_ref_store(batched_ctx *ctx, void *x, int m, int n, batched_matrix cu, batched_matrix cv, int64_t b,
                      int *ranks, batched_truncation t, int *info)
{
  return FOR_TYPE(cu.type, store, ctx, x, m, n, cu, cv, b, ranks, t, info);
}

int lowrank_ref(batched_ctx *ctx, batched_matrix u, batched_matrix v, batched_matrix cu, batched_matrix cv, int *ranks,
                batched_truncation t, int *info)
{
  return FOR_TYPE(cu.type, ref, ctx, u, v, cu, cv, ranks, t, info);
}
