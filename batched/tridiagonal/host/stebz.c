/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/rows.h"
#include "batched/tridiagonal/tridiagonal.h"

#define BODY "batched/tridiagonal/host/stebz_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_stebz_args *g = args;
  return FOR_TYPE(g->d.type, stebz_ref, ctx, g);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_stebz_args *g = args;
  return FOR_TYPE(g->d.type, stebz_simd, ctx, g);
}

const batched_variant batched_stebz_host[] = {
  {"host.simd", NULL, NULL, simd},
  {"host.ref", NULL, NULL, ref},
  {0},
};
