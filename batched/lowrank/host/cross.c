/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "batched/host/rows.h"
#include "batched/lowrank/lowrank.h"

#define BODY "batched/lowrank/host/cross_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_cross_args *c = args;
  return FOR_TYPE(c->a.type, ref, c);
}

const batched_variant batched_cross_host[] = {
  {"host.ref", NULL, NULL, ref},
  {0},
};
