/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums of products that become tiles: dense ones, and compressed ones.
 */
#include <stdlib.h>

#include "batched/tlr/tlr_sum.h"

static const batched_scalar zero = {0, 0}, one = {1, 0};

/* Number of targets whose stacks, as wide as a tile, fit into memory at once. */
static int64_t stacks_at_once(const lowrank_walk *x)
{
  const double budget = x->s->a->space == BATCHED_CUDA ? 2e9 : 1e8;
  int64_t most = 1;
  for (int i = 0; i < x->s->a->mt; i++)
    if (lowrank_height(x->s, i) > most) most = lowrank_height(x->s, i);
  const double fit = budget / ((double)most * x->s->a->tile * (double)batched_element_bytes(x->type));
  return fit < 1 ? 1 : fit > 1e6 ? 1000000 : (int64_t)fit;
}

/* D_t = beta D_t where there is no product that does it on the way. */
static void scale(lowrank_walk *x, const lowrank_list *d, batched_scalar beta)
{
  lowrank_work inner = {.ctx = x->w->ctx, .status = x->w->status};
  lowrank_list some = {0};
  LOWRANK_DO(&inner, lowrank_list_create(&some, x->type, x->count));
  for (int64_t t = 0; t < x->count && !inner.status; t++)
    if (lowrank_height(x->s, lowrank_row(x, t)) == 0)
      lowrank_list_add(&some, d->pointers[t], d->ms[t], d->ns[t], d->lds[t]);
  if (some.count > 0) LOWRANK_DO(&inner, batched_scal(x->w->ctx, beta, lowrank_list_batch(&inner, &some, -1, -1)));
  lowrank_list_destroy(&some);
  x->w->status = lowrank_end(&inner);
}

/* D_t = alpha [U_i0 U_i1 ...] W_t + beta D_t with the stack W_t of N_ikj V_kj^H, or of V_ik^H D_kj. */
static void add_stacks(lowrank_walk *x, const lowrank_list *d, batched_scalar beta)
{
  const lowrank_sum *s = x->s;
  lowrank_work inner = {.ctx = x->w->ctx, .status = x->w->status}, *outer = x->w;
  lowrank_products small, dense, large;
  lowrank_parts stack;
  // cppcheck-suppress autoVariables ; put back below
  x->w = &inner;
  lowrank_parts_create(&inner, &stack, x->count);
  for (int64_t t = 0; t < lowrank_targets(x); t++)
    lowrank_parts_take(&stack, t, (int64_t)lowrank_height(s, lowrank_row(x, t)) * d->ns[t]);
  lowrank_parts_allocate(&inner, &stack, x->type);
  lowrank_products_create(&inner, &small, x->type, BATCHED_NO_TRANS, BATCHED_CONJ_TRANS, x->count * s->terms);
  lowrank_products_create(&inner, &dense, x->type, BATCHED_CONJ_TRANS,
                          s->flipped ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS, x->count * s->terms);
  lowrank_products_create(&inner, &large, x->type, BATCHED_NO_TRANS, BATCHED_NO_TRANS, x->count);
  for (int64_t t = 0; t < lowrank_targets(x); t++) {
    const int i = lowrank_row(x, t), j = lowrank_column(x, t), high = lowrank_height(s, i);
    void *mine = lowrank_part(&stack, x->type, t);
    for (int k = 0; k < s->terms; k++) {
      const lowrank_tile a = lowrank_tile_of(s->a, i, k), b = lowrank_right_tile(s, k, j);
      if (a.rank <= 0 || b.rank == 0) continue;
      void *to = lowrank_at(x->type, mine, s->a->starts[lowrank_place(s->a, i, k)], 0, 0);
      if (b.rank > 0)
        lowrank_products_add(&small, a.rank, b.n, b.rank, lowrank_inner(s, i, k, j), a.rank, b.v, b.ldv, to, high);
      else
        lowrank_products_add(&dense, a.rank, b.n, b.m, a.v, a.ldv, b.d, b.ldd, to, high);
    }
    if (high > 0)
      lowrank_products_add(&large, d->ms[t], d->ns[t], high, s->a->rows[i].u, d->ms[t], mine, high, d->pointers[t],
                           d->lds[t]);
  }
  lowrank_products_run(&inner, &small, one, zero);
  lowrank_products_run(&inner, &dense, one, zero);
  lowrank_products_run(&inner, &large, s->alpha, beta);
  lowrank_products_destroy(&small);
  lowrank_products_destroy(&dense);
  lowrank_products_destroy(&large);
  free(stack.offsets);
  x->w = outer;
  outer->status = lowrank_end(&inner);
}

