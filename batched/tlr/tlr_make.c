/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tile low-rank matrices from dense ones and from functions, and back.
 */
#include <stdlib.h>

#include "batched/tlr/check_tlr.h"

static const batched_scalar zero = {0, 0}, one = {1, 0};

/* Source of the elements: a dense matrix, a function on the host, or one for many tiles. */
typedef struct source {
  const batched_matrix *dense;
  batched_tlr_function function;
  batched_tlr_filler fill;
  void *data;
} source;

/* Tiles that are made at the same time, and what memory they may take: the tile, two factors, samples. */
static int64_t tiles_at_once(const batched_tlr *a)
{
  const double budget = a->space == BATCHED_CUDA ? 4e9 : 2.5e8;
  const double tiles = budget / (4.0 * a->tile * a->tile * (double)batched_element_bytes(a->type));
  return tiles < 1 ? 1 : tiles > 1024 ? 1024 : (int64_t)tiles;
}

/* Elements of the tiles are in memory of the list, or, of a dense matrix, where they are. */
static void evaluate(lowrank_work *w, const source *s, batched_tlr *a, lowrank_new_tile *tiles, int64_t count)
{
  lowrank_work inner = {.ctx = w->ctx, .status = w->status};
  lowrank_list list = {0};
  LOWRANK_DO(&inner, lowrank_list_create(&list, a->type, count));
  int *corners = malloc(2 * (size_t)count * sizeof *corners);
  void *host = s->function ? malloc((size_t)a->tile * (size_t)a->tile * batched_element_bytes(a->type)) : NULL;
  if (!corners || (s->function && !host)) inner.status = BATCHED_NO_MEMORY;
  for (int64_t k = 0; k < count && !inner.status; k++) {
    lowrank_new_tile *t = &tiles[k];
    const int m = lowrank_tile_rows(a, t->i), n = lowrank_tile_columns(a, t->j);
    corners[k] = t->i * a->tile;
    corners[count + k] = t->j * a->tile;
    lowrank_list_add(&list, (void *)t->d, m, n, t->ldd);
    if (!s->function) continue;
    s->function(s->data, corners[k], corners[count + k], m, n, host);
    LOWRANK_DO(&inner, batched_copy_from_host(w->ctx, (void *)t->d, host,
                                              (size_t)m * (size_t)n * batched_element_bytes(a->type)));
  }
  if (s->fill && !inner.status) {
    const size_t bytes = 2 * (size_t)count * sizeof *corners;
    int *there = lowrank_push(&inner, bytes);
    LOWRANK_DO(&inner, batched_copy_from_host(w->ctx, there, corners, bytes));
    const batched_matrix all = lowrank_list_batch(&inner, &list, -1, -1);
    LOWRANK_DO(&inner, s->fill(w->ctx, s->data, batched_each(a->m, there),
                               batched_each(a->n, there ? there + count : NULL), all));
  }
  free(corners);
  free(host);
  lowrank_list_destroy(&list);
  w->status = lowrank_end(&inner);
}

/* Places for the elements. */
static void place(lowrank_work *w, const source *s, const batched_tlr *a, lowrank_new_tile *tiles, int64_t count)
{
  batched_matrix work = {0};
  if (!s->dense) work = lowrank_matrix(w, a->type, a->tile, a->tile, count);
  for (int64_t k = 0; k < count && !w->status; k++) {
    lowrank_new_tile *t = &tiles[k];
    t->ldd = s->dense ? batched_ld(s->dense, 0) : lowrank_tile_rows(a, t->i);
    t->d = s->dense
             ? lowrank_at(a->type, batched_at(s->dense, 0), (int64_t)t->i * a->tile, (int64_t)t->j * a->tile, t->ldd)
             : batched_at(&work, k);
  }
}

/* By the row that lrcompress takes, but ara rounds by Gram matrices, as tiles of sums are. */
static int compress_by_row(batched_ctx *ctx, const batched_lrcompress_args *c)
{
  const batched_variant *row = batched_choose(ctx, &batched_lrcompress_op, c);
  if (row && row->run == lowrank_compress_ara) return lowrank_compress_ara_by_gram(ctx, c);
  return batched_lrcompress(ctx, c->a, batched_factors(c->cu, c->cv, c->ranks), c->t, c->info);
}

