/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/lowrank/ara.h"

#include <math.h>
#include <stdlib.h>

static const batched_scalar zero = {0, 0}, one = {1, 0}, minus_one = {-1, 0};

/* The residual after sampling is estimated from LOWRANK_SAMPLES columns, and is too low by a factor of 1.7 in less than
 * 1 % of cases at worst (one singular value alone): samples go on down to SAMPLED of what is allowed, and the SVD may
 * leave out ROUNDED of it, so that (1.7 SAMPLED)^2 + ROUNDED^2 < 1. */
static const double SAMPLED = 0.35, ROUNDED = 0.8;

/* A projection may leave this many rounding errors, for each row of A, of a sample that lies in the basis. */
static const double DOUBT = 4;

/* A basis that leaves so many dimensions, or more, does not hold the direction of a rounding error to many digits. */
enum { ENOUGH_LEFT = 64 };

/* All of a call.  Matrix i has the columns [0, columns[i]) of its basis in q, and more below `limit`. */
typedef struct ara {
  lowrank_work *w;
  const lowrank_operator *op;
  const lowrank_target *target;
  batched_truncation t;
  int limit;
  bool tested; /* is what is left then of interest? */
  batched_matrix q, omega;
  int64_t drawn;        /* random columns so far */
  bool ready;           /* are a turn's samples there, from the first one? */
  bool stale;           /* may there be samples that are of no use where new ones are to be? */
  int *columns;         /* owned */
  int *width, *fresh;   /* owned: samples of a turn, and how many of them become columns */
  double *enough;       /* owned: the least residual that goes on */
  double *doubt;        /* owned: the least residual that rounding errors can't be */
  int64_t *active, *at; /* owned: those that go on; some of them, or those of a group */
  bool *missed;         /* owned: a residual is left, and no room */
  int64_t nactive;
} ara;

static void *column_at(const ara *a, int64_t i, int column)
{
  const int64_t element = i * a->q.stride + (int64_t)column * a->q.ld;
  return (char *)a->q.data + element * (int64_t)batched_element_bytes(a->q.type);
}

/* A basis is complete with as many columns as matrix i has rows.  (With as many as it has columns it need not be: few
 * random numbers may be nearly dependent.) */
static int most_columns(const lowrank_target *g, int64_t i)
{
  return g->ms ? g->ms[i] : g->m;
}

/* The basis of each that is named, or, behind it, its samples, or its new columns; the list is the caller's. */
typedef enum part { BASIS, SAMPLES, FRESH } part;

static batched_matrix columns_of(lowrank_work *w, const ara *a, const int64_t *which, int64_t count, part what,
                                 lowrank_list *list)
{
  const int *const widths = what == BASIS ? a->columns : what == SAMPLES ? a->width : a->fresh;
  LOWRANK_DO(w, lowrank_list_create(list, a->target->type, count));
  if (w->status) return (batched_matrix){0};
  for (int64_t i = 0; i < count; i++)
    lowrank_list_add(list, column_at(a, which[i], what == BASIS ? 0 : a->columns[which[i]]), a->q.m, widths[which[i]],
                     a->q.ld);
  return lowrank_list_batch(w, list, a->q.m, -1);
}

/* Y = (I - Q Q^H) Y with the columns before it. */
static void project_out(lowrank_work *w, batched_matrix q, batched_matrix y)
{
  lowrank_work inner = {.ctx = w->ctx, .status = w->status};
  if (q.n == 0) return;
  const batched_matrix qy = lowrank_sized(lowrank_matrix(&inner, q.type, q.n, y.n, q.count), q.ns, y.ns);
  LOWRANK_DO(&inner, batched_gemm(w->ctx, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, one, q, y, zero, qy));
  LOWRANK_DO(&inner, batched_gemm(w->ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, minus_one, q, qy, one, y));
  w->status = lowrank_end(&inner);
}

static void make_orthonormal(lowrank_work *w, batched_matrix y)
{
  lowrank_work inner = {.ctx = w->ctx, .status = w->status};
  const batched_matrix tau = lowrank_sized(lowrank_matrix(&inner, y.type, y.n, 1, y.count), y.ns, NULL);
  LOWRANK_DO(&inner, batched_geqrf(w->ctx, y, tau));
  LOWRANK_DO(&inner, batched_ungqr(w->ctx, y, tau));
  w->status = lowrank_end(&inner);
}

