/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows host.composed and cuda.composed of gesvd: A = Q B P^H (gebrd), B = U diag(s) V^T (bdsdc with vectors from some
 * order on, else bdsqr), and Q U and V^T P^H (unmbr), each by the row that suits it; and host.two_stage and
 * cuda.two_stage, where Q = Q1 Q2 and P = P1 P2, by way of a band (ge2gb, gb2bd, unmbr_gb2bd, unmbr_ge2gb).
 */
#include "batched/batched_two_stage.h"
#include "batched/eigen/eigen.h"
#include "batched/eigen/steps.h"
#include "batched/tridiagonal/tridiagonal.h"
#include "batched/two_stage/two_stage.h"

static bool has_u(const batched_gesvd_args *g)
{
  return g->job == BATCHED_VECTORS && !batched_is_absent(&g->u);
}

static bool has_vt(const batched_gesvd_args *g)
{
  return g->job == BATCHED_VECTORS && !batched_is_absent(&g->vt);
}

/* Memory of a part; nothing is written to the call's operands before all has memory. */
typedef struct room {
  batched_sizes sizes;
  batched_matrix x, u, vt, d, e, tauq, taup; /* x, tauq, taup: absent for values alone in two stages */
  bool two_stage;
  batched_matrix ab, vq, vp; /* of two stages */
  int *more;                 /* info of those with m < n, in a variable batch */
} room;

/* Diagonals of the band beside its main one: a narrow band is chased in few steps, and a wide one is reached by few
 * panels.  One number, for a matrix of a variable batch to have the same bits as alone. */
enum { KD = 16 };

static room lay_out(batched_pile *pile, const batched_gesvd_args *g, bool two_stage)
{
  const int k = g->a.m < g->a.n ? g->a.m : g->a.n, less = k > 0 ? k - 1 : 0;
  const int64_t count = g->a.count;
  room r = {.sizes = batched_pile_sizes(pile, &g->a), .two_stage = two_stage};
  if (!two_stage || has_u(g) || has_vt(g))
    r.x = batched_pile_matrices(pile, g->a.type, g->a.m, g->a.n, g->a.ms, g->a.ns, count);
  if (has_u(g)) r.u = batched_pile_matrices(pile, g->a.type, g->a.m, k, g->a.ms, r.sizes.mins, count);
  if (has_vt(g)) r.vt = batched_pile_matrices(pile, g->a.type, k, g->a.n, r.sizes.mins, g->a.ns, count);
  r.d = batched_pile_vectors(pile, g->s.type, k, r.sizes.mins, count);
  r.e = batched_pile_vectors(pile, g->s.type, less, r.sizes.mins_less, count);
  if (!batched_is_absent(&r.x)) {
    r.tauq = batched_pile_vectors(pile, g->a.type, k, r.sizes.mins, count);
    r.taup = batched_pile_vectors(pile, g->a.type, k, r.sizes.mins, count);
  }
  if (two_stage) r.ab = batched_pile_matrices(pile, g->a.type, KD + 1, k, NULL, r.sizes.mins, count);
  if (two_stage && (has_u(g) || has_vt(g))) {
    r.vq = batched_pile_matrices(pile, g->a.type, k, k, r.sizes.mins, r.sizes.mins, count);
    r.vp = batched_pile_matrices(pile, g->a.type, k, k, r.sizes.mins, r.sizes.mins, count);
  }
  r.more = g->a.ms || g->a.ns ? batched_pile_take(pile, (size_t)count * sizeof(int)) : NULL;
  return r;
}

/* The leading k x k block of each matrix. */
static batched_matrix leading(batched_matrix x, int k, const int *each)
{
  x.m = x.n = k;
  return batched_with_sizes(x, each, each, x.lds);
}

/* From band to bidiagonal, of the matrices that have an order in `orders` (NULL: of all). */
static int chase(batched_ctx *ctx, batched_uplo uplo, const batched_gesvd_args *g, const room *r, const int *orders,
                 const int *less)
{
  const bool vectors = has_u(g) || has_vt(g);
  const batched_matrix none = {0}, d = batched_with_lengths(r->d, orders), e = batched_with_lengths(r->e, less);
  const batched_matrix ab = orders ? batched_with_sizes(r->ab, NULL, orders, r->ab.lds) : r->ab;
  return batched_gb2bd(ctx, vectors ? BATCHED_VECTORS : BATCHED_VALUES, uplo, KD, ab, d, e,
                       vectors ? leading(r->vq, r->vq.m, orders) : none,
                       vectors ? leading(r->vp, r->vp.m, orders) : none);
}

static int reduce(batched_ctx *ctx, const batched_gesvd_args *g, const room *r)
{
  const batched_sizes *s = &r->sizes;
  if (!r->two_stage) return batched_gebrd(ctx, r->x, r->d, r->e, r->tauq, r->taup);
  const batched_ge2gb_args band = {KD, g->a, r->ab, r->tauq, r->taup, true};
  int status = batched_is_absent(&r->x) ? batched_run(ctx, &batched_ge2gb_op, &band)
                                        : batched_ge2gb(ctx, KD, r->x, r->ab, r->tauq, r->taup);
  if (status || !s->mins)
    return status ? status : chase(ctx, g->a.m >= g->a.n ? BATCHED_UPPER : BATCHED_LOWER, g, r, NULL, NULL);
  status = chase(ctx, BATCHED_UPPER, g, r, s->tall, s->tall_less);
  return status ? status : chase(ctx, BATCHED_LOWER, g, r, s->wide, s->wide_less);
}

