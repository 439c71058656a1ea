/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "batched/tlr/check_tlr.h"

batched_tlr *lowrank_tlr_new(batched_space space, batched_type type, int m, int n, int tile, batched_tlr_shape shape)
{
  batched_tlr *a = calloc(1, sizeof *a);
  if (!a) return NULL;
  const int mt = (m + tile - 1) / tile, nt = (n + tile - 1) / tile;
  const size_t tiles = (size_t)mt * (size_t)nt;
  *a = (batched_tlr){.type = type, .space = space, .shape = shape, .m = m, .n = n, .tile = tile, .mt = mt, .nt = nt};
  a->ranks = calloc(tiles + 1, sizeof *a->ranks);
  a->starts = calloc(tiles + 1, sizeof *a->starts);
  a->dense = calloc(tiles + 1, sizeof *a->dense);
  a->rows = calloc((size_t)mt + 1, sizeof *a->rows);
  if (a->ranks && a->starts && a->dense && a->rows) return a;
  free(a->ranks);
  free(a->starts);
  free(a->dense);
  free(a->rows);
  free(a);
  return NULL;
}

batched_tlr *lowrank_tlr_like(const batched_tlr *a)
{
  return lowrank_tlr_new(a->space, a->type, a->m, a->n, a->tile, a->shape);
}

static void release(batched_ctx *ctx, batched_tlr *a)
{
  for (int i = 0; i < a->mt; i++) batched_release(ctx, a->rows[i].u);
  for (int64_t i = 0; i < (int64_t)a->mt * a->nt; i++) batched_release(ctx, a->dense[i]);
  free(a->ranks);
  free(a->starts);
  free(a->dense);
  free(a->rows);
}

void batched_tlr_destroy(batched_ctx *ctx, batched_tlr **a)
{
  if (!*a) return;
  release(ctx, *a);
  free(*a);
  *a = NULL;
}

void lowrank_tlr_replace(batched_ctx *ctx, batched_tlr *a, batched_tlr **b)
{
  release(ctx, a);
  *a = **b;
  free(*b);
  *b = NULL;
}

/* Bytes, for the V that stand behind the U of a row. */
enum { PANEL_ALIGNMENT = 256 };

/* Memory for `columns` more of the factors of row i; what was there is copied. */
static void make_room(lowrank_work *w, batched_tlr *a, int i, int columns, bool exact)
{
  lowrank_panel *row = &a->rows[i];
  const int needed = row->columns + columns;
  if (w->status || needed <= row->room) return;
  const size_t u = (size_t)lowrank_tile_rows(a, i) * batched_element_bytes(a->type);
  const size_t v = (size_t)a->tile * batched_element_bytes(a->type);
  const int room = exact ? needed : needed + needed / 8;
  const size_t before_v = (u * (size_t)room + PANEL_ALIGNMENT - 1) / PANEL_ALIGNMENT * PANEL_ALIGNMENT;
  char *const block = batched_allocate(w->ctx, before_v + v * (size_t)room);
  if (!block) {
    w->status = BATCHED_NO_MEMORY;
    return;
  }
  const lowrank_panel larger = {block, block + before_v, row->columns, room};
  LOWRANK_DO(w, batched_copy_within(w->ctx, larger.u, row->u, u * (size_t)row->columns));
  LOWRANK_DO(w, batched_copy_within(w->ctx, larger.v, row->v, v * (size_t)row->columns));
  batched_release(w->ctx, w->status ? larger.u : row->u);
  if (!w->status) *row = larger;
}

void lowrank_tlr_clear(batched_ctx *ctx, batched_tlr *a)
{
  for (int j = 0; j < a->nt; j++)
    for (int i = 0; i < a->mt; i++) {
      const int64_t place = lowrank_place(a, i, j);
      a->ranks[place] = 0;
      if (i == j) continue;
      batched_release(ctx, a->dense[place]);
      a->dense[place] = NULL;
    }
  for (int i = 0; i < a->mt; i++) a->rows[i].columns = 0;
}

