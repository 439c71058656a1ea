/* SPDX-License-Identifier: BSD-3-Clause */
#include "rows.h"

#define BODY "gesvd_ref.h"
#include "each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_gesvd_args *g = args;
  return FOR_TYPE(g->a.type, ref, ctx, g);
}

const batched_variant batched_gesvd_host[] = {
  {"host.ref", NULL, batched_never, ref},
  {0},
};
