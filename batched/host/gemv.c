/* SPDX-License-Identifier: BSD-3-Clause */
#include "rows.h"

#define BODY "gemv_ref.h"
#include "each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_gemv_args *g = args;
  return FOR_TYPE(g->y.type, ref, g);
}

const batched_variant batched_gemv_host[] = {
  {"host.ref", NULL, batched_never, ref},
  {0},
};
