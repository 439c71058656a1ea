/* SPDX-License-Identifier: BSD-3-Clause */
#include "fem/fem.h"
#include "fem/tables.h"

static int run_ref(batched_ctx *ctx, const void *p)
{
  (void)ctx;
  const fem_constrain_args *args = p;
  fem_constrain_host(args->space, args->u);
  return BATCHED_SUCCESS;
}

const batched_variant fem_host_constrain[] = {
  {.name = "host.ref", .run = run_ref},
  {0},
};
