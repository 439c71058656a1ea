/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows host.blocked_jacobi and cuda.blocked_jacobi of gesvd: X = A, or A^H where A is wide; X P = Q R with its rows in
 * descending order (geqp3), and R^H = U1 diag(s) V^H by one-sided Jacobi on pairs of blocks of columns, so that Q V
 * (unmqr) and P U1 are the vectors of X.
 *
 * Small values have small relative errors where X = D1 B D2 with diagonal D1, D2 and a well conditioned B: QR with both
 * pivotings keeps each row's and column's scale (Cox and Higham, "Stability of Householder QR factorization for
 * weighted least squares problems", 1998), Jacobi that of columns (Drmac and Veselic, "New fast and accurate Jacobi SVD
 * algorithm", 2008).  As many sweeps are enqueued as are ever needed; a matrix that has converged passes over the rest.
 */
#include "batched/eigen/jacobi_steps.h"
#include "batched/eigen/steps.h"

/* Matrices of order 129 take at most 10. */
enum { MOST_SWEEPS = 20 };

/* Each row's place is found by comparing it with all others. */
enum { MOST_ROWS = 8192 };

static batched_jacobi_room lay_out(batched_pile *pile, const batched_gesvd_args *g)
{
  const batched_type type = g->a.type;
  const int k = g->a.m < g->a.n ? g->a.m : g->a.n;
  const bool variable = g->a.ms || g->a.ns;
  /* The bound of either side may be that of the long ones. */
  const int rows = g->a.m < g->a.n ? g->a.n : g->a.m;
  const int64_t count = g->a.count;
  const size_t each = (size_t)count * sizeof(int), of_rows = (size_t)count * (size_t)rows;
  batched_jacobi_room r = {0};
  if (variable) {
    r.rows = batched_pile_take(pile, each);
    r.mins = batched_pile_take(pile, each);
  }
  r.moved = batched_pile_take(pile, each);
  r.done = batched_pile_take(pile, each);
  r.largest = batched_pile_take(pile, (size_t)count * sizeof(double));
  r.sizes = batched_pile_take(pile, of_rows * sizeof(double));
  r.order = batched_pile_take(pile, of_rows * sizeof(int));
  r.place = batched_pile_take(pile, of_rows * sizeof(int));
  r.jpvt = batched_pile_take(pile, (size_t)count * (size_t)k * sizeof(int));
  r.x = batched_pile_matrices(pile, type, rows, k, r.rows, r.mins, count);
  r.tau = batched_pile_vectors(pile, type, k, r.mins, count);
  r.l = batched_pile_matrices(pile, type, k, k, r.mins, r.mins, count);
  if (g->job != BATCHED_VECTORS) return r;
  r.v = batched_pile_matrices(pile, type, k, k, r.mins, r.mins, count);
  r.y = batched_pile_matrices(pile, type, rows, k, r.rows, r.mins, count);
  return r;
}

static int sweep(batched_ctx *ctx, const batched_jacobi_room *r)
{
  const batched_jacobi_steps *steps = batched_jacobi_steps_of(ctx);
  const int blocks = (r->l.n + BATCHED_JACOBI_BLOCK - 1) / BATCHED_JACOBI_BLOCK, rounds = blocks + blocks % 2 - 1;
  int status = BATCHED_SUCCESS;
  for (int round = 0; !status && round < rounds; round++) status = steps->rotate(ctx, r, round);
  return status ? status : steps->close(ctx, r);
}

static int drive(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  const batched_gesvd_args *g = args;
  const batched_jacobi_steps *steps = batched_jacobi_steps_of(ctx);
  const batched_jacobi_room r = lay_out(pile, g);
  if (!pile->at) return BATCHED_SUCCESS;
  int status = steps->load(ctx, g, &r);
  if (!status) status = batched_geqp3(ctx, r.x, r.jpvt, r.tau);
  if (!status) status = steps->begin(ctx, &r);
  for (int i = 0; !status && i < MOST_SWEEPS; i++) status = sweep(ctx, &r);
  if (!status) status = steps->finish(ctx, g, &r);
  if (!status && g->job == BATCHED_VECTORS)
    status = batched_unmqr(ctx, BATCHED_LEFT, BATCHED_NO_TRANS, r.x, r.tau, r.y);
  return status ? status : steps->put(ctx, g, &r);
}

bool batched_gesvd_fits_blocked_jacobi(const batched_gesvd_args *g)
{
  return g->a.m <= MOST_ROWS && g->a.n <= MOST_ROWS;
}

int batched_gesvd_blocked_jacobi(batched_ctx *ctx, const void *args)
{
  return batched_run_in_parts(ctx, &batched_gesvd_op, drive, args);
}
