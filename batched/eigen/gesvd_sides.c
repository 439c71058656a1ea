/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gesvd of one side, and of full sides, by gesvd of both: what is not asked for goes to scratch memory, and U, m x
 * min(m, n), is completed by the last columns of the Q of its QR factorisation; V as U.
 */
#include <string.h>

#include "batched/eigen/eigen.h"
#include "batched/eigen/steps.h"
#include "batched/tridiagonal/tridiagonal.h"

/* A side that is completed: its columns, and their factors. */
typedef struct completion {
  batched_matrix x, tau;
} completion;

typedef struct room {
  batched_sizes sizes;
  batched_matrix u, vt; /* of min(m, n) columns and rows */
  completion left, right;
  batched_matrix v; /* n x n */
} room;

static completion lay_out_completion(batched_pile *pile, batched_type type, int m, int k, const int *ms,
                                     const int *mins, int64_t count)
{
  completion c;
  c.x = batched_pile_matrices(pile, type, m, k, ms, mins, count);
  c.tau = batched_pile_vectors(pile, type, k, mins, count);
  return c;
}

static room lay_out(batched_pile *pile, const batched_gesvd_args *g, bool full)
{
  const batched_matrix *a = &g->a;
  const int k = a->m < a->n ? a->m : a->n;
  const bool has_u = !batched_is_absent(&g->u), has_vt = !batched_is_absent(&g->vt);
  room r = {.sizes = batched_pile_sizes(pile, a), .u = g->u, .vt = g->vt};
  const int *const mins = r.sizes.mins;
  if (full || !has_u) r.u = batched_pile_matrices(pile, a->type, a->m, k, a->ms, mins, a->count);
  if (full || !has_vt) r.vt = batched_pile_matrices(pile, a->type, k, a->n, mins, a->ns, a->count);
  if (full && has_u) r.left = lay_out_completion(pile, a->type, a->m, k, a->ms, mins, a->count);
  if (!full || !has_vt) return r;
  r.right = lay_out_completion(pile, a->type, a->n, k, a->ns, mins, a->count);
  r.v = batched_pile_matrices(pile, a->type, a->n, a->n, a->ns, a->ns, a->count);
  return r;
}

/* y, square, = the Q of c->x, which is overwritten by its factors. */
static int complete(batched_ctx *ctx, const completion *c, const batched_matrix *y)
{
  int status = batched_geqrf(ctx, c->x, c->tau);
  if (!status) status = batched_set(ctx, batched_real(0), batched_real(1), *y);
  return status ? status : batched_unmqr(ctx, BATCHED_LEFT, BATCHED_NO_TRANS, c->x, c->tau, *y);
}

/* y's first columns or rows, as large as x, become x; where info[b] > 0 all of y becomes NaN. */
static int put_first(batched_ctx *ctx, const int *info, const batched_matrix *x, const batched_matrix *y)
{
  const batched_eigen_steps *steps = batched_eigen_steps_of(ctx);
  batched_matrix first = batched_with_sizes(*y, x->ms, x->ns, y->lds);
  first.m = x->m;
  first.n = x->n;
  const int status = steps->store(ctx, info, x, &first);
  return status ? status : steps->store(ctx, info, y, y);
}

static int complete_left(batched_ctx *ctx, const batched_gesvd_args *g, const room *r)
{
  int status = batched_copy(ctx, r->u, r->left.x);
  if (!status) status = complete(ctx, &r->left, &g->u);
  return status ? status : put_first(ctx, g->info, &r->u, &g->u);
}

static int complete_right(batched_ctx *ctx, const batched_gesvd_args *g, const room *r)
{
  int status = batched_transpose(ctx, BATCHED_CONJ_TRANS, r->vt, r->right.x);
  if (!status) status = complete(ctx, &r->right, &r->v);
  if (!status) status = batched_transpose(ctx, BATCHED_CONJ_TRANS, r->v, g->vt);
  return status ? status : put_first(ctx, g->info, &r->vt, &g->vt);
}

static int drive(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  const batched_gesvd_args *g = args;
  const bool full = g->job == BATCHED_FULL_VECTORS;
  const room r = lay_out(pile, g, full);
  if (!pile->at) return BATCHED_SUCCESS;
  int status = r.sizes.mins ? batched_eigen_steps_of(ctx)->find_sizes(ctx, &g->a, &r.sizes) : BATCHED_SUCCESS;
  if (!status) status = batched_gesvd(ctx, full ? BATCHED_VECTORS : g->job, g->a, g->s, r.u, r.vt, g->info);
  if (!status && full && !batched_is_absent(&g->u)) status = complete_left(ctx, g, &r);
  return !status && full && !batched_is_absent(&g->vt) ? complete_right(ctx, g, &r) : status;
}

/* The row `composed` leaves out the work for a side that is absent: no other does. */
static bool is_taken_by_composed(batched_ctx *ctx, const batched_gesvd_args *g)
{
  const batched_variant *row = batched_choose(ctx, &batched_gesvd_op, g);
  const char *idea = row ? strchr(row->name, '.') : NULL;
  return idea && strcmp(idea, ".composed") == 0;
}

int batched_gesvd_sides(batched_ctx *ctx, const batched_gesvd_args *g)
{
  if (g->job == BATCHED_VECTORS && is_taken_by_composed(ctx, g)) return batched_run(ctx, &batched_gesvd_op, g);
  return batched_run_in_parts(ctx, &batched_gesvd_op, drive, g);
}
