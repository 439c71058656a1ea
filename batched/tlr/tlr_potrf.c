/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cholesky factorisation of a tile low-rank matrix, column by column, looking left: the tiles of a column, A_ik less
 * the sum of L_ij L_kj^H, are compressed once, from samples of the whole sum (Boukaram, Zampini, Turkiyyah, Keyes,
 * arXiv 2108.11932); then V of each is solved with the diagonal tile.
 */
#include <math.h>
#include <stdlib.h>

#include "batched/tlr/check_tlr.h"
#include "batched/tlr/tlr_sum.h"

static const batched_scalar one = {1, 0}, minus_one = {-1, 0};

/* Number of shifts that are tried where truncation makes A indefinite, each 4 times the one before. */
enum { SHIFTS = 8 };

typedef struct factorization {
  const batched_tlr *a;
  batched_tlr *l;
  batched_truncation t;
  int *is, *js;            /* owned: the targets of a column */
  int64_t *which;          /* owned */
  lowrank_new_tile *tiles; /* owned */
  int failed;              /* the first diagonal tile that stays indefinite, from 1 on */
  double cut_off;          /* how far truncation can have moved A's eigenvalues, where it failed */
} factorization;

static lowrank_sum column_sum(const factorization *f, int k, int64_t count)
{
  return (lowrank_sum){.a = f->l,
                       .b = f->l,
                       .c = f->a,
                       .flipped = true,
                       .terms = k,
                       .alpha = minus_one,
                       .beta = one,
                       .count = count,
                       .is = f->is,
                       .js = f->js};
}

static batched_matrix diagonal_tile(const batched_tlr *l, int k)
{
  const lowrank_tile t = lowrank_tile_of(l, k, k);
  return batched_make_strided(l->type, t.d, t.m, t.n, t.ldd, (int64_t)t.ldd * t.n, 1);
}

/* The diagonal as a vector. */
static batched_matrix diagonal_of(batched_matrix a)
{
  a.m = 1;
  a.ld += 1;
  a.stride = (int64_t)a.ld * a.n;
  return a;
}

/* A dense matrix's norm, on the host. */
static double norm_of(lowrank_work *w, batched_matrix a)
{
  lowrank_work inner = {.ctx = w->ctx, .status = w->status};
  const batched_type type = batched_real_type(a.type);
  double number = 0;
  const batched_matrix r = lowrank_matrix(&inner, type, 1, 1, 1);
  LOWRANK_DO(&inner, batched_norm(w->ctx, BATCHED_FROBENIUS_NORM, a, r));
  LOWRANK_DO(&inner, batched_copy_to_host(w->ctx, &number, r.data, batched_element_bytes(type)));
  w->status = lowrank_end(&inner);
  return lowrank_real_at(type, &number, 0);
}

/* D = D + shift I */
static void add_to_diagonal(lowrank_work *w, batched_matrix d, double shift)
{
  lowrank_work inner = {.ctx = w->ctx, .status = w->status};
  const batched_matrix ones = lowrank_matrix(&inner, d.type, 1, d.n, 1);
  LOWRANK_DO(&inner, batched_set(w->ctx, one, one, ones));
  LOWRANK_DO(&inner, batched_axpy(w->ctx, batched_real(shift), ones, diagonal_of(d)));
  w->status = lowrank_end(&inner);
}

static void factor_diagonal(lowrank_work *w, factorization *f, int k)
{
  lowrank_work inner = {.ctx = w->ctx, .status = w->status};
  const batched_matrix d = diagonal_tile(f->l, k);
  int *there = lowrank_push(&inner, sizeof *there), info = 0;
  if (f->l->shift > 0) add_to_diagonal(&inner, d, f->l->shift);
  LOWRANK_DO(&inner, batched_potrf(w->ctx, BATCHED_LOWER, d, there));
  LOWRANK_DO(&inner, batched_copy_to_host(w->ctx, &info, there, sizeof info));
  if (info) f->failed = k + 1;
  w->status = lowrank_end(&inner);
}