/* |A - Q Q^H A| of those that are named, by their new samples Y, for the caller to free; NULL where that fails. */
static double *measure(lowrank_work *w, const ara *a, const int64_t *which, batched_matrix y)
{
  lowrank_work inner = {.ctx = w->ctx, .status = w->status};
  const batched_type type = batched_real_type(y.type);
  const batched_matrix norms = lowrank_matrix(&inner, type, 1, 1, y.count);
  double *residuals = malloc(2 * (size_t)y.count * sizeof *residuals);
  void *host = residuals + (residuals ? y.count : 0);
  if (!residuals && !inner.status) inner.status = BATCHED_NO_MEMORY;
  LOWRANK_DO(&inner, batched_norm(w->ctx, BATCHED_FROBENIUS_NORM, y, norms));
  LOWRANK_DO(&inner, batched_copy_to_host(w->ctx, host, norms.data, (size_t)y.count * batched_element_bytes(type)));
  for (int64_t i = 0; i < y.count && !inner.status; i++)
    residuals[i] = lowrank_real_at(type, host, i) / sqrt(a->width[which[i]]);
  w->status = lowrank_end(&inner);
  if (!w->status) return residuals;
  free(residuals);
  return NULL;
}

/* Projects once more, and measures again, the residuals that may be rounding errors alone, as a projection leaves them
 * of a sample that lies in the basis: they may lie there, too. */
static void project_doubtful(ara *a, lowrank_work *w, double *residuals)
{
  int64_t count = 0;
  for (int64_t i = 0; i < a->nactive && !w->status; i++)
    if (residuals[i] <= a->doubt[a->active[i]]) a->at[count++] = a->active[i];
  if (count == 0) return;
  lowrank_work inner = {.ctx = w->ctx, .status = w->status};
  lowrank_list before = {0}, now = {0};
  const batched_matrix y = columns_of(&inner, a, a->at, count, SAMPLES, &now);
  project_out(&inner, columns_of(&inner, a, a->at, count, BASIS, &before), y);
  double *again = measure(&inner, a, a->at, y);
  for (int64_t i = 0, k = 0; i < a->nactive && k < count && again; i++)
    if (a->active[i] == a->at[k]) residuals[i] = again[k++];
  free(again);
  lowrank_list_destroy(&before);
  lowrank_list_destroy(&now);
  w->status = lowrank_end(&inner);
}

/* Finds how much is enough for each one by its first samples.  Whoever has enough leaves. */
static void judge(ara *a, const double *residuals)
{
  const double unit = lowrank_eps(a->target->type);
  int64_t kept = 0;
  for (int64_t i = 0; i < a->nactive; i++) {
    const int64_t which = a->active[i];
    const bool first = a->columns[which] == 0, last = a->fresh[which] == 0;
    const double residual = residuals[i];
    if (first) {
      const double allowed = a->t.absolute ? a->t.tolerance : a->t.tolerance * residual;
      a->enough[which] = fmax(SAMPLED * allowed, 8 * unit * residual);
      a->doubt[which] = DOUBT * most_columns(a->target, which) * unit * residual;
    }
    const bool goes_on = residual > a->enough[which] || (residual - residual != 0 && first); /* NaN, infinity */
    a->missed[which] = goes_on && last;
    if (goes_on && !last) a->active[kept++] = which;
  }
  a->nactive = kept;
}

/* True where anything is to be done for a matrix that has so many columns. */
static bool has_more(const ara *a, int64_t which, int columns)
{
  return columns < most_columns(a->target, which) && (columns < a->limit || a->tested);
}

/* Sets the number of samples that each takes in this turn, of which some become columns; returns the most.  The first
 * turn takes those of the second one, too, that tell what is left: a matrix of the expected rank is sampled once. */
static int plan(ara *a, bool first)
{
  int most = 0;
  for (int64_t i = 0; i < a->nactive; i++) {
    const int64_t which = a->active[i];
    const int columns = a->columns[which], left = lowrank_min(a->limit, most_columns(a->target, which)) - columns;
    const int expected = a->target->expected && first ? a->target->expected[which] : 0;
    const int wanted = expected > LOWRANK_SAMPLES ? expected : LOWRANK_SAMPLES;
    a->fresh[which] = lowrank_min(wanted, left);
    a->width[which] = a->fresh[which] > LOWRANK_SAMPLES ? a->fresh[which] : LOWRANK_SAMPLES;
    if (first && has_more(a, which, a->fresh[which])) a->width[which] = a->fresh[which] + LOWRANK_SAMPLES;
    a->stale = a->stale || (!first && a->fresh[which] < LOWRANK_SAMPLES);
    if (a->width[which] > most) most = a->width[which];
  }
  return most;
}

/* The fresh columns of those that are named are made orthonormal, to each other and to those before them. */
static void make_fresh_orthonormal(lowrank_work *w, const ara *a, const int64_t *which, int64_t count, bool first)
{
  lowrank_work inner = {.ctx = w->ctx, .status = w->status};
  lowrank_list before = {0}, now = {0};
  const batched_matrix y = columns_of(&inner, a, which, count, FRESH, &now);
  make_orthonormal(&inner, y);
  if (!first) {
    project_out(&inner, columns_of(&inner, a, which, count, BASIS, &before), y);
    make_orthonormal(&inner, y);
  }
  lowrank_list_destroy(&before);
  lowrank_list_destroy(&now);
  w->status = lowrank_end(&inner);
}

