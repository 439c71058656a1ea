/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/rows.h"
#include "batched/lowrank/lowrank.h"

#define BODY "batched/lowrank/host/truncate_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_truncate_args *t = args;
  return FOR_TYPE(t->vt.type, ref, t);
}

const batched_variant batched_truncate_host[] = {
  {"host.ref", NULL, NULL, ref},
  {0},
};
