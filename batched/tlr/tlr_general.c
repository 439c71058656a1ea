/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A Hermitian tile low-rank matrix with all its tiles: those above the diagonal are conjugate transposes, which for a
 * tile of low rank exchanges its factors.
 */
#include <stdlib.h>

#include "batched/tlr/tlr.h"

/* Tile (i, j); a dense one that has to be transposed gets its place, and is filled later. */
static lowrank_new_tile any_tile(const batched_tlr *a, int i, int j)
{
  const lowrank_tile t = j <= i ? lowrank_tile_of(a, i, j) : lowrank_flipped(lowrank_tile_of(a, j, i));
  return (lowrank_new_tile){i, j, t.rank, t.u, t.v, t.trans ? NULL : t.d, t.ldu, t.ldv, t.ldd};
}

static void transpose_dense(lowrank_work *w, const batched_tlr *from, const batched_tlr *to)
{
  lowrank_work inner = {.ctx = w->ctx, .status = w->status};
  lowrank_list x = {0}, y = {0};
  LOWRANK_DO(&inner, lowrank_list_create(&x, from->type, (int64_t)from->mt * from->nt));
  LOWRANK_DO(&inner, lowrank_list_create(&y, from->type, (int64_t)from->mt * from->nt));
  for (int i = 0; i < to->mt; i++)
    for (int j = i + 1; j < to->nt && !inner.status; j++) {
      const lowrank_tile s = lowrank_tile_of(from, j, i), t = lowrank_tile_of(to, i, j);
      if (t.rank >= 0) continue;
      lowrank_list_add(&x, s.d, s.m, s.n, s.ldd);
      lowrank_list_add(&y, t.d, t.m, t.n, t.ldd);
    }
  if (x.count > 0 && !inner.status) {
    const batched_matrix bx = lowrank_list_batch(&inner, &x, -1, -1);
    LOWRANK_DO(&inner, batched_transpose(w->ctx, BATCHED_CONJ_TRANS, bx, lowrank_list_batch(&inner, &y, -1, -1)));
  }
  LOWRANK_DO(&inner, batched_synchronize(w->ctx));
  lowrank_list_destroy(&x);
  lowrank_list_destroy(&y);
  w->status = lowrank_end(&inner);
}

batched_tlr *lowrank_general(lowrank_work *w, const batched_tlr *a)
{
  batched_tlr *all = lowrank_tlr_new(a->space, a->type, a->m, a->n, a->tile, BATCHED_TLR_GENERAL);
  lowrank_new_tile *row = malloc(((size_t)a->nt + 1) * sizeof *row);
  if ((!all || !row) && !w->status) w->status = BATCHED_NO_MEMORY;
  for (int i = 0; i < a->mt && !w->status; i++) {
    for (int j = 0; j < a->nt; j++) row[j] = any_tile(a, i, j);
    lowrank_append(w, all, row, a->nt, true);
  }
  if (!w->status) transpose_dense(w, a, all);
  if (w->status && all) batched_tlr_destroy(w->ctx, &all);
  free(row);
  return all;
}
