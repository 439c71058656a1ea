/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/lowrank/ara.h"

#include <math.h>
#include <stdlib.h>

static const batched_scalar zero = {0, 0}, one = {1, 0}, minus_one = {-1, 0};

/* The residual after sampling is estimated from LOWRANK_SAMPLES columns, and is too low by a factor of 1.7 in less than
 * 1 % of cases at worst (one singular value alone): samples go on down to SAMPLED of what is allowed, and the SVD may
 * leave out ROUNDED of it, so that (1.7 SAMPLED)^2 + ROUNDED^2 < 1. */
static const double SAMPLED = 0.35, ROUNDED = 0.8;

/* So many rounding errors for each row of A may be what a projection leaves of a sample that lies in the basis. */
static const double DOUBT = 4;

/* All of a call.  Matrix i has the columns [0, columns[i]) of its basis in q, and more below `limit`. */
typedef struct ara {
  lowrank_work *w;
  const lowrank_operator *op;
  const lowrank_target *target;
  batched_truncation t;
  int limit;
  batched_matrix q, omega;
  int *columns;         /* owned */
  double *enough;       /* owned: the least residual that goes on */
  double *doubt;        /* owned: the least residual that rounding errors can't be */
  int64_t *active, *at; /* owned: those that go on; some of them, or those of a group */
  bool *missed;         /* owned: a residual is left, and no room */
  int64_t nactive;
} ara;

static int smaller(int x, int y)
{
  return x < y ? x : y;
}

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

/* Columns j .. j+n-1 of those that are named, n samples or the part of them that the basis has room for; the list is
 * the caller's. */
static batched_matrix columns_of(lowrank_work *w, const ara *a, const int64_t *which, int64_t count, int j, int n,
                                 bool samples, lowrank_list *list)
{
  LOWRANK_DO(w, lowrank_list_create(list, a->target->type, count));
  if (w->status) return (batched_matrix){0};
  for (int64_t i = 0; i < count; i++)
    lowrank_list_add(list, column_at(a, which[i], j), a->q.m,
                     samples ? n : smaller(n, most_columns(a->target, which[i]) - j), a->q.ld);
  return lowrank_list_batch(w, list, a->q.m, n);
}

/* Y = (I - Q Q^H) Y with the columns before it. */
static void project_out(lowrank_work *w, batched_matrix q, batched_matrix y)
{
  lowrank_work inner = {.ctx = w->ctx, .status = w->status};
  if (q.n == 0) return;
  const batched_matrix qy = lowrank_sized(lowrank_matrix(&inner, q.type, q.n, y.n, q.count), NULL, y.ns);
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

/* |A - Q Q^H A| by the new samples Y of each one, for the caller to free; NULL where that fails. */
static double *measure(lowrank_work *w, batched_matrix y)
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
    residuals[i] = (type == BATCHED_S ? (double)((const float *)host)[i] : ((const double *)host)[i]) / sqrt(y.n);
  w->status = lowrank_end(&inner);
  if (!w->status) return residuals;
  free(residuals);
  return NULL;
}

/* Of a sample that lies in the basis a projection leaves rounding errors, which may lie there, too: those that may be
 * no more than that are projected once more, and measured again. */
static void project_doubtful(ara *a, lowrank_work *w, int first, double *residuals)
{
  int64_t count = 0;
  for (int64_t i = 0; i < a->nactive && !w->status; i++)
    if (residuals[i] <= a->doubt[a->active[i]]) a->at[count++] = a->active[i];
  if (count == 0) return;
  lowrank_work inner = {.ctx = w->ctx, .status = w->status};
  lowrank_list before = {0}, now = {0};
  const batched_matrix y = columns_of(&inner, a, a->at, count, first, LOWRANK_SAMPLES, true, &now);
  const batched_matrix q = columns_of(&inner, a, a->at, count, 0, first, false, &before);
  project_out(&inner, q, y);
  double *again = measure(&inner, y);
  for (int64_t i = 0, k = 0; i < a->nactive && k < count && again; i++)
    if (a->active[i] == a->at[k]) residuals[i] = again[k++];
  free(again);
  lowrank_list_destroy(&before);
  lowrank_list_destroy(&now);
  w->status = lowrank_end(&inner);
}

