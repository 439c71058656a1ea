/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How far truncation can have moved the eigenvalues of a tile low-rank matrix: the Frobenius norm of the errors that
 * the tolerance allows.
 */
#include <math.h>
#include <stdlib.h>

#include "batched/tlr/tlr.h"

static const batched_scalar zero = {0, 0}, one = {1, 0};

/* Tiles that can have lost something: those of full rank, and dense ones, have not. */
static bool is_cut(const lowrank_tile *t)
{
  return t->rank >= 0 && t->rank < t->m && t->rank < t->n;
}

/* Tiles of a column whose norms are found at once. */
enum { AT_ONCE = 64 };

/* V of each, or L V with the tile L on the diagonal. */
static void put_right_sides(lowrank_work *w, batched_type type, const lowrank_tile *tiles, int64_t count,
                            const lowrank_tile *l, lowrank_list *to)
{
  lowrank_work inner = {.ctx = w->ctx, .status = w->status};
  lowrank_list from = {0};
  LOWRANK_DO(&inner, lowrank_list_create(&from, type, count));
  for (int64_t k = 0; k < count && !inner.status; k++)
    lowrank_list_add(&from, tiles[k].v, tiles[k].n, tiles[k].rank, tiles[k].ldv);
  if (!inner.status) {
    const batched_matrix v = lowrank_list_batch(&inner, &from, -1, -1), lv = lowrank_list_batch(&inner, to, -1, -1);
    LOWRANK_DO(&inner, batched_copy(w->ctx, v, lv));
    if (l) {
      const batched_matrix d = batched_make_strided(type, l->d, l->m, l->n, l->ldd, 0, count);
      LOWRANK_DO(&inner,
                 batched_trmm(w->ctx, BATCHED_LEFT, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, one, d, lv));
    }
  }
  lowrank_list_destroy(&from);
  w->status = lowrank_end(&inner);
}

/* squares = |X Y^H|_F^2 = trace((X^H X) (Y^H Y)) of tiles with X = U and Y = V, or, with a tile L on the diagonal,
 * Y = L V, since X Y^H is then the tile times L^H.  All are of one column. */
static void find_squares(lowrank_work *w, batched_type type, const lowrank_tile *tiles, int64_t count,
                         const lowrank_tile *l, batched_matrix squares)
{
  lowrank_work inner = {.ctx = w->ctx, .status = w->status};
  int most = 0;
  for (int64_t k = 0; k < count; k++) most = tiles[k].rank > most ? tiles[k].rank : most;
  const batched_matrix x = lowrank_zeros(&inner, type, most, most, count);
  const batched_matrix y = lowrank_zeros(&inner, type, most, most, count);
  const batched_matrix v = lowrank_matrix(&inner, type, tiles[0].n, most, count);
  lowrank_list right = {0};
  lowrank_products p;
  LOWRANK_DO(&inner, lowrank_list_create(&right, type, count));
  for (int64_t k = 0; k < count && !inner.status; k++)
    lowrank_list_add(&right, batched_at(&v, k), tiles[k].n, tiles[k].rank, v.ld);
  if (!inner.status) put_right_sides(&inner, type, tiles, count, l, &right);
  lowrank_products_create(&inner, &p, type, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, 2 * count);
  for (int64_t k = 0; k < count && !inner.status; k++) {
    const lowrank_tile *t = &tiles[k];
    lowrank_products_add(&p, t->rank, t->rank, t->m, t->u, t->ldu, t->u, t->ldu, batched_at(&x, k), x.ld);
    lowrank_products_add(&p, t->rank, t->rank, t->n, batched_at(&v, k), v.ld, batched_at(&v, k), v.ld,
                         batched_at(&y, k), y.ld);
  }
  lowrank_products_run(&inner, &p, one, zero);
  const int numbers = most * most;
  LOWRANK_DO(&inner, batched_dot(w->ctx, BATCHED_CONJ_TRANS,
                                 batched_make_strided(type, x.data, numbers, 1, numbers, numbers, count),
                                 batched_make_strided(type, y.data, numbers, 1, numbers, numbers, count), squares));
  lowrank_products_destroy(&p);
  lowrank_list_destroy(&right);
  w->status = lowrank_end(&inner);
}

/* Bounds the norm of what was cut off from a tile of this rank and norm. */
static double cut_off(batched_truncation t, int rank, double norm)
{
  if (t.max_rank > 0 && rank >= t.max_rank && norm > t.tolerance) return norm;
  return t.absolute ? t.tolerance : t.tolerance * norm;
}

/* The tiles below the diagonal of column j that can have lost something; their number.  What zero ones can have lost is
 * added to *squares. */
static int64_t find_cut(const batched_tlr *a, int j, int order, batched_truncation t, lowrank_tile *tiles,
                        double *squares)
{
  const double nothing = cut_off(t, 0, 0);
  int64_t count = 0;
  for (int i = j + 1; i < order; i++) {
    const lowrank_tile tile = lowrank_tile_of(a, i, j);
    if (!is_cut(&tile)) continue;
    if (tile.rank > 0)
      tiles[count++] = tile;
    else
      *squares += nothing * nothing;
  }
  return count;
}

double lowrank_cut_off(lowrank_work *w, const batched_tlr *a, int order, bool factored, batched_truncation t)
{
  lowrank_work inner = {.ctx = w->ctx, .status = w->status};
  const size_t element = batched_element_bytes(a->type), most = (size_t)order * (size_t)order / 2 + 1;
  char *squares = lowrank_push(&inner, most * element);
  void *host = malloc(most * element);
  int *ranks = malloc(most * sizeof *ranks);
  lowrank_tile *tiles = malloc(((size_t)order + 1) * sizeof *tiles);
  int64_t count = 0;
  double sum = 0;
  if ((!host || !ranks || !tiles) && !inner.status) inner.status = BATCHED_NO_MEMORY;
  for (int j = 0; j < order && !inner.status; j++) {
    const lowrank_tile l = lowrank_tile_of(a, j, j);
    const int64_t here = find_cut(a, j, order, t, tiles, &sum);
    for (int64_t first = 0; first < here; first += AT_ONCE) {
      const int64_t some = here - first < AT_ONCE ? here - first : AT_ONCE;
      for (int64_t k = 0; k < some; k++) ranks[count + k] = tiles[first + k].rank;
      find_squares(&inner, a->type, tiles + first, some, factored ? &l : NULL,
                   batched_make_strided(a->type, squares + (size_t)count * element, 1, 1, 1, 1, some));
      count += some;
    }
  }
  LOWRANK_DO(&inner, batched_copy_to_host(w->ctx, host, squares, (size_t)count * element));
  for (int64_t k = 0; k < count && !inner.status; k++) {
    const double square = lowrank_real_at(a->type, host, k), lost = cut_off(t, ranks[k], square > 0 ? sqrt(square) : 0);
    sum += lost * lost;
  }
  free(host);
  free(ranks);
  free(tiles);
  w->status = lowrank_end(&inner);
  return sqrt(2 * sum); /* on both sides of the diagonal */
}
