/* SPDX-License-Identifier: BSD-3-Clause */
#include "rows.h"

#define BODY "trsm_ref.h"
#include "each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_trsm_args *t = args;
  return FOR_TYPE(t->b.type, ref, t);
}

const batched_variant batched_trsm_host[] = {
  {"host.ref", NULL, batched_never, ref},
  {0},
};
