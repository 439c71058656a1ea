/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/rows.h"
#include "batched/lowrank/lowrank.h"
#include "batched/lowrank/random_bits.h"

#define BODY "batched/lowrank/host/random_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_random_args *r = args;
  return FOR_TYPE(r->a.type, ref, r);
}

const batched_variant batched_random_host[] = {
  {"host.ref", NULL, NULL, ref},
  {0},
};
