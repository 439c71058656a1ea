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

const batched_variant batched_dot_host[] = {
  {"host.tree", NULL, NULL, batched_dot_tree},
  VENDOR_ROW("vendor.blas", batched_never, dot){"host.ref", NULL, batched_never, ref},
  {0},
};
