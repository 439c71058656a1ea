/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products of tile low-rank matrices.  Row `inner`: each tile of C once, from all terms of its sum.  Row `outer`: term
 * after term, all tiles of C for each (Charara, Keyes, Ltaief, Euro-Par 2018).
 */
#include <stdlib.h>

#include "batched/tlr/check_tlr.h"
#include "batched/tlr/tlr_sum.h"
#include "batched/tlr/tlrgemm.h"

const batched_op batched_tlrgemm_op = {
  .name = "tlrgemm",
  .key = "tlrgemm",
  .variants = {batched_tlrgemm_host, batched_tlrgemm_cuda},
};

/* All tiles of C, row by row, or so many of them. */
typedef struct grid {
  int *is, *js;   /* owned */
  int64_t *which; /* owned */
  int64_t count;
} grid;

static bool make_grid(grid *g, int mt, int nt)
{
  const size_t n = (size_t)mt * (size_t)nt + 1;
  *g = (grid){malloc(n * sizeof *g->is), malloc(n * sizeof *g->js), malloc(n * sizeof *g->which), 0};
  if (!g->is || !g->js || !g->which) return false;
  for (int i = 0; i < mt; i++)
    for (int j = 0; j < nt; j++) {
      g->is[g->count] = i;
      g->js[g->count] = j;
      g->which[g->count] = g->count;
      g->count++;
    }
  return true;
}

static void free_grid(grid *g)
{
  free(g->is);
  free(g->js);
  free(g->which);
}

/* Tiles of the dense C, of the size that A and B say. */
static void list_dense(lowrank_work *w, const batched_tlrgemm_args *g, const grid *all, lowrank_list *list)
{
  LOWRANK_DO(w, lowrank_list_create(list, g->dense.type, all->count));
  for (int64_t t = 0; t < all->count && !w->status; t++) {
    const int i = all->is[t], j = all->js[t];
    lowrank_list_add(list,
                     lowrank_at(g->dense.type, batched_at(&g->dense, 0), (int64_t)i * g->a->tile,
                                (int64_t)j * g->a->tile, g->dense.ld),
                     lowrank_tile_rows(g->a, i), lowrank_tile_columns(g->b, j), g->dense.ld);
  }
}

/* Tiles of C that are made at the same time, with two factors and a basis for each. */
static int64_t tiles_at_once(const batched_tlr *c, batched_truncation t)
{
  const double room = t.max_rank > 0 && t.max_rank < c->tile ? t.max_rank : c->tile / 2 + 1;
  const double budget = c->space == BATCHED_CUDA ? 8e9 : 2.5e8;
  const double fit = budget / (3 * (room + 2 * LOWRANK_SAMPLES) * c->tile * (double)batched_element_bytes(c->type));
  return fit < 1 ? 1 : (int64_t)fit;
}

static void inner_tlr(lowrank_work *w, const batched_tlrgemm_args *g, const grid *all)
{
  batched_tlr *result = lowrank_tlr_like(g->tlr);
  const int64_t step = tiles_at_once(g->tlr, g->t);
  lowrank_new_tile *tiles = malloc(((size_t)(step < all->count ? step : all->count) + 1) * sizeof *tiles);
  if (!result || !tiles) w->status = BATCHED_NO_MEMORY;
  for (int64_t first = 0; first < all->count && !w->status; first += step) {
    lowrank_work inner = {.ctx = w->ctx};
    const int64_t count = all->count - first < step ? all->count - first : step;
    lowrank_sum s = {.a = g->a,
                     .b = g->b,
                     .c = g->tlr,
                     .terms = g->a->nt,
                     .alpha = g->alpha,
                     .beta = g->beta,
                     .count = count,
                     .is = all->is + first,
                     .js = all->js + first};
    lowrank_sum_begin(&inner, &s);
    if (!inner.status) lowrank_sum_tiles(&inner, &s, g->t, tiles, g->info);
    lowrank_sum_end(&s);
    lowrank_append(&inner, result, tiles, count, false);
    w->status = lowrank_end(&inner);
  }
  free(tiles);
  LOWRANK_DO(w, batched_synchronize(w->ctx));
  if (!w->status) lowrank_tlr_replace(w->ctx, g->tlr, &result);
  if (result) batched_tlr_destroy(w->ctx, &result);
}