/* Those that are active get their fresh columns; who has no room for more leaves, unless what is left is to be tested.
 * To project once is enough but for samples that were rounding errors alone: where a basis is nearly complete, their
 * directions may lie in it, and what the projection leaves of them, too. */
static void append(ara *a, bool first)
{
  int64_t count = 0, kept = 0;
  make_fresh_orthonormal(a->w, a, a->active, a->nactive, first);
  for (int64_t i = 0; i < a->nactive && !first; i++)
    if (most_columns(a->target, a->active[i]) - a->columns[a->active[i]] < ENOUGH_LEFT) a->at[count++] = a->active[i];
  if (count > 0) make_fresh_orthonormal(a->w, a, a->at, count, false);
  for (int64_t i = 0; i < a->nactive; i++) {
    const int64_t which = a->active[i];
    a->columns[which] += a->fresh[which];
    if (has_more(a, which, a->columns[which])) a->active[kept++] = which;
  }
  a->nactive = kept;
}

/* Samples of those that are active, at most so many of one. */
static void draw(lowrank_work *w, ara *a, int most, const lowrank_list *to)
{
  batched_matrix all = a->omega;
  all.n = most;
  all.count = 1;
  all.stride = (int64_t)all.ld * all.n;
  LOWRANK_DO(w, batched_random(w->ctx, a->t.seed, a->drawn, all));
  a->drawn += all.n;
  all.count = a->nactive;
  all.stride = 0;
  LOWRANK_DO(w, a->op->sample(w->ctx, a->op->self, a->active, a->nactive, all, to));
}

/* A turn: samples of those that are active, which, of those with more than noise, become columns of the basis, by block
 * Gram-Schmidt, twice. */
static void add_samples(ara *a, bool first)
{
  lowrank_work inner = {.ctx = a->w->ctx, .status = a->w->status}, *w = &inner;
  lowrank_list before = {0}, now = {0};
  const bool stale = a->stale;
  const int most = plan(a, first);
  const batched_matrix y = columns_of(w, a, a->active, a->nactive, SAMPLES, &now);
  if (stale && !a->ready) LOWRANK_DO(w, batched_set(w->ctx, zero, zero, y));
  if (!a->ready) draw(w, a, most, &now);
  a->ready = first;
  if (!first) project_out(w, columns_of(w, a, a->active, a->nactive, BASIS, &before), y);
  double *residuals = measure(w, a, a->active, y);
  if (!first) project_doubtful(a, w, residuals);
  a->w->status = w->status;
  if (!w->status) judge(a, residuals);
  free(residuals);
  lowrank_list_destroy(&before);
  lowrank_list_destroy(&now);
  if (a->nactive > 0 && !a->w->status) append(a, first);
  w->status = a->w->status;
  a->w->status = lowrank_end(w);
}

/* The factors of the first `count` of a->at, with at most so many columns; with the same number of them, or *done says
 * whether it could be done. */
static void finish_some(ara *a, int64_t count, int columns, bool *done)
{
  lowrank_work inner = {.ctx = a->w->ctx, .status = a->w->status}, *w = &inner;
  const lowrank_target *g = a->target;
  lowrank_list ql = {0}, ul = {0}, vl = {0};
  const batched_matrix q = columns_of(w, a, a->at, count, BASIS, &ql);
  const batched_matrix z = lowrank_sized(lowrank_zeros(w, g->type, g->n, columns, count), NULL, q.ns);
  int *ranks = lowrank_push(w, (size_t)count * sizeof *ranks), *info = lowrank_push(w, (size_t)count * sizeof *info);
  int *both = malloc(2 * (size_t)count * sizeof *both);
  if (!both && !w->status) w->status = BATCHED_NO_MEMORY;
  LOWRANK_DO(w, a->op->project(w->ctx, a->op->self, a->at, count, &ql, z));
  LOWRANK_DO(w, lowrank_list_create(&ul, g->type, count));
  LOWRANK_DO(w, lowrank_list_create(&vl, g->type, count));
  for (int64_t i = 0; i < count && !w->status; i++) {
    const int64_t which = a->at[i];
    lowrank_list_add(&ul, g->u[which], g->ms ? g->ms[which] : g->m, g->room, g->ldu);
    lowrank_list_add(&vl, g->v[which], g->ns ? g->ns[which] : g->n, g->room, g->ldv);
  }
  *done = false;
  if (!w->status) {
    batched_truncation t = a->t;
    t.tolerance *= ROUNDED;
    const batched_matrix u = lowrank_list_batch(w, &ul, g->m, g->room), v = lowrank_list_batch(w, &vl, g->n, g->room);
    if (g->by_gram) LOWRANK_DO(w, lowrank_round_gram(w->ctx, q, z, ql.ns, u, v, ranks, t, info, done));
    if (!*done && !q.ns) {
      LOWRANK_DO(w, lowrank_round_basis(w->ctx, q, (batched_matrix){0}, z, u, v, ranks, t, info));
      *done = true;
    }
  }
  if (*done) {
    LOWRANK_DO(w, batched_copy_to_host(w->ctx, both, ranks, (size_t)count * sizeof *ranks));
    LOWRANK_DO(w, batched_copy_to_host(w->ctx, both + count, info, (size_t)count * sizeof *info));
  }
  for (int64_t i = 0; i < count && *done && !w->status; i++) {
    const int64_t which = a->at[i];
    g->ranks[which] = both[i];
    g->info[which] = both[count + i] || !a->missed[which] ? both[count + i] : a->limit + 1;
    a->columns[which] = 0;
  }
  free(both);
  lowrank_list_destroy(&ql);
  lowrank_list_destroy(&ul);
  lowrank_list_destroy(&vl);
  a->w->status = lowrank_end(w);
}

