/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/vectors/host/reductions/tree.h"

#define BODY "batched/vectors/host/reductions/tree_body.h"
#include "batched/host/each_type.h"

#define ROW(op) \
  int batched_##op##_tree(batched_ctx *ctx, const void *args) \
  { \
    (void)ctx; \
    const batched_##op##_args *a = args; \
    return FOR_TYPE(a->x.type, op, a); \
  }
ROW(dot)
ROW(asum)
ROW(nrm2)
ROW(amax)
