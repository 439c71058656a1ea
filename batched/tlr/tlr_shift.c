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

/* norm = |U V^H|_F, or |U V^H L^H|_F = |U (L V)^H|_F with a tile L on the diagonal. */
static void find_norm(lowrank_work *w, batched_type type, const lowrank_tile *t, const lowrank_tile *l,
                      batched_matrix norm)
{
  lowrank_work inner = {.ctx = w->ctx, .status = w->status};
  const batched_matrix x = lowrank_matrix(&inner, type, t->m, t->n, 1);
  const batched_matrix u = batched_make_strided(type, t->u, t->m, t->rank, t->ldu, (int64_t)t->ldu * t->rank, 1);
  batched_matrix v = batched_make_strided(type, t->v, t->n, t->rank, t->ldv, (int64_t)t->ldv * t->rank, 1);
  if (l) {
    const batched_matrix d = batched_make_strided(type, l->d, l->m, l->n, l->ldd, (int64_t)l->ldd * l->n, 1);
    const batched_matrix lv = lowrank_matrix(&inner, type, t->n, t->rank, 1);
    LOWRANK_DO(&inner, batched_copy(w->ctx, v, lv));
    LOWRANK_DO(&inner,
               batched_trmm(w->ctx, BATCHED_LEFT, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, one, d, lv));
    v = lv;
  }
  LOWRANK_DO(&inner, batched_gemm(w->ctx, BATCHED_NO_TRANS, BATCHED_CONJ_TRANS, one, u, v, zero, x));
  LOWRANK_DO(&inner, batched_norm(w->ctx, BATCHED_FROBENIUS_NORM, x, norm));
  w->status = lowrank_end(&inner);
}

/* What may have been cut off from a tile of this rank and norm. */
static double cut_off(batched_truncation t, int rank, double norm)
{
  if (t.max_rank > 0 && rank >= t.max_rank && norm > t.tolerance) return norm;
  return t.absolute ? t.tolerance : t.tolerance * norm;
}

static double number_at(batched_type type, const void *p, int64_t i)
{
  return type == BATCHED_S ? (double)((const float *)p)[i] : ((const double *)p)[i];
}

double lowrank_cut_off(lowrank_work *w, const batched_tlr *a, int order, bool factored, batched_truncation t)
{
  lowrank_work inner = {.ctx = w->ctx, .status = w->status};
  const batched_type real = batched_real_type(a->type);
  const size_t element = batched_element_bytes(real), tiles = (size_t)order * (size_t)order / 2 + 1;
  char *norms = lowrank_push(&inner, tiles * element);
  void *host = malloc(tiles * element);
  int *ranks = malloc(tiles * sizeof *ranks);
  int64_t count = 0;
  if ((!host || !ranks) && !inner.status) inner.status = BATCHED_NO_MEMORY;
  for (int j = 0; j < order && !inner.status; j++)
    for (int i = j + 1; i < order && !inner.status; i++) {
      const lowrank_tile tile = lowrank_tile_of(a, i, j), l = lowrank_tile_of(a, j, j);
      if (!is_cut(&tile)) continue;
      find_norm(&inner, a->type, &tile, factored ? &l : NULL,
                batched_make_strided(real, norms + (size_t)count * element, 1, 1, 1, 1, 1));
      ranks[count++] = tile.rank;
    }
  LOWRANK_DO(&inner, batched_copy_to_host(w->ctx, host, norms, (size_t)count * element));
  double sum = 0;
  for (int64_t k = 0; k < count && !inner.status; k++) {
    const double lost = cut_off(t, ranks[k], number_at(real, host, k));
    sum += 2 * lost * lost; /* on both sides of the diagonal */
  }
  free(host);
  free(ranks);
  w->status = lowrank_end(&inner);
  return sqrt(sum);
}
