/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/rows.h"
#include "batched/tridiagonal/tridiagonal.h"

#define BODY "batched/tridiagonal/host/bdsdc_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_bdsdc_args *g = args;
  return FOR_TYPE(batched_bdsdc_type(g), bdsdc_ref, ctx, g);
}

const batched_variant batched_bdsdc_host[] = {
  {"host.ref", NULL, NULL, ref},
  {0},
};
