/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows host.composed and cuda.composed of gelsd: A = U diag(s) V^H (gesvd), and X = V diag(1 / s) U^H B over the values
 * that count, each by the row that suits it; between powers of two, as LAPACK has it, so that no norm of A or B
 * over- or underflows.
 */
#include "batched/eigen/steps.h"

typedef struct room {
  batched_sizes sizes;
  batched_matrix a, b, s, u, vt, c, x;
  int *exponent_a, *exponent_b; /* of the powers of two that a and b were divided by */
} room;

static room lay_out(batched_pile *pile, const batched_gelsd_args *g)
{
  const int k = g->a.m < g->a.n ? g->a.m : g->a.n;
  const int64_t count = g->a.count;
  room r = {.sizes = batched_pile_sizes(pile, &g->a)};
  r.exponent_a = batched_pile_take(pile, (size_t)count * sizeof(int));
  r.exponent_b = batched_pile_take(pile, (size_t)count * sizeof(int));
  r.a = batched_pile_matrices(pile, g->a.type, g->a.m, g->a.n, g->a.ms, g->a.ns, count);
  r.b = batched_pile_matrices(pile, g->b.type, g->a.m, g->b.n, g->a.ms, g->b.ns, count);
  r.s = batched_pile_vectors(pile, g->s.type, k, r.sizes.mins, count);
  r.u = batched_pile_matrices(pile, g->a.type, g->a.m, k, g->a.ms, r.sizes.mins, count);
  r.vt = batched_pile_matrices(pile, g->a.type, k, g->a.n, r.sizes.mins, g->a.ns, count);
  r.c = batched_pile_matrices(pile, g->a.type, k, g->b.n, r.sizes.mins, g->b.ns, count);
  r.x = batched_pile_matrices(pile, g->a.type, g->a.n, g->b.n, g->a.ns, g->b.ns, count);
  return r;
}

/* The first rows of B: as many as A has columns, however high B is. */
static batched_matrix solution_of(const batched_gelsd_args *g)
{
  batched_matrix x = g->b;
  x.m = g->a.n;
  return batched_with_sizes(x, g->a.ns, x.ns, x.lds);
}

static int solve(batched_ctx *ctx, const batched_gelsd_args *g, const room *r)
{
  const batched_eigen_steps *steps = batched_eigen_steps_of(ctx);
  const batched_scalar one = batched_real(1), zero = batched_real(0);
  int status = batched_gesvd(ctx, BATCHED_VECTORS, r->a, r->s, r->u, r->vt, g->info);
  if (!status) status = batched_gemm(ctx, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, one, r->u, r->b, zero, r->c);
  if (!status) status = steps->divide_by_values(ctx, g->rcond, &r->s, &r->c, g->rank);
  return status ? status : batched_gemm(ctx, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, one, r->vt, r->c, zero, r->x);
}

static int drive(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  const batched_gelsd_args *g = args;
  const batched_eigen_steps *steps = batched_eigen_steps_of(ctx);
  const room r = lay_out(pile, g);
  if (!pile->at) return BATCHED_SUCCESS;
  const batched_matrix x = solution_of(g);
  int status = r.sizes.mins ? steps->find_sizes(ctx, &g->a, &r.sizes) : BATCHED_SUCCESS;
  if (!status) status = steps->scale(ctx, &g->a, &r.a, r.exponent_a);
  if (!status) status = steps->scale(ctx, &g->b, &r.b, r.exponent_b);
  if (!status) status = solve(ctx, g, &r);
  if (!status) status = steps->scale_back(ctx, r.exponent_a, NULL, &r.s);
  if (!status) status = steps->scale_back(ctx, r.exponent_b, r.exponent_a, &r.x);
  if (!status) status = steps->store_values(ctx, g->info, &r.s, &g->s);
  return status ? status : steps->store(ctx, g->info, &r.x, &x);
}

int batched_gelsd_composed(batched_ctx *ctx, const void *args)
{
  return batched_run_in_parts(ctx, &batched_gelsd_op, drive, args);
}
