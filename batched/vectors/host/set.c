/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/rows.h"
#include "batched/vectors/vectors.h"

#define BODY "batched/vectors/host/set_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_set_args *a = args;
  return FOR_TYPE(a->a.type, ref, a);
}

const batched_variant batched_set_host[] = {
  {"host.ref", NULL, NULL, ref},
  {0},
};