/* u = Q u, vt = vt P^H; x is reduced. */
static int multiply_by_q(batched_ctx *ctx, const room *r)
{
  if (!r->two_stage) return batched_unmbr(ctx, BATCHED_Q, BATCHED_LEFT, BATCHED_NO_TRANS, r->x, r->tauq, r->u);
  const batched_matrix first = leading(r->u, r->vq.m, r->sizes.mins);
  const int status = batched_unmbr_gb2bd(ctx, BATCHED_LEFT, BATCHED_NO_TRANS, KD, r->vq, first);
  return status ? status : batched_unmbr_ge2gb(ctx, BATCHED_Q, BATCHED_LEFT, BATCHED_NO_TRANS, KD, r->x, r->tauq, r->u);
}
static int multiply_by_p(batched_ctx *ctx, const room *r)
{
  if (!r->two_stage) return batched_unmbr(ctx, BATCHED_P, BATCHED_RIGHT, BATCHED_CONJ_TRANS, r->x, r->taup, r->vt);
  const batched_matrix first = leading(r->vt, r->vp.m, r->sizes.mins);
  const int status = batched_unmbr_gb2bd(ctx, BATCHED_RIGHT, BATCHED_CONJ_TRANS, KD, r->vp, first);
  return status ? status
                : batched_unmbr_ge2gb(ctx, BATCHED_P, BATCHED_RIGHT, BATCHED_CONJ_TRANS, KD, r->x, r->taup, r->vt);
}

/* From which order on divide and conquer of B is faster than QR. */
static const int least_order_of_bdsdc[] = {[BATCHED_HOST] = 33, [BATCHED_CUDA] = 33};

/* B's values and vectors, of the matrices that have an order in `orders` (NULL: of all). */
static int solve(batched_ctx *ctx, batched_uplo uplo, const batched_gesvd_args *g, const room *r, const int *orders,
                 const int *less, int *info)
{
  const batched_matrix none = {0}, d = batched_with_lengths(r->d, orders), e = batched_with_lengths(r->e, less);
  const int k = g->a.m < g->a.n ? g->a.m : g->a.n;
  const batched_matrix u = has_u(g) ? leading(r->u, k, orders) : none;
  const batched_matrix vt = has_vt(g) ? leading(r->vt, k, orders) : none;
  if ((has_u(g) || has_vt(g)) && k >= least_order_of_bdsdc[batched_get_space(ctx)])
    return batched_bdsdc(ctx, uplo, d, e, u, vt, info);
  return batched_bdsqr(ctx, uplo, d, e, vt, u, none, info);
}

static int solve_all(batched_ctx *ctx, const batched_gesvd_args *g, const room *r)
{
  const batched_sizes *s = &r->sizes;
  if (!s->mins) return solve(ctx, g->a.m >= g->a.n ? BATCHED_UPPER : BATCHED_LOWER, g, r, NULL, NULL, g->info);
  int status = solve(ctx, BATCHED_UPPER, g, r, s->tall, s->tall_less, g->info);
  if (!status) status = solve(ctx, BATCHED_LOWER, g, r, s->wide, s->wide_less, r->more);
  return status ? status : batched_eigen_steps_of(ctx)->add_info(ctx, g->a.count, r->more, g->info);
}

/* True where bdsdc writes all of u, or vt, which bdsqr multiplies. */
static bool is_filled(const batched_ctx *ctx, const batched_matrix *x)
{
  return x->m == x->n && !x->ms && !x->ns && x->m >= least_order_of_bdsdc[batched_get_space(ctx)];
}

/* Vectors of the sides that are there. */
static int drive_vectors(batched_ctx *ctx, const batched_gesvd_args *g, const room *r)
{
  const batched_eigen_steps *steps = batched_eigen_steps_of(ctx);
  const batched_scalar zero = batched_real(0), one = batched_real(1);
  int status = has_u(g) && !is_filled(ctx, &r->u) ? batched_set(ctx, zero, one, r->u) : BATCHED_SUCCESS;
  if (!status && has_vt(g) && !is_filled(ctx, &r->vt)) status = batched_set(ctx, zero, one, r->vt);
  if (!status) status = solve_all(ctx, g, r);
  if (!status && has_u(g)) {
    status = multiply_by_q(ctx, r);
    if (!status) status = steps->store(ctx, g->info, &r->u, &g->u);
  }
  if (status || !has_vt(g)) return status;
  status = multiply_by_p(ctx, r);
  return status ? status : steps->store(ctx, g->info, &r->vt, &g->vt);
}

static int drive(batched_ctx *ctx, batched_pile *pile, const batched_gesvd_args *g, bool two_stage)
{
  const batched_eigen_steps *steps = batched_eigen_steps_of(ctx);
  const room r = lay_out(pile, g, two_stage);
  if (!pile->at) return BATCHED_SUCCESS;
  int status = r.sizes.mins ? steps->find_sizes(ctx, &g->a, &r.sizes) : BATCHED_SUCCESS;
  if (!status && !batched_is_absent(&r.x)) status = batched_copy(ctx, g->a, r.x);
  if (!status) status = reduce(ctx, g, &r);
  if (!status) status = drive_vectors(ctx, g, &r);
  return status ? status : steps->store_values(ctx, g->info, &r.d, &g->s);
}

static int drive_composed(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  return drive(ctx, pile, args, false);
}

static int drive_two_stage(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  return drive(ctx, pile, args, true);
}

int batched_gesvd_composed(batched_ctx *ctx, const void *args)
{
  return batched_run_in_parts(ctx, &batched_gesvd_op, drive_composed, args);
}

int batched_gesvd_two_stage(batched_ctx *ctx, const void *args)
{
  return batched_run_in_parts(ctx, &batched_gesvd_op, drive_two_stage, args);
}