/* D_t += alpha A_ik B_kj for dense A_ik, one k at a time. */
static void add_dense_products(lowrank_walk *x, const lowrank_list *d)
{
  const lowrank_sum *s = x->s;
  lowrank_work inner = {.ctx = x->w->ctx, .status = x->w->status}, *outer = x->w;
  lowrank_products du, uv, dd;
  // cppcheck-suppress autoVariables ; put back below
  x->w = &inner;
  const batched_matrix between = lowrank_matrix(&inner, x->type, s->a->tile, s->a->tile, x->count);
  lowrank_products_create(&inner, &du, x->type, BATCHED_NO_TRANS, BATCHED_NO_TRANS, x->count);
  lowrank_products_create(&inner, &uv, x->type, BATCHED_NO_TRANS, BATCHED_CONJ_TRANS, x->count);
  lowrank_products_create(&inner, &dd, x->type, BATCHED_NO_TRANS, s->flipped ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS,
                          x->count);
  for (int k = 0; k < s->terms; k++) {
    for (int64_t t = 0; t < lowrank_targets(x); t++) {
      const lowrank_tile a = lowrank_tile_of(s->a, lowrank_row(x, t), k),
                         b = lowrank_right_tile(s, k, lowrank_column(x, t));
      if (a.rank >= 0 || b.rank == 0) continue;
      void *part = batched_at(&between, t);
      if (b.rank < 0) {
        lowrank_products_add(&dd, a.m, b.n, a.n, a.d, a.ldd, b.d, b.ldd, d->pointers[t], d->lds[t]);
      } else {
        lowrank_products_add(&du, a.m, b.rank, a.n, a.d, a.ldd, b.u, b.ldu, part, between.ld);
        lowrank_products_add(&uv, a.m, b.n, b.rank, part, between.ld, b.v, b.ldv, d->pointers[t], d->lds[t]);
      }
    }
    lowrank_products_run(&inner, &du, one, zero);
    lowrank_products_run(&inner, &uv, s->alpha, one);
    lowrank_products_run(&inner, &dd, s->alpha, one);
  }
  lowrank_products_destroy(&du);
  lowrank_products_destroy(&uv);
  lowrank_products_destroy(&dd);
  x->w = outer;
  outer->status = lowrank_end(&inner);
}

/* D_t = C_ij */
static void expand_base(lowrank_walk *x, const lowrank_list *d)
{
  const batched_tlr *c = x->s->c;
  lowrank_work inner = {.ctx = x->w->ctx, .status = x->w->status};
  lowrank_products uv;
  lowrank_list from = {0}, to = {0};
  lowrank_products_create(&inner, &uv, x->type, BATCHED_NO_TRANS, BATCHED_CONJ_TRANS, x->count);
  LOWRANK_DO(&inner, lowrank_list_create(&from, x->type, x->count));
  LOWRANK_DO(&inner, lowrank_list_create(&to, x->type, x->count));
  if (!inner.status) LOWRANK_DO(&inner, batched_set(x->w->ctx, zero, zero, lowrank_list_batch(&inner, d, -1, -1)));
  for (int64_t t = 0; t < x->count && !inner.status; t++) {
    const lowrank_tile tile = lowrank_tile_of(c, lowrank_row(x, t), lowrank_column(x, t));
    if (tile.rank > 0)
      lowrank_products_add(&uv, tile.m, tile.n, tile.rank, tile.u, tile.ldu, tile.v, tile.ldv, d->pointers[t],
                           d->lds[t]);
    if (tile.rank >= 0) continue;
    lowrank_list_add(&from, tile.d, tile.m, tile.n, tile.ldd);
    lowrank_list_add(&to, d->pointers[t], tile.m, tile.n, d->lds[t]);
  }
  lowrank_products_run(&inner, &uv, one, zero);
  if (from.count > 0 && !inner.status) {
    const batched_matrix source = lowrank_list_batch(&inner, &from, -1, -1);
    LOWRANK_DO(&inner, batched_copy(x->w->ctx, source, lowrank_list_batch(&inner, &to, -1, -1)));
  }
  lowrank_products_destroy(&uv);
  lowrank_list_destroy(&from);
  lowrank_list_destroy(&to);
  x->w->status = lowrank_end(&inner);
}

