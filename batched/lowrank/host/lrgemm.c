/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/rows.h"
#include "batched/lowrank/compose.h"
#include "batched/lowrank/host/dense.h"

#define BODY "batched/lowrank/host/lrgemm_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_lrgemm_args *g = args;
  return FOR_TYPE(g->cu.type, ref, ctx, g);
}

const batched_variant batched_lrgemm_host[] = {
  {"host.composed", NULL, NULL, lowrank_compose_lrgemm},
  {"host.ref", NULL, batched_never, ref},
  {0},
};
