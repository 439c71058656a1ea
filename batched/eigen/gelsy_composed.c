/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows host.composed and cuda.composed of gelsy: A P = Q R (geqp3), of which the first `rank` rows count; these are
 * (Q' R')^H (geqrf), and X = P Q' (R'^-H Q^H B; 0) (unmqr, trsm, unmqr), each by the row that suits it; between powers
 * of two, as LAPACK has it, so that no norm of A or B over- or underflows.
 */
#include "batched/eigen/steps.h"

typedef struct room {
  batched_sizes sizes;
  batched_matrix f, tau, y, tau2, c, x;
  int *jpvt, *rank, *bad;       /* bad[b] > 0: A has a NaN or an infinity */
  int *exponent_a, *exponent_b; /* of the powers of two that A and B were divided by */
} room;

static room lay_out(batched_pile *pile, const batched_gelsy_args *g)
{
  const int m = g->a.m, n = g->a.n, k = m < n ? m : n, nrhs = g->b.n;
  const int64_t count = g->a.count;
  room r = {.sizes = batched_pile_sizes(pile, &g->a)};
  r.rank = batched_pile_take(pile, (size_t)count * sizeof(int));
  r.bad = batched_pile_take(pile, (size_t)count * sizeof(int));
  r.exponent_a = batched_pile_take(pile, (size_t)count * sizeof(int));
  r.exponent_b = batched_pile_take(pile, (size_t)count * sizeof(int));
  r.jpvt = batched_pile_take(pile, (size_t)count * (size_t)n * sizeof(int));
  r.f = batched_pile_matrices(pile, g->a.type, m, n, g->a.ms, g->a.ns, count);
  r.tau = batched_pile_vectors(pile, g->a.type, k, r.sizes.mins, count);
  r.y = batched_pile_matrices(pile, g->a.type, n, k, g->a.ns, r.rank, count);
  r.tau2 = batched_pile_vectors(pile, g->a.type, k, r.rank, count);
  r.c = batched_pile_matrices(pile, g->a.type, m, nrhs, g->a.ms, g->b.ns, count);
  r.x = batched_pile_matrices(pile, g->a.type, n, nrhs, g->a.ns, g->b.ns, count);
  return r;
}

/* The first rows of x: `each` of a batch whose bound is m. */
static batched_matrix top_rows(batched_matrix x, int m, const int *each)
{
  x.m = m;
  return batched_with_sizes(x, each, x.ns, x.lds);
}

/* The reflectors of A P. */
static batched_matrix reflectors(const room *r)
{
  batched_matrix f = r->f;
  f.n = r->y.n;
  return batched_with_sizes(f, f.ms, r->sizes.mins, f.lds);
}

static int factor(batched_ctx *ctx, const batched_gelsy_args *g, const room *r)
{
  const batched_eigen_steps *steps = batched_eigen_steps_of(ctx);
  int status = steps->scale(ctx, &g->a, &r->f, r->exponent_a);
  if (!status) status = batched_geqp3(ctx, r->f, r->jpvt, r->tau);
  if (!status) status = steps->take_trapezoid(ctx, g->rcond, &r->f, &r->y, r->rank, r->bad);
  return status ? status : batched_geqrf(ctx, r->y, r->tau2);
}

/* With at least a row and a column. */
static int solve(batched_ctx *ctx, const batched_gelsy_args *g, const room *r)
{
  const batched_eigen_steps *steps = batched_eigen_steps_of(ctx);
  const int k = r->y.n;
  const batched_matrix triangle = top_rows(r->y, k, r->rank);
  int status = steps->scale(ctx, &g->b, &r->c, r->exponent_b);
  if (!status) status = batched_unmqr(ctx, BATCHED_LEFT, BATCHED_CONJ_TRANS, reflectors(r), r->tau, r->c);
  if (!status) status = steps->take_rows_to(ctx, &r->c, k, r->rank, &r->x);
  if (!status)
    status = batched_trsm(ctx, BATCHED_LEFT, BATCHED_UPPER, BATCHED_CONJ_TRANS, BATCHED_NON_UNIT, batched_real(1),
                          triangle, top_rows(r->x, k, r->rank));
  return status ? status : batched_unmqr(ctx, BATCHED_LEFT, BATCHED_NO_TRANS, r->y, r->tau2, r->x);
}

static int drive(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  const batched_gelsy_args *g = args;
  const batched_eigen_steps *steps = batched_eigen_steps_of(ctx);
  const room r = lay_out(pile, g);
  if (!pile->at) return BATCHED_SUCCESS;
  int status = r.sizes.mins ? steps->find_sizes(ctx, &g->a, &r.sizes) : BATCHED_SUCCESS;
  if (!status) status = factor(ctx, g, &r);
  if (!status) status = solve(ctx, g, &r);
  if (!status) status = batched_copy_within(ctx, g->rank, r.rank, (size_t)g->a.count * sizeof(int));
  if (!status) status = steps->scale_back(ctx, r.exponent_b, r.exponent_a, &r.x);
  if (!status) status = steps->store(ctx, r.bad, &r.x, &r.x);
  return status ? status : steps->put_rows(ctx, &r.x, r.jpvt, &g->b);
}

int batched_gelsy_composed(batched_ctx *ctx, const void *args)
{
  return batched_run_in_parts(ctx, &batched_gelsy_op, drive, args);
}
