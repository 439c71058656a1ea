/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/rows.h"
#include "batched/tridiagonal/tridiagonal.h"

#define BODY "batched/tridiagonal/host/steqr_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_steqr_args *g = args;
  return FOR_TYPE(g->job == BATCHED_VALUES ? g->d.type : g->z.type, steqr_ref, ctx, g);
}

const batched_variant batched_steqr_host[] = {
  {"host.ref", NULL, NULL, ref},
  {0},
};
