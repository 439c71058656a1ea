/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows host.composed_qr and cuda.composed_qr of gesvd, for matrices with one side longer than the other.  X = A, or A^H
 * where the batch is wide, X = Q R (geqrf), R = W diag(s) V^H (gesvd, by the row that suits R), and Q W (unmqr): U and
 * V^H of X.  Of a matrix of the batch that is wider than it is high, R is a trapezoid.
 */
#include "batched/eigen/eigen.h"
#include "batched/eigen/steps.h"
#include "batched/tuning/choice.h"

typedef struct room {
  batched_sizes sizes;
  batched_matrix x, tau, r, w, vt, qw; /* vt, qw: of a wide batch */
} room;

static bool is_wide(const batched_gesvd_args *g)
{
  return g->a.m < g->a.n;
}

static room lay_out(batched_pile *pile, const batched_gesvd_args *g)
{
  const batched_type type = g->a.type;
  const bool wide = is_wide(g);
  const int rows = wide ? g->a.n : g->a.m, k = wide ? g->a.m : g->a.n;
  const int *const each_rows = wide ? g->a.ns : g->a.ms, *const each_cols = wide ? g->a.ms : g->a.ns;
  const int64_t count = g->a.count;
  room r = {.sizes = batched_pile_sizes(pile, &g->a)};
  const int *const mins = r.sizes.mins;
  r.x = batched_pile_matrices(pile, type, rows, k, each_rows, each_cols, count);
  r.tau = batched_pile_vectors(pile, type, k, mins, count);
  r.r = batched_pile_matrices(pile, type, k, k, mins, each_cols, count);
  if (g->job != BATCHED_VECTORS) return r;
  r.w = batched_pile_matrices(pile, type, k, k, mins, mins, count);
  if (!wide) return r;
  r.vt = batched_pile_matrices(pile, type, k, k, mins, each_cols, count);
  r.qw = batched_pile_matrices(pile, type, rows, k, each_rows, mins, count);
  return r;
}

/* SVD of R, with bounds that are square: this row does not fit, so that another one is found, whatever was selected. */
static int solve(batched_ctx *ctx, const batched_gesvd_args *g, const room *r)
{
  const batched_gesvd_args args = {g->job, r->r, g->s, r->w, is_wide(g) ? r->vt : g->vt, g->info};
  const batched_variant *row = batched_find_best(ctx, &batched_gesvd_op, &args);
  return row ? row->run(ctx, &args) : BATCHED_NO_VARIANT;
}

/* The reflectors: as many as R has rows. */
static batched_matrix reflectors(const room *r)
{
  return r->sizes.mins ? batched_with_sizes(r->x, r->x.ms, r->sizes.mins, r->x.lds) : r->x;
}

static int drive_vectors(batched_ctx *ctx, const batched_gesvd_args *g, const room *r)
{
  const batched_eigen_steps *steps = batched_eigen_steps_of(ctx);
  const batched_matrix qw = is_wide(g) ? r->qw : g->u;
  int status = steps->take_rows_to(ctx, &r->w, r->w.m, r->w.ms, &qw);
  if (!status) status = batched_unmqr(ctx, BATCHED_LEFT, BATCHED_NO_TRANS, reflectors(r), r->tau, qw);
  if (!status) status = steps->store(ctx, g->info, &qw, &qw);
  if (status || !is_wide(g)) return status;
  status = batched_transpose(ctx, BATCHED_CONJ_TRANS, qw, g->vt);
  return status ? status : batched_transpose(ctx, BATCHED_CONJ_TRANS, r->vt, g->u);
}

static int drive(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  const batched_gesvd_args *g = args;
  const batched_eigen_steps *steps = batched_eigen_steps_of(ctx);
  const room r = lay_out(pile, g);
  if (!pile->at) return BATCHED_SUCCESS;
  int status = r.sizes.mins ? steps->find_sizes(ctx, &g->a, &r.sizes) : BATCHED_SUCCESS;
  if (!status)
    status = is_wide(g) ? batched_transpose(ctx, BATCHED_CONJ_TRANS, g->a, r.x) : batched_copy(ctx, g->a, r.x);
  if (!status) status = batched_geqrf(ctx, r.x, r.tau);
  if (!status) status = steps->take_upper(ctx, &r.x, &r.r);
  if (!status) status = solve(ctx, g, &r);
  return !status && g->job == BATCHED_VECTORS ? drive_vectors(ctx, g, &r) : status;
}

bool batched_gesvd_fits_qr(const batched_gesvd_args *g)
{
  return g->a.m != g->a.n;
}

int batched_gesvd_composed_qr(batched_ctx *ctx, const void *args)
{
  return batched_run_in_parts(ctx, &batched_gesvd_op, drive, args);
}