void lowrank_reserve(lowrank_work *w, batched_tlr *a, const batched_tlr *like)
{
  for (int i = 0; i < a->mt; i++) make_room(w, a, i, 2 * like->rows[i].columns, true);
}

void lowrank_trim(lowrank_work *w, batched_tlr *a)
{
  for (int i = 0; i < a->mt && !w->status; i++) {
    lowrank_panel *row = &a->rows[i];
    if (row->room <= row->columns + row->columns / 8) continue;
    if (row->columns > 0) {
      row->room = 0;
      make_room(w, a, i, 0, true);
      continue;
    }
    batched_release(w->ctx, row->u);
    *row = (lowrank_panel){0};
  }
}

/* B = A of each. */
typedef struct copies {
  lowrank_list from, to;
} copies;

static void add_copy(copies *c, const void *from, int ldf, void *to, int ldt, int m, int n)
{
  if (m == 0 || n == 0) return;
  lowrank_list_add(&c->from, (void *)from, m, n, ldf);
  lowrank_list_add(&c->to, to, m, n, ldt);
}

static void run_copies(lowrank_work *w, copies *c)
{
  lowrank_work inner = {.ctx = w->ctx, .status = w->status};
  if (!w->status && c->from.count > 0) {
    const batched_matrix x = lowrank_list_batch(&inner, &c->from, -1, -1);
    LOWRANK_DO(&inner, batched_copy(w->ctx, x, lowrank_list_batch(&inner, &c->to, -1, -1)));
  }
  lowrank_list_destroy(&c->from);
  lowrank_list_destroy(&c->to);
  w->status = lowrank_end(&inner);
}

static void place_tile(lowrank_work *w, batched_tlr *a, const lowrank_new_tile *t)
{
  const int64_t place = lowrank_place(a, t->i, t->j);
  const int m = lowrank_tile_rows(a, t->i), n = lowrank_tile_columns(a, t->j);
  if (w->status) return;
  if (t->rank < 0) {
    const size_t bytes = (size_t)m * (size_t)n * batched_element_bytes(a->type);
    if (!a->dense[place]) a->dense[place] = batched_allocate(w->ctx, bytes); /* unless it is there since before */
    if (!a->dense[place]) w->status = BATCHED_NO_MEMORY;
  } else {
    a->starts[place] = a->rows[t->i].columns;
    a->rows[t->i].columns += t->rank;
  }
  if (!w->status) a->ranks[place] = t->rank;
}

void lowrank_append(lowrank_work *w, batched_tlr *a, const lowrank_new_tile *tiles, int64_t count, bool exact)
{
  copies c = {{0}, {0}};
  for (int64_t begin = 0, end = 0; begin < count; begin = end) {
    int more = 0;
    for (; end < count && tiles[end].i == tiles[begin].i; end++) more += tiles[end].rank > 0 ? tiles[end].rank : 0;
    make_room(w, a, tiles[begin].i, more, exact);
    for (int64_t k = begin; k < end; k++) place_tile(w, a, &tiles[k]);
  }
  LOWRANK_DO(w, lowrank_list_create(&c.from, a->type, 2 * count));
  LOWRANK_DO(w, lowrank_list_create(&c.to, a->type, 2 * count));
  for (int64_t k = 0; k < count && !w->status; k++) {
    const lowrank_new_tile *t = &tiles[k];
    const lowrank_tile to = lowrank_tile_of(a, t->i, t->j);
    if (t->rank < 0) {
      if (t->d) add_copy(&c, t->d, t->ldd, to.d, to.ldd, to.m, to.n);
    } else if (t->u) {
      add_copy(&c, t->u, t->ldu, to.u, to.ldu, to.m, t->rank);
      add_copy(&c, t->v, t->ldv, to.v, to.ldv, to.n, t->rank);
    }
  }
  run_copies(w, &c);
}