void lowrank_sum_dense(lowrank_work *w, lowrank_sum *s, const int64_t *which, const lowrank_list *d, bool given)
{
  const lowrank_walk all = {w, s, s->a->type, which, d->count};
  const int64_t step = stacks_at_once(&all);
  lowrank_list some = {0};
  LOWRANK_DO(w, lowrank_list_create(&some, d->type, step < d->count ? step : d->count));
  for (int64_t first = 0; first < d->count && !w->status; first += step) {
    some.count = 0;
    for (int64_t t = first; t < d->count && t < first + step; t++)
      lowrank_list_add(&some, d->pointers[t], d->ms[t], d->ns[t], d->lds[t]);
    lowrank_walk x = {w, s, s->a->type, which + first, some.count};
    if (!given) expand_base(&x, &some);
    scale(&x, &some, s->beta);
    add_stacks(&x, &some, s->beta);
    if (s->dense_pairs) add_dense_products(&x, &some);
  }
  lowrank_list_destroy(&some);
}

/* Result of adaptive sampling for each target. */
typedef struct samples {
  void **u, **v; /* owned, as all of them, in one block with them */
  int *ms, *ns, *ranks, *info, *expected;
  int64_t *which;
} samples;

static bool create_samples(samples *x, int64_t count)
{
  const size_t n = (size_t)count + 1;
  *x = (samples){.u = malloc(n * (2 * sizeof(void *) + sizeof(int64_t) + 5 * sizeof(int)))};
  if (!x->u) return false;
  x->v = x->u + n;
  x->which = (int64_t *)(x->v + n);
  x->ms = (int *)(x->which + n);
  x->ns = x->ms + n;
  x->ranks = x->ns + n;
  x->info = x->ranks + n;
  x->expected = x->info + n;
  return true;
}

/* Tiles that are to be dense, of which which[] has the numbers. */
static void make_dense(lowrank_work *w, lowrank_sum *s, lowrank_new_tile *tiles, int64_t *which)
{
  lowrank_list list = {0};
  int64_t count = 0;
  for (int64_t k = 0; k < s->count; k++)
    if (tiles[k].rank < 0) which[count++] = k;
  if (count == 0) return;
  const batched_matrix d = lowrank_matrix(w, s->a->type, s->a->tile, s->a->tile, count);
  LOWRANK_DO(w, lowrank_list_create(&list, s->a->type, count));
  for (int64_t k = 0; k < count && !w->status; k++) {
    lowrank_new_tile *tile = &tiles[which[k]];
    tile->d = batched_at(&d, k);
    tile->ldd = lowrank_tile_rows(s->c, tile->i);
    lowrank_list_add(&list, (void *)tile->d, lowrank_tile_rows(s->c, tile->i), lowrank_tile_columns(s->c, tile->j),
                     tile->ldd);
  }
  if (!w->status) lowrank_sum_dense(w, s, which, &list, false);
  lowrank_list_destroy(&list);
}