/* a->at = those with columns from least to most; their number. */
static int64_t gather(ara *a, int least, int most)
{
  int64_t count = 0;
  for (int64_t i = 0; i < a->target->count; i++)
    if (a->columns[i] >= least && a->columns[i] <= most) a->at[count++] = i;
  return count;
}

/* By a Gram matrix all at once, but for those whose order is too large for the tolerance; what is left, or all, in
 * groups of the same order. */
static void finish(ara *a)
{
  bool done;
  const int64_t none = gather(a, 0, 0);
  for (int64_t i = 0; i < none; i++) a->target->ranks[a->at[i]] = a->target->info[a->at[i]] = 0;
  if (a->target->by_gram) {
    batched_truncation t = a->t;
    t.tolerance *= ROUNDED;
    const int sure = lowrank_sure_of_gram(a->target->type, t, a->limit);
    int most = 0;
    const int64_t count = gather(a, 1, sure);
    for (int64_t i = 0; i < count; i++)
      if (a->columns[a->at[i]] > most) most = a->columns[a->at[i]];
    if (count > 0) finish_some(a, count, most, &done);
  }
  for (int columns = 1; columns <= a->limit && !a->w->status; columns++) {
    const int64_t count = gather(a, columns, columns);
    if (count > 0) finish_some(a, count, columns, &done);
  }
}

static bool take_lists(ara *a)
{
  const size_t n = (size_t)a->target->count;
  a->columns = calloc(n, sizeof *a->columns);
  a->width = malloc(n * sizeof *a->width);
  a->fresh = malloc(n * sizeof *a->fresh);
  a->enough = calloc(n, sizeof *a->enough);
  a->doubt = calloc(n, sizeof *a->doubt);
  a->active = malloc(n * sizeof *a->active);
  a->at = malloc(n * sizeof *a->at);
  a->missed = calloc(n, sizeof *a->missed);
  return a->columns && a->width && a->fresh && a->enough && a->doubt && a->active && a->at && a->missed;
}

static void free_lists(ara *a)
{
  free(a->columns);
  free(a->width);
  free(a->fresh);
  free(a->enough);
  free(a->doubt);
  free(a->active);
  free(a->at);
  free(a->missed);
}

int lowrank_ara(batched_ctx *ctx, const lowrank_operator *op, const lowrank_target *g, batched_truncation t)
{
  if (g->count == 0) return BATCHED_SUCCESS;
  lowrank_work w = {.ctx = ctx};
  const int room = t.max_rank > 0 ? lowrank_min(t.max_rank, g->room) : g->room;
  ara a = {.w = &w, .op = op, .target = g, .t = t, .limit = lowrank_min(g->m, room + LOWRANK_SAMPLES)};
  a.tested = a.limit < g->m && t.tolerance > 0;
  if (!take_lists(&a)) w.status = BATCHED_NO_MEMORY;
  for (int64_t i = 0; i < g->count && !w.status; i++)
    if (most_columns(g, i) > 0 && (g->ns ? g->ns[i] : g->n) > 0) a.active[a.nactive++] = i;
  if (!w.status) a.omega = lowrank_matrix(&w, g->type, g->n, plan(&a, true), 1);
  a.q = lowrank_zeros(&w, g->type, g->m, a.limit + LOWRANK_SAMPLES, g->count);
  for (bool first = true; a.nactive > 0 && !w.status; first = false) add_samples(&a, first);
  if (!w.status) finish(&a);
  free_lists(&a);
  return lowrank_end(&w);
}