static bool ranks_are_valid(const batched_tlr *a, const int *ranks)
{
  for (int j = 0; j < a->nt; j++)
    for (int i = 0; i < a->mt; i++) {
      const int r = ranks[lowrank_place(a, i, j)];
      const bool dense = a->shape == BATCHED_TLR_HERMITIAN && i == j;
      if (!lowrank_is_stored(a, i, j) || (r >= -1 && r <= (dense ? -1 : a->tile))) continue;
      return batched_accept(false, "tile (%d, %d): rank %d is not in -1 .. %d", i, j, r, dense ? -1 : a->tile);
    }
  return true;
}

/* Tiles of these ranks, of any contents. */
static int make_tiles(batched_ctx *ctx, batched_tlr *a, const int *ranks)
{
  lowrank_work w = {.ctx = ctx};
  lowrank_new_tile *tiles = malloc(((size_t)a->nt + 1) * sizeof *tiles);
  if (!tiles) return BATCHED_NO_MEMORY;
  for (int i = 0; i < a->mt; i++) {
    int count = 0;
    for (int j = 0; j < a->nt; j++)
      if (lowrank_is_stored(a, i, j))
        tiles[count++] = (lowrank_new_tile){.i = i, .j = j, .rank = ranks[lowrank_place(a, i, j)]};
    lowrank_append(&w, a, tiles, count, true);
  }
  free(tiles);
  return lowrank_end(&w);
}

int batched_tlr_create(batched_ctx *ctx, batched_tlr **a, batched_type type, int m, int n, int tile,
                       batched_tlr_shape shape, const int *ranks)
{
  const int wrong = lowrank_tlr_check_made(ctx, a, type, m, n, tile, shape);
  if (wrong) return wrong;
  if (!batched_is_given(ranks, "ranks", m > 0 && n > 0)) return -8;
  batched_tlr *b = lowrank_tlr_new(batched_get_space(ctx), type, m, n, tile, shape);
  if (!b) return BATCHED_NO_MEMORY;
  int status = ranks && !ranks_are_valid(b, ranks) ? -8 : 0;
  if (!status && ranks) status = make_tiles(ctx, b, ranks);
  if (status)
    batched_tlr_destroy(ctx, &b);
  else
    *a = b;
  return status;
}

void batched_tlr_get(const batched_tlr *a, batched_tlr_facts *facts)
{
  const size_t element = batched_element_bytes(a->type);
  *facts = (batched_tlr_facts){.type = a->type,
                               .shape = a->shape,
                               .m = a->m,
                               .n = a->n,
                               .tile = a->tile,
                               .tile_rows = a->mt,
                               .tile_columns = a->nt,
                               .shift = a->shift};
  for (int i = 0; i < a->mt; i++) {
    const size_t height = (size_t)lowrank_tile_rows(a, i) + (size_t)a->tile;
    facts->bytes += (size_t)a->rows[i].room * height * element;
    for (int j = 0; j < a->nt; j++) {
      if (!lowrank_is_stored(a, i, j)) continue;
      const lowrank_tile t = lowrank_tile_of(a, i, j);
      const size_t dense = (size_t)t.m * (size_t)t.n * element;
      facts->needed += t.rank < 0 ? dense : (size_t)t.rank * (size_t)(t.m + t.n) * element;
      facts->bytes += t.rank < 0 ? dense : 0;
      facts->dense += t.rank < 0 && !(a->shape == BATCHED_TLR_HERMITIAN && i == j);
      if (t.rank > facts->most) facts->most = t.rank;
    }
  }
}

int batched_tlr_tile(const batched_tlr *a, int i, int j, batched_lowrank *view)
{
  const lowrank_tile t = lowrank_tile_of(a, i, j);
  *view = t.rank < 0 ? batched_dense(batched_make_strided(a->type, t.d, t.m, t.n, t.ldd, (int64_t)t.m * t.n, 1))
                     : batched_factors(batched_make_strided(a->type, t.u, t.m, t.rank, t.ldu, 0, 1),
                                       batched_make_strided(a->type, t.v, t.n, t.rank, t.ldv, 0, 1), NULL);
  return t.rank;
}