/* The ranks and factors of tiles whose elements are there; *missed: as info. */
static void compress(lowrank_work *w, batched_tlr *a, lowrank_new_tile *tiles, int64_t count, batched_truncation t,
                     int *missed)
{
  const int room = t.max_rank > 0 && t.max_rank < a->tile ? t.max_rank : a->tile / 2 + 1;
  const batched_matrix u = lowrank_matrix(w, a->type, a->tile, room, count);
  const batched_matrix v = lowrank_matrix(w, a->type, a->tile, room, count);
  lowrank_list dense = {0};
  LOWRANK_DO(w, lowrank_list_create(&dense, a->type, count));
  int *both = malloc(2 * (size_t)count * sizeof *both), *there = lowrank_push(w, 2 * (size_t)count * sizeof *both);
  if (!both && !w->status) w->status = BATCHED_NO_MEMORY;
  for (int64_t k = 0; k < count && !w->status; k++)
    lowrank_list_add(&dense, (void *)tiles[k].d, lowrank_tile_rows(a, tiles[k].i), lowrank_tile_columns(a, tiles[k].j),
                     tiles[k].ldd);
  if (!w->status) {
    const batched_matrix all = lowrank_list_batch(w, &dense, a->tile, a->tile);
    const batched_lrcompress_args args = {all, lowrank_sized(u, all.ms, NULL), lowrank_sized(v, all.ns, NULL), there,
                                          t,   there ? there + count : NULL};
    LOWRANK_DO(w, compress_by_row(w->ctx, &args));
  }
  LOWRANK_DO(w, batched_copy_to_host(w->ctx, both, there, 2 * (size_t)count * sizeof *both));
  for (int64_t k = 0; k < count && !w->status; k++) {
    lowrank_new_tile *n = &tiles[k];
    const bool failed = both[count + k] != 0;
    if (failed && t.max_rank > 0 && !*missed) *missed = 1 + (int)lowrank_place(a, n->i, n->j);
    const bool pays = lowrank_pays(lowrank_tile_rows(a, n->i), lowrank_tile_columns(a, n->j), both[k]);
    n->rank = pays && !(failed && t.max_rank == 0) ? both[k] : -1;
    n->u = batched_at(&u, k);
    n->v = batched_at(&v, k);
    n->ldu = n->ldv = a->tile;
  }
  free(both);
  lowrank_list_destroy(&dense);
}

/* Some tiles of one kind: all compressed, or all dense. */
static void make_some(lowrank_work *w, const source *s, batched_tlr *a, lowrank_new_tile *tiles, int64_t count,
                      batched_truncation t, bool dense, int *missed)
{
  lowrank_work inner = {.ctx = w->ctx, .status = w->status};
  if (count == 0) return;
  place(&inner, s, a, tiles, count);
  evaluate(&inner, s, a, tiles, count);
  if (!dense) compress(&inner, a, tiles, count, t, missed);
  lowrank_append(&inner, a, tiles, count, true);
  w->status = lowrank_end(&inner);
}

static void make_all(lowrank_work *w, const source *s, batched_tlr *a, batched_truncation t, int *missed)
{
  const int64_t most = tiles_at_once(a);
  lowrank_new_tile *tiles = malloc((size_t)most * sizeof *tiles);
  if (!tiles) w->status = BATCHED_NO_MEMORY;
  for (int pass = 0; pass < 2; pass++) { /* tiles off the diagonal, and, of a Hermitian matrix, on it */
    int64_t count = 0;
    for (int i = 0; i < a->mt && !w->status; i++)
      for (int j = 0; j < a->nt && !w->status; j++) {
        const bool dense = a->shape == BATCHED_TLR_HERMITIAN && i == j;
        if (!lowrank_is_stored(a, i, j) || dense != pass) continue;
        tiles[count++] = (lowrank_new_tile){.i = i, .j = j, .rank = -1};
        if (count < most) continue;
        make_some(w, s, a, tiles, count, t, pass, missed);
        count = 0;
      }
    if (!w->status) make_some(w, s, a, tiles, count, t, pass, missed);
  }
  free(tiles);
}

static int make(batched_ctx *ctx, batched_tlr **a, const source *s, batched_type type, int m, int n, int tile,
                batched_tlr_shape shape, batched_truncation t, int *info)
{
  lowrank_work w = {.ctx = ctx};
  *info = 0;
  batched_tlr *b = lowrank_tlr_new(batched_get_space(ctx), type, m, n, tile, shape);
  if (!b) return BATCHED_NO_MEMORY;
  make_all(&w, s, b, t, info);
  LOWRANK_DO(&w, batched_synchronize(ctx));
  if (w.status)
    batched_tlr_destroy(ctx, &b);
  else
    *a = b;
  return w.status;
}

int batched_tlr_from_dense(batched_ctx *ctx, batched_tlr **a, batched_matrix dense, int tile, batched_tlr_shape shape,
                           batched_truncation t, int *info)
{
  if (!ctx) return -1;
  if (!batched_is_given(a, "a", true)) return -2;
  *a = NULL;
  if (!lowrank_tlr_is_dense(ctx, &dense, dense.type, dense.m, dense.n)) return -3;
  if (!lowrank_tlr_is_tile(tile)) return -4;
  if (!lowrank_tlr_is_shape(shape, dense.m, dense.n)) return -5;
  if (!lowrank_is_truncation(&t)) return -6;
  if (!batched_is_given(info, "info", true)) return -7;
  const source s = {.dense = &dense};
  return make(ctx, a, &s, dense.type, dense.m, dense.n, tile, shape, t, info);
}

