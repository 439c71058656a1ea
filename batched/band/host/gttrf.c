/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/host/band_rows.h"

#define BODY "batched/band/host/gttrf_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_gttrf_args *p = args;
  return FOR_TYPE(p->d.type, ref, p);
}

const batched_variant batched_gttrf_host[] = {
  {"host.ref", NULL, batched_never, ref},
  {0},
};
