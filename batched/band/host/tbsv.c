/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/host/band_rows.h"

#define BODY "batched/band/host/tbsv_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_tbsv_args *p = args;
  return FOR_TYPE(p->x.type, ref, p);
}

const batched_variant batched_tbsv_host[] = {
  {"host.ref", NULL, batched_never, ref},
  {0},
};
