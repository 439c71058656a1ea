/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/vectors/host/reductions/tree.h"
#include "batched/vectors/host/vendor.h"

#define BODY "batched/vectors/host/asum_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_asum_args *a = args;
  return FOR_TYPE(a->x.type, ref, a);
}

static bool likes_tree(const void *args)
{
  return batched_is_long_for_tree(&((const batched_asum_args *)args)->x);
}

const batched_variant batched_asum_host[] = {
  {"host.tree", NULL, likes_tree, batched_asum_tree},
  VENDOR_ROW("vendor.blas", batched_never, asum){"host.ref", NULL, NULL, ref},
  {0},
};
