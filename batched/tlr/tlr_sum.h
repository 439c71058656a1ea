/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tiles S_ij = beta C_ij + alpha sum over k < terms of A_ik B_kj, which are formed only where they are to be dense.
 * With the small matrices N_ikj = V_ik^H U_kj of all pairs of low rank, the sum is [U_i0 U_i1 ...], A's panel, times
 * the stack over k of N_ikj V_kj^H; samples of it are products of small matrices and one with that panel (as in
 * Boukaram, Zampini, Turkiyyah, Keyes, arXiv 2108.11932, without products of whole tiles).
 */
#ifndef BATCHED_TLR_SUM_H
#define BATCHED_TLR_SUM_H

#include "batched/lowrank/ara.h"
#include "batched/tlr/tlr.h"

typedef struct lowrank_sum {
  const batched_tlr *a, *b, *c; /* c: NULL, where there is none */
  bool flipped;                 /* B_kj is tile (j, k) of b, conjugate transposed; all targets have one j */
  int terms;
  batched_scalar alpha, beta;
  int64_t count;      /* of targets */
  const int *is, *js; /* targets (i, j) */
  /* what begin makes */
  void *inner;      /* scratch: N_ik, r_ik high, with a column for each of U_k's, or, flipped, of U_kj's */
  int64_t *offsets; /* owned: of N_ik, at i terms + k, in elements; -1: there is none */
  bool dense_pairs; /* is a factor dense? */
} lowrank_sum;

/* Computes N, in scratch memory of w; end frees what is the host's. */
void lowrank_sum_begin(lowrank_work *w, lowrank_sum *s);
void lowrank_sum_end(lowrank_sum *s);

/* Targets as matrices for lowrank_ara: self is the lowrank_sum. */
int lowrank_sum_sample(batched_ctx *ctx, void *self, const int64_t *which, int64_t count, batched_matrix omega,
                       const lowrank_list *y);
int lowrank_sum_project(batched_ctx *ctx, void *self, const int64_t *which, int64_t count, const lowrank_list *q,
                        batched_matrix z);
/* S of the targets that are named, dense, where d says.  `given`: that is where C_ij stands, and c is not looked at. */
/* Targets that are tiles: compressed, or dense where that does not pay; memory is scratch of w.  *missed: as info. */
void lowrank_sum_tiles(lowrank_work *w, lowrank_sum *s, batched_truncation t, lowrank_new_tile *tiles, int *missed);
void lowrank_sum_dense(lowrank_work *w, lowrank_sum *s, const int64_t *which, const lowrank_list *d, bool given);

/* -- of the two files that compute sums -- */

/* B_kj */
static inline lowrank_tile lowrank_right_tile(const lowrank_sum *s, int k, int j)
{
  return s->flipped ? lowrank_flipped(lowrank_tile_of(s->b, j, k)) : lowrank_tile_of(s->b, k, j);
}

/* N_ikj, r_ik high; NULL: one of the two is not of low rank, or zero. */
static inline void *lowrank_inner(const lowrank_sum *s, int i, int k, int j)
{
  const int64_t offset = s->offsets[(int64_t)i * s->terms + k];
  if (offset < 0 || lowrank_right_tile(s, k, j).rank <= 0) return NULL;
  const int first = s->flipped ? 0 : s->b->starts[lowrank_place(s->b, k, j)];
  return lowrank_at(s->a->type, s->inner, offset, first, s->a->ranks[lowrank_place(s->a, i, k)]);
}

/* Small matrices for each of some pairs, side by side in scratch memory. */
typedef struct lowrank_parts {
  void *data;
  int64_t *offsets; /* owned, in elements */
  int64_t elements;
} lowrank_parts;

void lowrank_parts_create(lowrank_work *w, lowrank_parts *p, int64_t pairs);
void lowrank_parts_allocate(lowrank_work *w, lowrank_parts *p, batched_type type); /* zeros */
static inline void lowrank_parts_take(lowrank_parts *p, int64_t pair, int64_t elements)
{
  p->offsets[pair] = p->elements;
  p->elements += elements;
}
static inline void *lowrank_part(const lowrank_parts *p, batched_type type, int64_t pair)
{
  return lowrank_at(type, p->data, p->offsets[pair], 0, 0);
}

/* A call for some targets. */
typedef struct lowrank_walk {
  lowrank_work *w;
  const lowrank_sum *s;
  batched_type type;
  const int64_t *which;
  int64_t count;
} lowrank_walk;

/* None after a failure. */
static inline int64_t lowrank_targets(const lowrank_walk *x)
{
  return x->w->status ? 0 : x->count;
}
static inline int lowrank_row(const lowrank_walk *x, int64_t t)
{
  return x->s->is[x->which[t]];
}
static inline int lowrank_column(const lowrank_walk *x, int64_t t)
{
  return x->s->js[x->which[t]];
}
/* Height of the panel of A's row. */
static inline int lowrank_height(const lowrank_sum *s, int i)
{
  return s->a->rows[i].columns;
}

#endif
