/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/rows.h"
#include "batched/tridiagonal/tridiagonal.h"

#define BODY "batched/tridiagonal/host/bdsqr_ref.h"
#include "batched/host/each_type.h"

/* The type of the vectors, or of d where there are none. */
static batched_type type_of(const batched_bdsqr_args *g)
{
  const batched_matrix *all[] = {&g->vt, &g->u, &g->c};
  for (int i = 0; i < 3; i++)
    if (!batched_is_absent(all[i])) return all[i]->type;
  return g->d.type;
}

/* Below, the rotations of a sweep are too few to wait for others. */
static bool is_worth_sweeps(const void *args)
{
  const batched_bdsqr_args *g = args;
  return batched_vector_bound(&g->d) > 16;
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_bdsqr_args *g = args;
  return FOR_TYPE(type_of(g), bdsqr_simd, ctx, g);
}

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_bdsqr_args *g = args;
  return FOR_TYPE(type_of(g), bdsqr_ref, ctx, g);
}

const batched_variant batched_bdsqr_host[] = {
  {"host.simd", NULL, is_worth_sweeps, simd},
  {"host.ref", NULL, NULL, ref},
  {0},
};