static void inner_dense(lowrank_work *w, const batched_tlrgemm_args *g, const grid *all)
{
  lowrank_list list = {0};
  list_dense(w, g, all, &list);
  lowrank_sum s = {.a = g->a,
                   .b = g->b,
                   .terms = g->a->nt,
                   .alpha = g->alpha,
                   .beta = g->beta,
                   .count = all->count,
                   .is = all->is,
                   .js = all->js};
  lowrank_sum_begin(w, &s);
  if (!w->status) lowrank_sum_dense(w, &s, all->which, &list, true);
  lowrank_sum_end(&s);
  lowrank_list_destroy(&list);
}

int tlr_gemm_inner(batched_ctx *ctx, const void *args)
{
  const batched_tlrgemm_args *g = args;
  lowrank_work w = {.ctx = ctx};
  grid all;
  if (!make_grid(&all, g->a->mt, g->b->nt)) w.status = BATCHED_NO_MEMORY;
  if (!w.status && g->tlr) inner_tlr(&w, g, &all);
  if (!w.status && !g->tlr) inner_dense(&w, g, &all);
  free_grid(&all);
  return lowrank_end(&w);
}

static bool has_dense(const batched_tlr *a)
{
  for (int64_t i = 0; i < (int64_t)a->mt * a->nt; i++)
    if (a->ranks[i] < 0) return true;
  return false;
}

bool tlr_can_be_outer(const void *args)
{
  const batched_tlrgemm_args *g = args;
  return !has_dense(g->a) && !has_dense(g->b) && !(g->tlr && has_dense(g->tlr));
}

/* The factors of A's column k or B's row k, one pair for each tile of C. */
static batched_lowrank factors_of(lowrank_work *w, const batched_tlr *a, const grid *all, int k, bool left,
                                  lowrank_list *u, lowrank_list *v)
{
  u->count = v->count = 0;
  for (int64_t t = 0; t < all->count; t++) {
    const lowrank_tile x = left ? lowrank_tile_of(a, all->is[t], k) : lowrank_tile_of(a, k, all->js[t]);
    lowrank_list_add(u, x.u, x.m, x.rank, x.ldu);
    lowrank_list_add(v, x.v, x.n, x.rank, x.ldv);
  }
  const batched_matrix bu = lowrank_list_batch(w, u, -1, -1);
  return batched_factors(bu, lowrank_list_batch(w, v, -1, -1), (int *)bu.ns);
}

/* Factors with room, where the tiles of C are copied to. */
typedef struct growing {
  batched_matrix u, v;
  int *ranks, *info;   /* in the context's space */
  lowrank_list ul, vl; /* heights */
} growing;

