/* SPDX-License-Identifier: BSD-3-Clause */
#include "rows.h"

#define BODY "potrf_ref.h"
#include "each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_potrf_args *p = args;
  return FOR_TYPE(p->a.type, ref, p);
}

const batched_variant batched_potrf_host[] = {
  {"host.ref", NULL, batched_never, ref},
  {0},
};
