/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/host/band_rows.h"

#define BODY "batched/band/host/gbmv_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_gbmv_args *p = args;
  return FOR_TYPE(p->y.type, ref, p);
}

const batched_variant batched_gbmv_host[] = {
  {"host.ref", NULL, batched_never, ref},
  {0},
};
