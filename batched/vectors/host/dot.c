/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/vectors/host/reductions/tree.h"
#include "batched/vectors/host/vendor.h"

#define BODY "batched/vectors/host/dot_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_dot_args *a = args;
  return FOR_TYPE(a->x.type, ref, a);
}

static bool likes_tree(const void *args)
{
  return batched_is_long_for_tree(&((const batched_dot_args *)args)->x);
}

const batched_variant batched_dot_host[] = {
  {"host.tree", NULL, likes_tree, batched_dot_tree},
  VENDOR_ROW("vendor.blas", batched_never, dot){"host.ref", NULL, NULL, ref},
  {0},
};
