/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows host.composed and cuda.composed of gesvdx: gesvd, by the row that suits it, and of its values and vectors those
 * in the range.
 */
#include "batched/eigen/steps.h"

typedef struct room {
  batched_sizes sizes;
  batched_matrix s, u, vt;
  int *first, *few;
} room;

static room lay_out(batched_pile *pile, const batched_gesvdx_args *g)
{
  const int k = g->a.m < g->a.n ? g->a.m : g->a.n;
  const int64_t count = g->a.count;
  room r = {.sizes = batched_pile_sizes(pile, &g->a)};
  r.s = batched_pile_vectors(pile, g->s.type, k, r.sizes.mins, count);
  if (g->job == BATCHED_VECTORS) {
    r.u = batched_pile_matrices(pile, g->a.type, g->a.m, k, g->a.ms, r.sizes.mins, count);
    r.vt = batched_pile_matrices(pile, g->a.type, k, g->a.n, r.sizes.mins, g->a.ns, count);
  }
  r.first = batched_pile_take(pile, (size_t)count * sizeof(int));
  r.few = batched_pile_take(pile, (size_t)count * sizeof(int));
  return r;
}

static int drive(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  const batched_gesvdx_args *g = args;
  const batched_eigen_steps *steps = batched_eigen_steps_of(ctx);
  const room r = lay_out(pile, g);
  const bool vectors = g->job == BATCHED_VECTORS;
  if (!pile->at) return BATCHED_SUCCESS;
  int status = r.sizes.mins ? steps->find_sizes(ctx, &g->a, &r.sizes) : BATCHED_SUCCESS;
  if (!status)
    status = batched_gesvd(ctx, g->is_signed ? BATCHED_SIGNED_VECTORS : g->job, g->a, r.s, r.u, r.vt, g->info);
  if (!status) status = steps->choose(ctx, g, &r.s, r.first, r.few);
  if (!status && vectors) status = steps->take_columns(ctx, r.first, r.few, &r.u, &g->u);
  return !status && vectors ? steps->take_rows(ctx, r.first, r.few, &r.vt, &g->vt) : status;
}

int batched_gesvdx_composed(batched_ctx *ctx, const void *args)
{
  return batched_run_in_parts(ctx, &batched_gesvdx_op, drive, args);
}