static batched_lowrank start_growing(lowrank_work *w, const batched_tlrgemm_args *g, const grid *all, growing *x)
{
  const int tile = g->a->tile, room = g->t.max_rank > 0 && g->t.max_rank < tile ? g->t.max_rank : tile / 2 + 1;
  lowrank_list from_u = {0}, from_v = {0};
  LOWRANK_DO(w, lowrank_list_create(&from_u, g->a->type, all->count));
  LOWRANK_DO(w, lowrank_list_create(&from_v, g->a->type, all->count));
  LOWRANK_DO(w, lowrank_list_create(&x->ul, g->a->type, all->count));
  LOWRANK_DO(w, lowrank_list_create(&x->vl, g->a->type, all->count));
  x->u = lowrank_matrix(w, g->a->type, tile, room, all->count);
  x->v = lowrank_matrix(w, g->a->type, tile, room, all->count);
  x->info = lowrank_push(w, (size_t)all->count * sizeof *x->info);
  x->ranks = lowrank_push(w, (size_t)all->count * sizeof *x->ranks);
  for (int64_t t = 0; t < all->count && !w->status; t++) {
    const lowrank_tile c = lowrank_tile_of(g->tlr, all->is[t], all->js[t]);
    lowrank_list_add(&from_u, c.u, c.m, c.rank, c.ldu);
    lowrank_list_add(&from_v, c.v, c.n, c.rank, c.ldv);
    lowrank_list_add(&x->ul, batched_at(&x->u, t), c.m, c.rank, tile);
    lowrank_list_add(&x->vl, batched_at(&x->v, t), c.n, c.rank, tile);
    if (c.rank > room) w->status = BATCHED_DOES_NOT_FIT;
  }
  LOWRANK_DO(w, batched_copy_from_host(w->ctx, x->ranks, x->ul.ns, (size_t)all->count * sizeof *x->ranks));
  if (!w->status) {
    const batched_matrix u = lowrank_list_batch(w, &from_u, tile, -1), v = lowrank_list_batch(w, &from_v, tile, -1);
    LOWRANK_DO(w, batched_copy(w->ctx, u, lowrank_list_batch(w, &x->ul, tile, -1)));
    LOWRANK_DO(w, batched_copy(w->ctx, v, lowrank_list_batch(w, &x->vl, tile, -1)));
  }
  lowrank_list_destroy(&from_u);
  lowrank_list_destroy(&from_v);
  if (w->status) return (batched_lowrank){{0}, {0}, NULL};
  for (int64_t t = 0; t < all->count; t++) x->ul.ns[t] = x->vl.ns[t] = room;
  const batched_matrix u = lowrank_list_batch(w, &x->ul, -1, room);
  return batched_factors(u, lowrank_list_batch(w, &x->vl, -1, room), x->ranks);
}

/* The tiles of C from what they have grown to. */
static void finish_growing(lowrank_work *w, const batched_tlrgemm_args *g, const grid *all, const growing *x)
{
  batched_tlr *result = lowrank_tlr_like(g->tlr);
  lowrank_new_tile *tiles = malloc((size_t)all->count * sizeof *tiles);
  int *ranks = malloc((size_t)all->count * sizeof *ranks), *info = malloc((size_t)all->count * sizeof *info);
  if (!result || !tiles || !ranks || !info) w->status = BATCHED_NO_MEMORY;
  LOWRANK_DO(w, batched_copy_to_host(w->ctx, ranks, x->ranks, (size_t)all->count * sizeof *ranks));
  LOWRANK_DO(w, batched_copy_to_host(w->ctx, info, x->info, (size_t)all->count * sizeof *info));
  for (int64_t t = 0; t < all->count && !w->status; t++) {
    tiles[t] = (lowrank_new_tile){.i = all->is[t],
                                  .j = all->js[t],
                                  .rank = ranks[t],
                                  .u = batched_at(&x->u, t),
                                  .v = batched_at(&x->v, t),
                                  .ldu = g->a->tile,
                                  .ldv = g->a->tile};
    if (info[t] && !*g->info) *g->info = 1 + (int)lowrank_place(g->tlr, all->is[t], all->js[t]);
  }
  lowrank_append(w, result, tiles, w->status ? 0 : all->count, true);
  LOWRANK_DO(w, batched_synchronize(w->ctx));
  if (!w->status) lowrank_tlr_replace(w->ctx, g->tlr, &result);
  if (result) batched_tlr_destroy(w->ctx, &result);
  free(tiles);
  free(ranks);
  free(info);
}

