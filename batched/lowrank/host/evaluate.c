/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/rows.h"
#include "batched/lowrank/kernels.h"
#include "batched/lowrank/lowrank.h"

#define BODY "batched/lowrank/host/evaluate_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_evaluate_args *e = args;
  return FOR_TYPE(e->a.type, ref, e);
}

const batched_variant batched_evaluate_host[] = {
  {"host.ref", NULL, NULL, ref},
  {0},
};
