/* SPDX-License-Identifier: BSD-3-Clause */
#include "rows.h"

#define BODY "heev_ref.h"
#include "each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_heev_args *h = args;
  return FOR_TYPE(h->a.type, ref, ctx, h);
}

const batched_variant batched_heev_host[] = {
  {"host.ref", NULL, batched_never, ref},
  {0},
};
