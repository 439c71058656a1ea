/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/rows.h"
#include "batched/tridiagonal/tridiagonal.h"

#define BODY "batched/tridiagonal/host/stein_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_stein_args *g = args;
  return FOR_TYPE(g->z.type, stein_ref, ctx, g);
}

const batched_variant batched_stein_host[] = {
  {"host.ref", NULL, NULL, ref},
  {0},
};