/* Finds how much is enough for each one by its first samples.  Whoever has enough leaves. */
static void judge(ara *a, const double *residuals, int first)
{
  const double unit = batched_real_type(a->target->type) == BATCHED_S ? 0x1p-23 : 0x1p-52;
  int64_t kept = 0;
  for (int64_t i = 0; i < a->nactive; i++) {
    const int64_t which = a->active[i];
    const double residual = residuals[i];
    if (first == 0) {
      const double allowed = a->t.absolute ? a->t.tolerance : a->t.tolerance * residual;
      a->enough[which] = fmax(SAMPLED * allowed, 8 * unit * residual);
      a->doubt[which] = DOUBT * most_columns(a->target, which) * unit * residual;
    }
    const bool goes_on = residual > a->enough[which] || (residual - residual != 0 && first == 0); /* NaN, infinity */
    a->missed[which] = goes_on && first == a->limit && a->t.tolerance > 0;
    if (goes_on) a->active[kept++] = which;
  }
  a->nactive = kept;
}

/* LOWRANK_SAMPLES samples of those that are active; the first n, of those with more than noise, become columns
 * first .. first+n-1 of the basis, by block Gram-Schmidt, twice. */
static void add_samples(ara *a, int first, int n)
{
  lowrank_work inner = {.ctx = a->w->ctx, .status = a->w->status}, *w = &inner;
  lowrank_list before = {0}, now = {0};
  batched_matrix all = a->omega;
  all.count = 1;
  all.stride = (int64_t)all.ld * all.n;
  LOWRANK_DO(w, batched_random(w->ctx, a->t.seed, first, all));
  batched_matrix y = columns_of(w, a, a->active, a->nactive, first, LOWRANK_SAMPLES, true, &now);
  batched_matrix q = columns_of(w, a, a->active, a->nactive, 0, first, false, &before);
  LOWRANK_DO(w, a->op->sample(w->ctx, a->op->self, a->active, a->nactive, a->omega, &now));
  if (first > 0) project_out(w, q, y);
  double *residuals = measure(w, y);
  if (first > 0) project_doubtful(a, w, first, residuals);
  if (!w->status) judge(a, residuals, first);
  free(residuals);
  lowrank_list_destroy(&before);
  lowrank_list_destroy(&now);
  if (a->nactive > 0 && first < a->limit && !w->status) {
    y = columns_of(w, a, a->active, a->nactive, first, n, false, &now);
    q = columns_of(w, a, a->active, a->nactive, 0, first, false, &before);
    make_orthonormal(w, y);
    if (first > 0) {
      project_out(w, q, y);
      make_orthonormal(w, y);
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < a->nactive; i++) {
      const int64_t which = a->active[i];
      const int most = most_columns(a->target, which);
      a->columns[which] = smaller(first + n, most);
      if (a->columns[which] < most) a->active[kept++] = which;
    }
    a->nactive = kept;
    lowrank_list_destroy(&before);
    lowrank_list_destroy(&now);
  }
  a->w->status = lowrank_end(w);
}

