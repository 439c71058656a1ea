/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/host/band_rows.h"

#define BODY "batched/band/host/gttrs_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_gttrs_args *p = args;
  return FOR_TYPE(p->b.type, ref, p);
}

const batched_variant batched_gttrs_host[] = {
  {"host.ref", NULL, batched_never, ref},
  {0},
};
