/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products of which a factor, or two, are of low rank (Charara, Keyes, Ltaief, Euro-Par 2018), with ranks of any kind:
 * a product of low rank is P Q^H, which is added to a dense C, or beside the factors of a low-rank one.
 */
#include "batched/lowrank/check_lowrank.h"

static const batched_scalar zero = {0, 0}, one = {1, 0};

static batched_scalar conjugate(batched_scalar a)
{
  return (batched_scalar){a.re, -a.im};
}

static batched_trans opposite(batched_trans t)
{
  return t == BATCHED_NO_TRANS ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS;
}

/* A product op(A) op(B) = P Q^H of which one factor is an operand's, and the other is to be computed: `times` the
 * product of op(X) and op(Y). */
typedef struct product {
  batched_matrix p, q; /* there: an operand's factor */
  batched_trans transx, transy;
  batched_matrix x, y;
  int rank; /* bound */
  const int *ranks;
} product;

static int *ranks_of(const batched_matrix *u)
{
  return (int *)u->ns;
}

/* The cheaper side's rank is that of the product. */
static product describe(lowrank_work *w, const batched_lrgemm_args *g)
{
  const batched_matrix none = {0};
  if (lowrank_is_no_factor(&g->av)) /* (A B_u) B_v^H */
    return (product){none, g->bv, g->transa, BATCHED_NO_TRANS, g->au, g->bu, g->bu.n, ranks_of(&g->bu)};
  if (lowrank_is_no_factor(&g->bv)) /* A_u (op(B)^H A_v)^H */
    return (product){g->au, none, opposite(g->transb), BATCHED_NO_TRANS, g->bu, g->av, g->au.n, ranks_of(&g->au)};
  batched_matrix inner = lowrank_matrix(w, g->au.type, g->au.n, g->bu.n, g->au.count);
  inner = lowrank_sized(inner, ranks_of(&g->au), ranks_of(&g->bu));
  LOWRANK_DO(w, batched_gemm(w->ctx, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, one, g->av, g->bu, zero, inner));
  if (g->au.n <= g->bu.n) /* A_u (B_v inner^H)^H */
    return (product){g->au, none, BATCHED_NO_TRANS, BATCHED_CONJ_TRANS, g->bv, inner, g->au.n, ranks_of(&g->au)};
  return (product){none, g->bv, BATCHED_NO_TRANS, BATCHED_NO_TRANS, g->au, inner, g->bu.n, ranks_of(&g->bu)};
}

/* The rank of the product, as describe chooses it. */
static int rank_of(const batched_lrgemm_args *g)
{
  if (lowrank_is_no_factor(&g->av)) return lowrank_is_no_factor(&g->bv) ? -1 : g->bu.n;
  return lowrank_is_no_factor(&g->bv) || g->au.n <= g->bu.n ? g->au.n : g->bu.n;
}

int lowrank_rank_of_update(const batched_lrgemm_args *g)
{
  const bool updates = lowrank_is_no_factor(&g->cv) && !batched_is_zero(g->cu.type, g->alpha);
  return updates ? rank_of(g) : -1;
}

static int add_by_gemm(batched_ctx *ctx, batched_scalar alpha, batched_matrix p, batched_matrix q, batched_scalar beta,
                       batched_matrix c)
{
  return batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_CONJ_TRANS, alpha, p, q, beta, c);
}

/* C = alpha P Q^H + beta C */
static void add_to_dense(lowrank_work *w, const batched_lrgemm_args *g, const product *ab, lowrank_update *update)
{
  const bool left = lowrank_is_there(&ab->p);
  batched_matrix other = lowrank_matrix(w, g->cu.type, left ? g->cu.n : g->cu.m, ab->rank, g->cu.count);
  other = lowrank_sized(other, left ? g->cu.ns : g->cu.ms, ab->ranks);
  LOWRANK_DO(w, batched_gemm(w->ctx, ab->transx, ab->transy, one, ab->x, ab->y, zero, other));
  LOWRANK_DO(w, update(w->ctx, g->alpha, left ? ab->p : other, left ? other : ab->q, g->beta, g->cu));
}