static void make_diagonal(lowrank_work *w, factorization *f, int k)
{
  lowrank_work inner = {.ctx = w->ctx, .status = w->status};
  const lowrank_new_tile tile = {.i = k, .j = k, .rank = -1};
  lowrank_list list = {0};
  f->is[0] = f->js[0] = k;
  f->which[0] = 0;
  lowrank_append(&inner, f->l, &tile, 1, true);
  LOWRANK_DO(&inner, lowrank_list_create(&list, f->l->type, 1));
  lowrank_sum s = column_sum(f, k, 1);
  if (!inner.status) {
    const batched_matrix d = diagonal_tile(f->l, k);
    lowrank_list_add(&list, d.data, d.m, d.n, d.ld);
    lowrank_sum_begin(&inner, &s);
    if (!inner.status) lowrank_sum_dense(&inner, &s, f->which, &list, false);
    lowrank_sum_end(&s);
  }
  lowrank_list_destroy(&list);
  w->status = lowrank_end(&inner);
  if (!w->status) factor_diagonal(w, f, k);
}

/* V = L_kk^-1 V of low-rank tiles, D = D L_kk^-H of dense ones. */
static void solve_column(lowrank_work *w, const factorization *f, int k, int64_t count)
{
  lowrank_list v = {0}, d = {0};
  const batched_matrix l = diagonal_tile(f->l, k);
  batched_matrix shared = l;
  shared.stride = 0;
  LOWRANK_DO(w, lowrank_list_create(&v, f->l->type, count));
  LOWRANK_DO(w, lowrank_list_create(&d, f->l->type, count));
  for (int64_t t = 0; t < count && !w->status; t++) {
    const lowrank_new_tile *x = &f->tiles[t];
    if (x->rank > 0) lowrank_list_add(&v, (void *)x->v, l.n, x->rank, x->ldv);
    if (x->rank < 0) lowrank_list_add(&d, (void *)x->d, lowrank_tile_rows(f->l, x->i), l.n, x->ldd);
  }
  if (v.count > 0 && !w->status) {
    shared.count = v.count;
    const batched_matrix b = lowrank_list_batch(w, &v, -1, -1);
    LOWRANK_DO(w,
               batched_trsm(w->ctx, BATCHED_LEFT, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, one, shared, b));
  }
  if (d.count > 0 && !w->status) {
    shared.count = d.count;
    const batched_matrix b = lowrank_list_batch(w, &d, -1, -1);
    LOWRANK_DO(
      w, batched_trsm(w->ctx, BATCHED_RIGHT, BATCHED_LOWER, BATCHED_CONJ_TRANS, BATCHED_NON_UNIT, one, shared, b));
  }
  lowrank_list_destroy(&v);
  lowrank_list_destroy(&d);
}

/* Tiles of column k that are made at the same time, with two factors and a basis for each. */
static int64_t tiles_at_once(const factorization *f)
{
  const double room = f->t.max_rank > 0 && f->t.max_rank < f->a->tile ? f->t.max_rank : f->a->tile / 2 + 1;
  const double budget = f->a->space == BATCHED_CUDA ? 8e9 : 2.5e8;
  const double tile = (double)f->a->tile * (double)batched_element_bytes(f->a->type);
  const double fit = budget / (3 * (room + 2 * LOWRANK_SAMPLES) * tile);
  return fit < 1 ? 1 : (int64_t)fit;
}

static void make_column(lowrank_work *w, factorization *f, int k, int *missed)
{
  const int64_t step = tiles_at_once(f);
  for (int64_t first = k + 1; first < f->a->mt && !w->status; first += step) {
    lowrank_work inner = {.ctx = w->ctx};
    const int64_t count = f->a->mt - first < step ? f->a->mt - first : step;
    for (int64_t t = 0; t < count; t++) {
      f->is[t] = (int)(first + t);
      f->js[t] = k;
    }
    lowrank_sum s = column_sum(f, k, count);
    lowrank_sum_begin(&inner, &s);
    if (!inner.status) lowrank_sum_tiles(&inner, &s, f->t, f->tiles, missed);
    lowrank_sum_end(&s);
    if (!inner.status) solve_column(&inner, f, k, count);
    lowrank_append(&inner, f->l, f->tiles, inner.status ? 0 : count, false);
    w->status = lowrank_end(&inner);
  }
}