/* The factors of those with the same number of columns. */
static void finish_group(ara *a, int64_t count, int columns)
{
  lowrank_work inner = {.ctx = a->w->ctx, .status = a->w->status}, *w = &inner;
  const lowrank_target *g = a->target;
  lowrank_list ql = {0}, ul = {0}, vl = {0};
  batched_matrix q = columns_of(w, a, a->at, count, 0, columns, false, &ql);
  batched_matrix z = lowrank_zeros(w, g->type, g->n, columns, count);
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
  if (!w->status) {
    batched_truncation t = a->t;
    t.tolerance *= ROUNDED;
    const batched_matrix u = lowrank_list_batch(w, &ul, g->m, g->room), v = lowrank_list_batch(w, &vl, g->n, g->room);
    bool done = false;
    if (g->by_gram) LOWRANK_DO(w, lowrank_round_gram(w->ctx, q, z, u, v, ranks, t, info, &done));
    if (!done) LOWRANK_DO(w, lowrank_round(w->ctx, q, true, z, u, v, ranks, t, info));
  }
  LOWRANK_DO(w, batched_copy_to_host(w->ctx, both, ranks, (size_t)count * sizeof *ranks));
  LOWRANK_DO(w, batched_copy_to_host(w->ctx, both + count, info, (size_t)count * sizeof *info));
  for (int64_t i = 0; i < count && !w->status; i++) {
    const int64_t which = a->at[i];
    g->ranks[which] = both[i];
    g->info[which] = both[count + i] || !a->missed[which] ? both[count + i] : a->limit + 1;
  }
  free(both);
  lowrank_list_destroy(&ql);
  lowrank_list_destroy(&ul);
  lowrank_list_destroy(&vl);
  a->w->status = lowrank_end(w);
}

static void finish(ara *a)
{
  for (int columns = 0; columns <= a->limit && !a->w->status; columns++) {
    int64_t count = 0;
    for (int64_t i = 0; i < a->target->count; i++)
      if (a->columns[i] == columns) a->at[count++] = i;
    if (columns == 0)
      for (int64_t i = 0; i < count; i++) a->target->ranks[a->at[i]] = a->target->info[a->at[i]] = 0;
    else if (count > 0)
      finish_group(a, count, columns);
  }
}

static bool take_lists(ara *a)
{
  const size_t n = (size_t)a->target->count;
  a->columns = calloc(n, sizeof *a->columns);
  a->enough = calloc(n, sizeof *a->enough);
  a->doubt = calloc(n, sizeof *a->doubt);
  a->active = malloc(n * sizeof *a->active);
  a->at = malloc(n * sizeof *a->at);
  a->missed = calloc(n, sizeof *a->missed);
  return a->columns && a->enough && a->doubt && a->active && a->at && a->missed;
}

int lowrank_ara(batched_ctx *ctx, const lowrank_operator *op, const lowrank_target *g, batched_truncation t)
{
  if (g->count == 0) return BATCHED_SUCCESS;
  lowrank_work w = {.ctx = ctx};
  const int room = t.max_rank > 0 ? smaller(t.max_rank, g->room) : g->room;
  ara a = {.w = &w, .op = op, .target = g, .t = t, .limit = smaller(g->m, room + LOWRANK_SAMPLES)};
  if (!take_lists(&a)) w.status = BATCHED_NO_MEMORY;
  a.omega = lowrank_matrix(&w, g->type, g->n, LOWRANK_SAMPLES, 1);
  a.omega.stride = 0;
  a.omega.count = g->count;
  const int test = a.limit < g->m ? LOWRANK_SAMPLES : 0; /* of what is then left */
  a.q = lowrank_zeros(&w, g->type, g->m, a.limit + LOWRANK_SAMPLES, g->count);
  for (int64_t i = 0; i < g->count && !w.status; i++)
    if (most_columns(g, i) > 0 && (g->ns ? g->ns[i] : g->n) > 0) a.active[a.nactive++] = i;
  for (int first = 0; first < a.limit + test && a.nactive > 0 && !w.status;) {
    const int end = first < a.limit ? smaller(a.limit, first + LOWRANK_SAMPLES) : a.limit + test;
    a.omega.count = a.nactive;
    add_samples(&a, first, end - first);
    first = end;
  }
  if (!w.status) finish(&a);
  free(a.columns);
  free(a.enough);
  free(a.doubt);
  free(a.active);
  free(a.at);
  free(a.missed);
  return lowrank_end(&w);
}