/* Every tile of C is read and written for each k. */
int tlr_gemm_outer(batched_ctx *ctx, const void *args)
{
  const batched_tlrgemm_args *g = args;
  lowrank_work w = {.ctx = ctx};
  grid all;
  growing x = {0};
  lowrank_list lists[4] = {{0}}, dense = {0};
  batched_lowrank c = {{0}, {0}, NULL};
  if (!make_grid(&all, g->a->mt, g->b->nt)) w.status = BATCHED_NO_MEMORY;
  for (int i = 0; i < 4; i++) LOWRANK_DO(&w, lowrank_list_create(&lists[i], g->a->type, all.count));
  if (!w.status && g->tlr) {
    c = start_growing(&w, g, &all, &x);
  } else if (!w.status) {
    list_dense(&w, g, &all, &dense);
    if (!w.status) c = batched_dense(lowrank_list_batch(&w, &dense, -1, -1));
  }
  for (int k = 0; k < g->a->nt && !w.status; k++) {
    lowrank_work inner = {.ctx = ctx};
    const batched_lowrank a = factors_of(&inner, g->a, &all, k, true, &lists[0], &lists[1]);
    const batched_lowrank b = factors_of(&inner, g->b, &all, k, false, &lists[2], &lists[3]);
    LOWRANK_DO(&inner, batched_lrgemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, g->alpha, a, b,
                                      k == 0 ? g->beta : batched_real(1), c, g->t, x.info));
    w.status = lowrank_end(&inner);
  }
  if (!w.status && g->tlr) finish_growing(&w, g, &all, &x);
  for (int i = 0; i < 4; i++) lowrank_list_destroy(&lists[i]);
  lowrank_list_destroy(&dense);
  lowrank_list_destroy(&x.ul);
  lowrank_list_destroy(&x.vl);
  free_grid(&all);
  return lowrank_end(&w);
}

/* Runs the operation, on copies with all tiles where A or B is Hermitian. */
static int run_product(batched_ctx *ctx, batched_tlrgemm_args args)
{
  lowrank_work w = {.ctx = ctx};
  const batched_tlr *given[] = {args.a, args.b};
  batched_tlr *copies[] = {NULL, NULL};
  for (int i = 0; i < 2; i++)
    if (given[i]->shape == BATCHED_TLR_HERMITIAN && !(i == 1 && given[1] == given[0]) && !w.status)
      copies[i] = lowrank_general(&w, given[i]);
  if (copies[0]) args.a = copies[0];
  if (copies[1]) args.b = copies[1];
  if (given[0] == given[1]) args.b = args.a;
  LOWRANK_DO(&w, batched_run(ctx, &batched_tlrgemm_op, &args));
  for (int i = 0; i < 2; i++)
    if (copies[i]) batched_tlr_destroy(ctx, &copies[i]);
  return lowrank_end(&w);
}

/* C = beta C where A has no columns is left to the operation on C alone. */
int batched_tlr_gemm_dense(batched_ctx *ctx, batched_scalar alpha, const batched_tlr *a, const batched_tlr *b,
                           batched_scalar beta, batched_matrix c)
{
  if (!ctx) return -1;
  if (!lowrank_tlr_is_here(ctx, a, "a")) return -3;
  if (!lowrank_tlr_is_here(ctx, b, "b") || !lowrank_tlr_is_like(b, a, a->n, -1)) return -4;
  if (!lowrank_tlr_is_dense(ctx, &c, a->type, a->m, b->n)) return -6;
  if (c.m == 0 || c.n == 0) return BATCHED_SUCCESS;
  if (a->n == 0) return batched_scal(ctx, beta, c);
  return run_product(ctx, (batched_tlrgemm_args){alpha, beta, a, b, NULL, c, {0}, NULL});
}

int batched_tlr_gemm(batched_ctx *ctx, batched_scalar alpha, const batched_tlr *a, const batched_tlr *b,
                     batched_scalar beta, batched_tlr *c, batched_truncation t, int *info)
{
  if (!ctx) return -1;
  if (!lowrank_tlr_is_here(ctx, a, "a")) return -3;
  if (!lowrank_tlr_is_here(ctx, b, "b") || !lowrank_tlr_is_like(b, a, a->n, -1)) return -4;
  if (!lowrank_tlr_is_here(ctx, c, "c") || !lowrank_tlr_is_like(c, a, a->m, b->n) ||
      !batched_accept(c->shape == BATCHED_TLR_GENERAL, "c is not BATCHED_TLR_GENERAL") ||
      !batched_accept(c != a && c != b, "c is also a or b"))
    return -6;
  if (!lowrank_is_truncation(&t)) return -7;
  if (!batched_is_given(info, "info", true)) return -8;
  *info = 0;
  if (c->m == 0 || c->n == 0) return BATCHED_SUCCESS;
  return run_product(ctx, (batched_tlrgemm_args){alpha, beta, a, b, c, {0}, t, info});
}
