/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The inside of a tile low-rank matrix.
 *
 * The factors of a tile row are panels: [U_i0 U_i1 ...], with the height of the row, and [V_i0 V_i1 ...], with the tile
 * size, so that a sum over j of U_ij W_ij is one product.  A panel grows where tiles are appended; dense tiles stand
 * alone.
 */
#ifndef BATCHED_TLR_H
#define BATCHED_TLR_H

#include "batched/lowrank/list.h"

typedef struct lowrank_panel {
  void *u, *v; /* owned, in the context's space: one block, which begins with u */
  int columns, room;
} lowrank_panel;

struct batched_tlr {
  batched_type type;
  batched_space space;
  batched_tlr_shape shape;
  int m, n, tile, mt, nt;
  double shift;
  int *ranks, *starts; /* owned; of tile (i, j) at i + j mt: -1 where it is dense; its first column in the panels */
  void **dense;        /* owned, and so each: the dense tiles */
  lowrank_panel *rows; /* owned: mt of them */
};

/* A tile, or its conjugate transpose: U V^H, or op(D) where rank is -1. */
typedef struct lowrank_tile {
  int m, n, rank;
  void *u, *v, *d;
  int ldu, ldv, ldd;
  bool trans; /* of D alone */
} lowrank_tile;

static inline int lowrank_tile_rows(const batched_tlr *a, int i)
{
  return i < a->mt - 1 ? a->tile : a->m - i * a->tile;
}
static inline int lowrank_tile_columns(const batched_tlr *a, int j)
{
  return j < a->nt - 1 ? a->tile : a->n - j * a->tile;
}
static inline int64_t lowrank_place(const batched_tlr *a, int i, int j)
{
  return i + (int64_t)j * a->mt;
}
static inline bool lowrank_is_stored(const batched_tlr *a, int i, int j)
{
  return a->shape == BATCHED_TLR_GENERAL || j <= i;
}
/* Element (i, j) of a matrix in memory. */
static inline void *lowrank_at(batched_type type, const void *p, int64_t i, int64_t j, int64_t ld)
{
  return (char *)p + (i + j * ld) * (int64_t)batched_element_bytes(type);
}

/* A tile that is stored.  Here, since lists of products look at every pair of tiles. */
static inline lowrank_tile lowrank_tile_of(const batched_tlr *a, int i, int j)
{
  const int64_t place = lowrank_place(a, i, j);
  lowrank_tile t = {.m = lowrank_tile_rows(a, i), .n = lowrank_tile_columns(a, j), .rank = a->ranks[place]};
  t.ldd = t.ldu = t.m;
  t.ldv = a->tile;
  t.d = a->dense[place];
  if (t.rank > 0) {
    t.u = lowrank_at(a->type, a->rows[i].u, 0, a->starts[place], t.ldu);
    t.v = lowrank_at(a->type, a->rows[i].v, 0, a->starts[place], t.ldv);
  }
  return t;
}
static inline lowrank_tile lowrank_flipped(lowrank_tile t)
{
  return (lowrank_tile){t.n, t.m, t.rank, t.v, t.u, t.d, t.ldv, t.ldu, t.ldd, !t.trans};
}

/* A matrix with all tiles of rank 0, NULL where memory is out. */
batched_tlr *lowrank_tlr_new(batched_space space, batched_type type, int m, int n, int tile, batched_tlr_shape shape);
/* The same m, n, tile, type, shape. */
batched_tlr *lowrank_tlr_like(const batched_tlr *a);
/* A copy of a Hermitian a that has its upper tiles, too; NULL after a failure. */
batched_tlr *lowrank_general(lowrank_work *w, const batched_tlr *a);
/* Tiles of rank 0 again; panels and dense tiles on the diagonal keep their memory. */
void lowrank_tlr_clear(batched_ctx *ctx, batched_tlr *a);
/* Takes what b has, which becomes NULL; a's goes. */
void lowrank_tlr_replace(batched_ctx *ctx, batched_tlr *a, batched_tlr **b);

/* The norm of what the tolerance allows to be cut off from the tiles of a Hermitian matrix's first `order` tile rows;
 * `factored`: from the tiles times L_jj^H, of a factor L.  0 where nothing is truncated. */
double lowrank_cut_off(lowrank_work *w, const batched_tlr *a, int order, bool factored, batched_truncation t);

/* A tile that is to be appended: factors with ranks, or d, dense (rank -1). */
typedef struct lowrank_new_tile {
  int i, j, rank;
  const void *u, *v, *d;
  int ldu, ldv, ldd;
} lowrank_new_tile;

/* Appends tiles that were of rank 0, those of a row in one go, copied; `exact`: panels get no room to grow. */
void lowrank_append(lowrank_work *w, batched_tlr *a, const lowrank_new_tile *tiles, int64_t count, bool exact);

/* Room for twice as many columns as another matrix's panels have. */
void lowrank_reserve(lowrank_work *w, batched_tlr *a, const batched_tlr *like);
/* Gives memory back of panels that are more than 1/8 larger than what is in them. */
void lowrank_trim(lowrank_work *w, batched_tlr *a);

/* True where rank r takes less memory than m x n numbers. */
static inline bool lowrank_pays(int m, int n, int r)
{
  return (int64_t)r * (m + n) < (int64_t)m * n;
}

#endif