/* [C_u, P] or [conj(beta) C_v, conj(alpha) Q], padded with zeros; at is the part of the product in it. */
static batched_matrix side_by_side(lowrank_work *w, batched_matrix c, const int *ranks, int kept, const product *ab,
                                   batched_matrix *at)
{
  batched_matrix x = lowrank_zeros(w, c.type, c.m, kept + ab->rank, c.count);
  *at = lowrank_sized(lowrank_block(x, 0, kept, c.m, ab->rank), c.ms, ab->ranks);
  if (kept > 0)
    LOWRANK_DO(w, batched_copy(w->ctx, lowrank_sized(c, c.ms, ranks),
                               lowrank_sized(lowrank_block(x, 0, 0, c.m, kept), c.ms, ranks)));
  return x;
}

static void add_to_lowrank(lowrank_work *w, const batched_lrgemm_args *g, const product *ab)
{
  const int kept = batched_is_zero(g->cu.type, g->beta) ? 0 : g->cu.n;
  batched_matrix p, q;
  batched_matrix x = side_by_side(w, g->cu, g->ranks, kept, ab, &p);
  batched_matrix y = side_by_side(w, g->cv, g->ranks, kept, ab, &q);
  if (kept > 0) LOWRANK_DO(w, batched_scal(w->ctx, conjugate(g->beta), lowrank_block(y, 0, 0, y.m, kept)));
  const batched_scalar by = conjugate(g->alpha);
  if (lowrank_is_there(&ab->p)) {
    LOWRANK_DO(w, batched_copy(w->ctx, ab->p, p));
    LOWRANK_DO(w, batched_gemm(w->ctx, ab->transx, ab->transy, by, ab->x, ab->y, zero, q));
  } else {
    LOWRANK_DO(w, batched_gemm(w->ctx, ab->transx, ab->transy, one, ab->x, ab->y, zero, p));
    LOWRANK_DO(w, batched_copy(w->ctx, ab->q, q));
    LOWRANK_DO(w, batched_scal(w->ctx, by, q));
  }
  LOWRANK_DO(w, lowrank_round(w->ctx, x, y, g->cu, g->cv, g->ranks, g->t, g->info));
}

/* C = beta C of low rank: rounded. */
static void scale_lowrank(lowrank_work *w, const batched_lrgemm_args *g)
{
  const product nothing = {.rank = 0};
  batched_lrgemm_args h = *g;
  batched_matrix at;
  const int kept = batched_is_zero(g->cu.type, g->beta) ? 0 : g->cu.n;
  batched_matrix x = side_by_side(w, h.cu, h.ranks, kept, &nothing, &at);
  batched_matrix y = side_by_side(w, h.cv, h.ranks, kept, &nothing, &at);
  if (kept > 0) LOWRANK_DO(w, batched_scal(w->ctx, conjugate(g->beta), y));
  LOWRANK_DO(w, lowrank_round(w->ctx, x, y, g->cu, g->cv, g->ranks, g->t, g->info));
}

int lowrank_compose_lrgemm(batched_ctx *ctx, const void *args)
{
  return lowrank_compose_lrgemm_by(ctx, args, add_by_gemm);
}

int lowrank_compose_lrgemm_by(batched_ctx *ctx, const batched_lrgemm_args *g, lowrank_update *update)
{
  lowrank_work work = {.ctx = ctx}, *w = &work;
  const bool dense_c = lowrank_is_no_factor(&g->cv);
  if (lowrank_is_no_factor(&g->av) && lowrank_is_no_factor(&g->bv))
    return batched_gemm(ctx, g->transa, g->transb, g->alpha, g->au, g->bu, g->beta, g->cu);
  if (batched_is_zero(g->cu.type, g->alpha) && dense_c) {
    LOWRANK_DO(w, batched_scal(ctx, g->beta, g->cu));
  } else if (batched_is_zero(g->cu.type, g->alpha)) {
    scale_lowrank(w, g);
  } else {
    const product ab = describe(w, g);
    if (dense_c)
      add_to_dense(w, g, &ab, update);
    else
      add_to_lowrank(w, g, &ab);
  }
  return lowrank_end(w);
}
