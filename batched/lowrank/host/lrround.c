/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/rows.h"
#include "batched/lowrank/compose.h"
#include "batched/lowrank/host/dense.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_lrround_args *r = args;
  return lowrank_ref(ctx, r->au, r->av, r->cu, r->cv, r->ranks, r->t, r->info);
}

const batched_variant batched_lrround_host[] = {
  {"host.composed", NULL, NULL, lowrank_compose_lrround},
  {"host.ref", NULL, batched_never, ref},
  {0},
};