static int fill_by_kernel(batched_ctx *ctx, void *kernel, batched_extent row, batched_extent column,
                          batched_matrix tiles)
{
  return batched_evaluate(ctx, kernel, row, column, tiles);
}

int batched_tlr_from_kernel(batched_ctx *ctx, batched_tlr **a, batched_type type, int m, int n, int tile,
                            batched_tlr_shape shape, const batched_kernel *kernel, batched_truncation t, int *info)
{
  const int wrong = lowrank_tlr_check_made(ctx, a, type, m, n, tile, shape);
  if (wrong) return wrong;
  if (!batched_is_given(kernel, "kernel", true)) return -8;
  if (!lowrank_is_truncation(&t)) return -9;
  if (!batched_is_given(info, "info", true)) return -10;
  batched_kernel own = *kernel;
  const source s = {.fill = fill_by_kernel, .data = &own};
  return make(ctx, a, &s, type, m, n, tile, shape, t, info);
}

int batched_tlr_from_function(batched_ctx *ctx, batched_tlr **a, batched_type type, int m, int n, int tile,
                              batched_tlr_shape shape, batched_tlr_function f, void *data, batched_truncation t,
                              int *info)
{
  const int wrong = lowrank_tlr_check_made(ctx, a, type, m, n, tile, shape);
  if (wrong) return wrong;
  if (!batched_accept(f, "f is NULL")) return -8;
  if (!lowrank_is_truncation(&t)) return -10;
  if (!batched_is_given(info, "info", true)) return -11;
  const source s = {.function = f, .data = data};
  return make(ctx, a, &s, type, m, n, tile, shape, t, info);
}

int batched_tlr_from_tiles(batched_ctx *ctx, batched_tlr **a, batched_type type, int m, int n, int tile,
                           batched_tlr_shape shape, batched_tlr_filler f, void *data, batched_truncation t, int *info)
{
  const int wrong = lowrank_tlr_check_made(ctx, a, type, m, n, tile, shape);
  if (wrong) return wrong;
  if (!batched_accept(f, "f is NULL")) return -8;
  if (!lowrank_is_truncation(&t)) return -10;
  if (!batched_is_given(info, "info", true)) return -11;
  const source s = {.fill = f, .data = data};
  return make(ctx, a, &s, type, m, n, tile, shape, t, info);
}

/* Products U V^H of the tiles of A, or V U^H of those below the diagonal, into the dense matrix. */
static void expand(lowrank_work *w, const batched_tlr *a, const batched_matrix *dense, bool flipped)
{
  lowrank_products p;
  const int ld = batched_ld(dense, 0);
  lowrank_products_create(w, &p, a->type, BATCHED_NO_TRANS, BATCHED_CONJ_TRANS, (int64_t)a->mt * a->nt);
  for (int i = 0; i < a->mt && !w->status; i++)
    for (int j = 0; j < a->nt && !w->status; j++) {
      if (!lowrank_is_stored(a, i, j) || (flipped && i == j)) continue;
      lowrank_tile t = lowrank_tile_of(a, i, j);
      if (flipped) t = lowrank_flipped(t);
      const int row = (flipped ? j : i) * a->tile, column = (flipped ? i : j) * a->tile;
      void *to = lowrank_at(a->type, batched_at(dense, 0), row, column, ld);
      const batched_matrix c = batched_make_strided(a->type, to, t.m, t.n, ld, (int64_t)ld * t.n, 1);
      const batched_matrix d =
        batched_make_strided(a->type, t.d, t.trans ? t.n : t.m, t.trans ? t.m : t.n, t.ldd, (int64_t)t.m * t.n, 1);
      if (t.rank > 0)
        lowrank_products_add(&p, t.m, t.n, t.rank, t.u, t.ldu, t.v, t.ldv, to, ld);
      else if (t.rank == 0)
        LOWRANK_DO(w, batched_set(w->ctx, zero, zero, c));
      else
        LOWRANK_DO(w, batched_transpose(w->ctx, t.trans ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS, d, c));
    }
  lowrank_products_run(w, &p, one, zero);
  lowrank_products_destroy(&p);
}

int batched_tlr_to_dense(batched_ctx *ctx, const batched_tlr *a, batched_matrix dense)
{
  if (!ctx) return -1;
  if (!lowrank_tlr_is_here(ctx, a, "a")) return -2;
  if (!lowrank_tlr_is_dense(ctx, &dense, a->type, a->m, a->n)) return -3;
  lowrank_work w = {.ctx = ctx};
  expand(&w, a, &dense, false);
  if (a->shape == BATCHED_TLR_HERMITIAN) expand(&w, a, &dense, true);
  return lowrank_end(&w);
}