/* One attempt, in the memory of the one before; f->failed says where it ended. */
static void factor(lowrank_work *w, factorization *f, double shift, int *info)
{
  *info = f->failed = 0;
  if (f->l) {
    lowrank_tlr_clear(w->ctx, f->l);
  } else if ((f->l = lowrank_tlr_like(f->a))) {
    lowrank_reserve(w, f->l, f->a);
  } else {
    w->status = BATCHED_NO_MEMORY;
  }
  if (f->l) f->l->shift = shift;
  for (int k = 0; k < f->a->mt && !w->status && !f->failed; k++) {
    make_diagonal(w, f, k);
    if (!f->failed) make_column(w, f, k, info);
  }
  if (f->l && !f->failed) lowrank_trim(w, f->l);
  LOWRANK_DO(w, batched_synchronize(w->ctx));
  if (f->failed && !w->status)
    f->cut_off = lowrank_cut_off(w, f->a, f->failed, false, f->t) + lowrank_cut_off(w, f->l, f->failed, true, f->t);
}

/* The tolerance, or, where that is relative, times the root mean square of a diagonal tile's singular values. */
static double first_shift(lowrank_work *w, const factorization *f)
{
  const batched_matrix d = diagonal_tile(f->a, 0);
  return f->t.absolute ? f->t.tolerance : f->t.tolerance * norm_of(w, d) / sqrt(d.m);
}

/* Without a shift, then with larger ones: none beyond what makes up for the truncation, since a matrix that is still
 * indefinite was so before. */
static void attempt(lowrank_work *w, factorization *f, int *info)
{
  double shift = 0;
  for (int i = 0; i <= SHIFTS && !w->status; i++) {
    factor(w, f, shift, info);
    if (!f->failed || w->status) return;
    const double larger = i == 0 ? first_shift(w, f) : 4 * shift, next = larger < f->cut_off ? larger : f->cut_off;
    if (!(next > shift)) return;
    shift = next;
  }
}

int batched_tlr_potrf(batched_ctx *ctx, batched_tlr *a, batched_truncation t, int *info)
{
  if (!ctx) return -1;
  if (!lowrank_tlr_is_hermitian(ctx, a, "a")) return -2;
  if (!lowrank_is_truncation(&t)) return -3;
  if (!batched_is_given(info, "info", true)) return -4;
  lowrank_work w = {.ctx = ctx};
  const size_t n = (size_t)a->mt + 1;
  factorization f = {.a = a,
                     .t = t,
                     .is = malloc(n * sizeof *f.is),
                     .js = malloc(n * sizeof *f.js),
                     .which = malloc(n * sizeof *f.which),
                     .tiles = malloc(n * sizeof *f.tiles)};
  *info = 0;
  if (!f.is || !f.js || !f.which || !f.tiles) w.status = BATCHED_NO_MEMORY;
  if (!w.status) attempt(&w, &f, info);
  if ((w.status || f.failed) && f.l) batched_tlr_destroy(ctx, &f.l);
  if (f.failed) *info = 1 + (int)lowrank_place(a, f.failed - 1, f.failed - 1);
  if (f.l) lowrank_tlr_replace(ctx, a, &f.l);
  free(f.is);
  free(f.js);
  free(f.which);
  free(f.tiles);
  return lowrank_end(&w);
}

int batched_tlr_logdet(batched_ctx *ctx, const batched_tlr *l, double *logdet)
{
  if (!ctx) return -1;
  if (!lowrank_tlr_is_hermitian(ctx, l, "l")) return -2;
  if (!batched_is_given(logdet, "logdet", true)) return -3;
  lowrank_work w = {.ctx = ctx};
  const size_t element = batched_element_bytes(l->type);
  const batched_matrix all = lowrank_matrix(&w, l->type, 1, l->n, 1);
  void *host = malloc((size_t)l->n * element + 1);
  if (!host && !w.status) w.status = BATCHED_NO_MEMORY;
  for (int k = 0; k < l->mt && !w.status; k++) {
    const batched_matrix d = diagonal_of(diagonal_tile(l, k));
    LOWRANK_DO(&w, batched_copy(ctx, d, lowrank_block(all, 0, k * l->tile, 1, d.n)));
  }
  LOWRANK_DO(&w, batched_copy_to_host(ctx, host, all.data, (size_t)l->n * element));
  double sum = 0;
  for (int i = 0; i < l->n && !w.status; i++) sum += 2 * log(lowrank_real_at(l->type, host, i));
  *logdet = sum;
  free(host);
  return lowrank_end(&w);
}