/* Expected rank of a target over C's: that of the tile left of it, in a factor that is made by columns; else 1. */
static double expected_growth(const lowrank_sum *s, int i, int j)
{
  if (!s->flipped || j == 0) return 1;
  const int before = s->c->ranks[lowrank_place(s->c, i, j - 1)], after = s->a->ranks[lowrank_place(s->a, i, j - 1)];
  return before > 0 && after > before ? (double)after / before : 1;
}

/* Samples that a target needs, about: those of all columns that there is room for, without a tolerance; else as many as
 * C_ij's rank, or, without C, that of the largest product says, and some to be below the tolerance, in steps.  Ranks
 * that are small may grow: large ones do not, as a rule, and too many samples of those cost more than a turn. */
static int expected_samples(const lowrank_sum *s, int i, int j, batched_truncation t, int room)
{
  int rank = batched_is_zero(s->a->type, s->beta) ? 0 : s->c->ranks[lowrank_place(s->c, i, j)];
  if (t.tolerance == 0 || rank < 0) return room + LOWRANK_SAMPLES;
  const int small = s->a->tile / 8;
  if (rank > 0 && rank < small) {
    const double grown = rank * expected_growth(s, i, j);
    rank = grown < small ? (int)grown : small;
  }
  for (int k = 0; k < s->terms && rank == 0; k++) {
    const int a = s->a->ranks[lowrank_place(s->a, i, k)], b = lowrank_right_tile(s, k, j).rank;
    const int least = a >= 0 && (b < 0 || a < b) ? a : b;
    if (least > rank) rank = least;
  }
  const int more = rank < small / 2 ? rank / 4 + 8 : rank / 8 + 4;
  return (rank + more + LOWRANK_SAMPLES - 1) / LOWRANK_SAMPLES * LOWRANK_SAMPLES;
}

void lowrank_sum_tiles(lowrank_work *w, lowrank_sum *s, batched_truncation t, lowrank_new_tile *tiles, int *missed)
{
  const int tile = s->a->tile, room = t.max_rank > 0 && t.max_rank < tile ? t.max_rank : tile / 2 + 1;
  const batched_matrix u = lowrank_matrix(w, s->a->type, tile, room, s->count);
  const batched_matrix v = lowrank_matrix(w, s->a->type, tile, room, s->count);
  samples x = {0};
  if (!create_samples(&x, s->count) && !w->status) w->status = BATCHED_NO_MEMORY;
  for (int64_t k = 0; k < s->count && !w->status; k++) {
    x.u[k] = batched_at(&u, k);
    x.v[k] = batched_at(&v, k);
    x.ms[k] = lowrank_tile_rows(s->c, s->is[k]);
    x.ns[k] = lowrank_tile_columns(s->c, s->js[k]);
    x.expected[k] = expected_samples(s, s->is[k], s->js[k], t, room);
  }
  const lowrank_operator op = {lowrank_sum_sample, lowrank_sum_project, s};
  const lowrank_target target = {s->a->type, tile, tile, s->count, x.ms,   x.ns, x.u,       x.v,
                                 tile,       tile, room, x.ranks,  x.info, true, x.expected};
  LOWRANK_DO(w, lowrank_ara(w->ctx, &op, &target, t));
  for (int64_t k = 0; k < s->count && !w->status; k++) {
    const bool failed = x.info[k] != 0;
    if (failed && t.max_rank > 0 && !*missed) *missed = 1 + (int)lowrank_place(s->c, s->is[k], s->js[k]);
    const bool dense = !lowrank_pays(x.ms[k], x.ns[k], x.ranks[k]) || (failed && t.max_rank == 0);
    tiles[k] = (lowrank_new_tile){.i = s->is[k],
                                  .j = s->js[k],
                                  .rank = dense ? -1 : x.ranks[k],
                                  .u = x.u[k],
                                  .v = x.v[k],
                                  .ldu = tile,
                                  .ldv = tile};
  }
  if (!w->status) make_dense(w, s, tiles, x.which);
  free(x.u);
}
