/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/tlr/tlr_sum.h"

#include <stdlib.h>

static const batched_scalar zero = {0, 0}, one = {1, 0};

static batched_scalar conjugate(batched_scalar a)
{
  return (batched_scalar){a.re, -a.im};
}

/* Columns of N_ik. */
static int width(const lowrank_sum *s, int k)
{
  const int rank = s->flipped ? lowrank_tile_of(s->b, s->js[0], k).rank : s->b->rows[k].columns;
  return rank > 0 ? rank : 0;
}

/* Which products there are; their elements. */
static int64_t lay_out(lowrank_sum *s)
{
  int64_t elements = 0;
  for (int64_t e = 0; e < (int64_t)s->a->mt * s->terms; e++) s->offsets[e] = -1;
  for (int64_t t = 0; t < s->count; t++)
    for (int k = 0; k < s->terms; k++) {
      int64_t *offset = &s->offsets[(int64_t)s->is[t] * s->terms + k];
      const int rank = s->a->ranks[lowrank_place(s->a, s->is[t], k)];
      s->dense_pairs = s->dense_pairs || rank < 0 || lowrank_right_tile(s, k, s->js[t]).rank < 0;
      if (rank <= 0 || *offset >= 0 || width(s, k) == 0) continue;
      *offset = elements;
      elements += (int64_t)rank * width(s, k);
    }
  return elements;
}

void lowrank_parts_create(lowrank_work *w, lowrank_parts *p, int64_t pairs)
{
  *p = (lowrank_parts){.offsets = malloc(((size_t)pairs + 1) * sizeof *p->offsets)};
  if (!p->offsets && !w->status) w->status = BATCHED_NO_MEMORY;
}

void lowrank_parts_allocate(lowrank_work *w, lowrank_parts *p, batched_type type)
{
  const size_t bytes = (size_t)p->elements * batched_element_bytes(type);
  p->data = lowrank_push(w, bytes);
  LOWRANK_DO(w, batched_fill_zero(w->ctx, p->data, bytes));
}

void lowrank_sum_begin(lowrank_work *w, lowrank_sum *s)
{
  const int64_t pairs = (int64_t)s->a->mt * s->terms;
  lowrank_products p;
  s->offsets = malloc(((size_t)pairs + 1) * sizeof *s->offsets);
  if (!s->offsets && !w->status) w->status = BATCHED_NO_MEMORY;
  if (w->status) return;
  s->inner = lowrank_push(w, (size_t)lay_out(s) * batched_element_bytes(s->a->type));
  lowrank_products_create(w, &p, s->a->type, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, pairs);
  for (int i = 0; i < s->a->mt && !w->status; i++)
    for (int k = 0; k < s->terms; k++) {
      const int64_t offset = s->offsets[(int64_t)i * s->terms + k];
      if (offset < 0) continue;
      const lowrank_tile a = lowrank_tile_of(s->a, i, k);
      const lowrank_tile b = s->flipped ? lowrank_right_tile(s, k, s->js[0]) : lowrank_tile_of(s->b, k, 0);
      lowrank_products_add(&p, a.rank, width(s, k), a.n, a.v, a.ldv, s->flipped ? b.u : s->b->rows[k].u, b.ldu,
                           lowrank_at(s->a->type, s->inner, offset, 0, 0), a.rank);
    }
  lowrank_products_run(w, &p, one, zero);
  lowrank_products_destroy(&p);
}

void lowrank_sum_end(lowrank_sum *s)
{
  free(s->offsets);
  s->offsets = NULL;
}

/* Y_t += gamma times the low-rank or dense matrix C_ij or its conjugate transpose, times X_t. */
static void add_base(lowrank_walk *x, batched_scalar gamma, bool trans, const lowrank_list *in,
                     const batched_matrix *shared, const lowrank_list *out, int columns)
{
  const batched_tlr *c = x->s->c;
  lowrank_products v, u, d;
  lowrank_parts z;
  if (!c || x->w->status || batched_is_zero(x->type, gamma)) return;
  lowrank_parts_create(x->w, &z, x->count);
  if (x->w->status) return;
  for (int64_t t = 0; t < lowrank_targets(x); t++) {
    const int rank = c->ranks[lowrank_place(c, lowrank_row(x, t), lowrank_column(x, t))];
    lowrank_parts_take(&z, t, (int64_t)(rank > 0 ? rank : 0) * columns);
  }
  lowrank_parts_allocate(x->w, &z, x->type);
  lowrank_products_create(x->w, &v, x->type, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, x->count);
  lowrank_products_create(x->w, &u, x->type, BATCHED_NO_TRANS, BATCHED_NO_TRANS, x->count);
  lowrank_products_create(x->w, &d, x->type, trans ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS, BATCHED_NO_TRANS, x->count);
  for (int64_t t = 0; t < lowrank_targets(x); t++) {
    lowrank_tile tile = lowrank_tile_of(c, lowrank_row(x, t), lowrank_column(x, t));
    if (trans) tile = lowrank_flipped(tile);
    const void *from = shared ? batched_at(shared, 0) : in->pointers[t];
    const int ld = shared ? shared->ld : in->lds[t], n = out->ns[t];
    if (tile.rank < 0)
      lowrank_products_add(&d, tile.m, n, tile.n, tile.d, tile.ldd, from, ld, out->pointers[t], out->lds[t]);
    if (tile.rank <= 0) continue;
    void *to = lowrank_part(&z, x->type, t);
    lowrank_products_add(&v, tile.rank, n, tile.n, tile.v, tile.ldv, from, ld, to, tile.rank);
    lowrank_products_add(&u, tile.m, n, tile.rank, tile.u, tile.ldu, to, tile.rank, out->pointers[t], out->lds[t]);
  }
  lowrank_products_run(x->w, &v, one, zero);
  lowrank_products_run(x->w, &u, gamma, one);
  lowrank_products_run(x->w, &d, gamma, one);
  lowrank_products_destroy(&v);
  lowrank_products_destroy(&u);
  lowrank_products_destroy(&d);
  free(z.offsets);
}

/* Columns j of the targets, each once: used[j] = its number, or -1. */
static int number_columns(const lowrank_walk *x, int *used)
{
  int columns = 0;
  for (int j = 0; j < x->s->b->nt || j < x->s->b->mt; j++) used[j] = -1;
  for (int64_t t = 0; t < x->count; t++) {
    const int j = x->s->js[x->which[t]];
    if (used[j] < 0) used[j] = columns++;
  }
  return columns;
}

/* For each column j and term k: Z_kj = V_kj^H Omega, and, where a factor is dense, B_kj Omega. */
typedef struct images {
  int *used; /* owned */
  int columns;
  lowrank_parts z, whole;
} images;

static void make_images(lowrank_walk *x, batched_matrix omega, images *m)
{
  const lowrank_sum *s = x->s;
  lowrank_products v, u, d;
  *m = (images){.used = malloc(((size_t)s->b->nt + (size_t)s->b->mt + 1) * sizeof *m->used)};
  if (!m->used) x->w->status = BATCHED_NO_MEMORY;
  if (x->w->status) return;
  m->columns = number_columns(x, m->used);
  const int64_t pairs = (int64_t)m->columns * s->terms;
  lowrank_parts_create(x->w, &m->z, pairs);
  lowrank_parts_create(x->w, &m->whole, pairs);
  if (x->w->status) return;
  for (int j = 0; j < (s->flipped ? s->b->mt : s->b->nt); j++)
    for (int k = 0; k < s->terms && m->used[j] >= 0; k++) {
      const lowrank_tile b = lowrank_right_tile(s, k, j);
      lowrank_parts_take(&m->z, (int64_t)m->used[j] * s->terms + k, (int64_t)(b.rank > 0 ? b.rank : 0) * omega.n);
      lowrank_parts_take(&m->whole, (int64_t)m->used[j] * s->terms + k, s->dense_pairs ? (int64_t)b.m * omega.n : 0);
    }
  lowrank_parts_allocate(x->w, &m->z, x->type);
  lowrank_parts_allocate(x->w, &m->whole, x->type);
  lowrank_products_create(x->w, &v, x->type, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, pairs);
  lowrank_products_create(x->w, &u, x->type, BATCHED_NO_TRANS, BATCHED_NO_TRANS, pairs);
  lowrank_products_create(x->w, &d, x->type, s->flipped ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS, BATCHED_NO_TRANS,
                          pairs);
  for (int j = 0; j < (s->flipped ? s->b->mt : s->b->nt) && !x->w->status; j++)
    for (int k = 0; k < s->terms && m->used[j] >= 0; k++) {
      const lowrank_tile b = lowrank_right_tile(s, k, j);
      const int64_t pair = (int64_t)m->used[j] * s->terms + k;
      void *z = lowrank_part(&m->z, x->type, pair), *whole = lowrank_part(&m->whole, x->type, pair);
      const void *from = batched_at(&omega, 0);
      if (b.rank > 0) lowrank_products_add(&v, b.rank, omega.n, b.n, b.v, b.ldv, from, omega.ld, z, b.rank);
      if (b.rank > 0 && s->dense_pairs)
        lowrank_products_add(&u, b.m, omega.n, b.rank, b.u, b.ldu, z, b.rank, whole, b.m);
      if (b.rank < 0) lowrank_products_add(&d, b.m, omega.n, b.n, b.d, b.ldd, from, omega.ld, whole, b.m);
    }
  lowrank_products_run(x->w, &v, one, zero);
  lowrank_products_run(x->w, &u, one, zero);
  lowrank_products_run(x->w, &d, one, zero);
  lowrank_products_destroy(&v);
  lowrank_products_destroy(&u);
  lowrank_products_destroy(&d);
}

static void free_images(images *m)
{
  free(m->used);
  free(m->z.offsets);
  free(m->whole.offsets);
}

/* Y_t += alpha D_ik X_tk for dense A_ik, one k at a time; X: part of pair (column of t, k). */
static void add_dense_left(lowrank_walk *x, const images *m, const lowrank_list *y)
{
  const lowrank_sum *s = x->s;
  lowrank_products d;
  lowrank_products_create(x->w, &d, x->type, BATCHED_NO_TRANS, BATCHED_NO_TRANS, x->count);
  for (int k = 0; k < s->terms && s->dense_pairs; k++) {
    for (int64_t t = 0; t < lowrank_targets(x); t++) {
      const lowrank_tile a = lowrank_tile_of(s->a, lowrank_row(x, t), k);
      if (a.rank >= 0) continue;
      const void *from = lowrank_part(&m->whole, x->type, (int64_t)m->used[lowrank_column(x, t)] * s->terms + k);
      lowrank_products_add(&d, a.m, y->ns[t], a.n, a.d, a.ldd, from, a.n, y->pointers[t], y->lds[t]);
    }
    lowrank_products_run(x->w, &d, s->alpha, one);
  }
  lowrank_products_destroy(&d);
}

int lowrank_sum_sample(batched_ctx *ctx, void *self, const int64_t *which, int64_t count, batched_matrix omega,
                       const lowrank_list *y)
{
  const lowrank_sum *s = self;
  lowrank_work work = {.ctx = ctx};
  lowrank_walk walking = {&work, s, s->a->type, which, count}, *x = &walking;
  images m;
  lowrank_parts stack;
  lowrank_products small, dense, large;
  make_images(x, omega, &m);
  lowrank_parts_create(x->w, &stack, count);
  for (int64_t t = 0; t < lowrank_targets(x); t++)
    lowrank_parts_take(&stack, t, (int64_t)lowrank_height(s, lowrank_row(x, t)) * y->ns[t]);
  lowrank_parts_allocate(x->w, &stack, x->type);
  lowrank_products_create(x->w, &small, x->type, BATCHED_NO_TRANS, BATCHED_NO_TRANS, count * s->terms);
  lowrank_products_create(x->w, &dense, x->type, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, count * s->terms);
  lowrank_products_create(x->w, &large, x->type, BATCHED_NO_TRANS, BATCHED_NO_TRANS, count);
  for (int64_t t = 0; t < lowrank_targets(x); t++) {
    const int i = lowrank_row(x, t), j = lowrank_column(x, t);
    void *mine = lowrank_part(&stack, x->type, t);
    for (int k = 0; k < s->terms; k++) {
      const lowrank_tile a = lowrank_tile_of(s->a, i, k), b = lowrank_right_tile(s, k, j);
      const int64_t pair = (int64_t)m.used[j] * s->terms + k;
      if (a.rank <= 0 || b.rank == 0) continue;
      void *to = lowrank_at(x->type, mine, s->a->starts[lowrank_place(s->a, i, k)], 0, 0);
      if (b.rank > 0)
        lowrank_products_add(&small, a.rank, y->ns[t], b.rank, lowrank_inner(s, i, k, j), a.rank,
                             lowrank_part(&m.z, x->type, pair), b.rank, to, lowrank_height(s, i));
      else
        lowrank_products_add(&dense, a.rank, y->ns[t], a.n, a.v, a.ldv, lowrank_part(&m.whole, x->type, pair), a.n, to,
                             lowrank_height(s, i));
    }
    if (lowrank_height(s, i) > 0)
      lowrank_products_add(&large, lowrank_tile_rows(s->a, i), y->ns[t], lowrank_height(s, i), s->a->rows[i].u,
                           lowrank_tile_rows(s->a, i), mine, lowrank_height(s, i), y->pointers[t], y->lds[t]);
  }
  lowrank_products_run(x->w, &small, one, zero);
  lowrank_products_run(x->w, &dense, one, zero);
  lowrank_products_run(x->w, &large, s->alpha, one);
  lowrank_products_destroy(&small);
  lowrank_products_destroy(&dense);
  lowrank_products_destroy(&large);
  add_dense_left(x, &m, y);
  add_base(x, s->beta, false, NULL, &omega, y, omega.n);
  free_images(&m);
  free(stack.offsets);
  return lowrank_end(&work);
}

/* Z_t += conj(alpha) B_kj^H A_ik^H Q_t for the pairs of which one is dense; P_t = [U_i0 U_i1 ...]^H Q_t. */
static void project_dense_pairs(lowrank_walk *x, const lowrank_parts *p, const lowrank_list *q, batched_matrix z)
{
  const lowrank_sum *s = x->s;
  const int tile = s->a->tile;
  lowrank_work inner = {.ctx = x->w->ctx, .status = x->w->status}, *outer = x->w;
  const batched_matrix image = lowrank_matrix(&inner, x->type, tile, z.n, x->count);
  const batched_matrix small = lowrank_matrix(&inner, x->type, tile, z.n, x->count);
  lowrank_products ad, av, bu, bv, bd;
  // cppcheck-suppress autoVariables ; put back below
  x->w = &inner;
  lowrank_products_create(&inner, &ad, x->type, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, x->count);
  lowrank_products_create(&inner, &av, x->type, BATCHED_NO_TRANS, BATCHED_NO_TRANS, x->count);
  lowrank_products_create(&inner, &bu, x->type, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, x->count);
  lowrank_products_create(&inner, &bv, x->type, BATCHED_NO_TRANS, BATCHED_NO_TRANS, x->count);
  lowrank_products_create(&inner, &bd, x->type, s->flipped ? BATCHED_NO_TRANS : BATCHED_CONJ_TRANS, BATCHED_NO_TRANS,
                          x->count);
  for (int k = 0; k < s->terms; k++) {
    for (int64_t t = 0; t < lowrank_targets(x); t++) {
      const int i = lowrank_row(x, t), j = lowrank_column(x, t), c = q->ns[t];
      const lowrank_tile a = lowrank_tile_of(s->a, i, k), b = lowrank_right_tile(s, k, j);
      if (a.rank == 0 || b.rank == 0 || (a.rank > 0 && b.rank > 0)) continue;
      void *whole = batched_at(&image, t), *part = batched_at(&small, t), *to = batched_at(&z, t);
      if (a.rank < 0)
        lowrank_products_add(&ad, a.n, c, a.m, a.d, a.ldd, q->pointers[t], q->lds[t], whole, tile);
      else
        lowrank_products_add(
          &av, a.n, c, a.rank, a.v, a.ldv,
          lowrank_at(x->type, lowrank_part(p, x->type, t), s->a->starts[lowrank_place(s->a, i, k)], 0, 0),
          lowrank_height(s, i), whole, tile);
      if (b.rank > 0) {
        lowrank_products_add(&bu, b.rank, c, b.m, b.u, b.ldu, whole, tile, part, tile);
        lowrank_products_add(&bv, b.n, c, b.rank, b.v, b.ldv, part, tile, to, z.ld);
      } else {
        lowrank_products_add(&bd, b.n, c, b.m, b.d, b.ldd, whole, tile, to, z.ld);
      }
    }
    lowrank_products_run(&inner, &ad, one, zero);
    lowrank_products_run(&inner, &av, one, zero);
    lowrank_products_run(&inner, &bu, one, zero);
    lowrank_products_run(&inner, &bv, conjugate(s->alpha), one);
    lowrank_products_run(&inner, &bd, conjugate(s->alpha), one);
  }
  lowrank_products *all[] = {&ad, &av, &bu, &bv, &bd};
  for (int i = 0; i < 5; i++) lowrank_products_destroy(all[i]);
  x->w = outer;
  outer->status = lowrank_end(&inner);
}

/* Z_t += conj(alpha) times the sum over k of V_kj N_ikj^H P_tk; flipped, the V_kj are the panel [U_j0 U_j1 ...]. */
static void project_lowrank_pairs(lowrank_walk *x, const lowrank_parts *p, const lowrank_list *q, batched_matrix z)
{
  const lowrank_sum *s = x->s;
  lowrank_parts small;
  lowrank_products n, v;
  lowrank_parts_create(x->w, &small, x->count * s->terms);
  if (x->w->status) {
    free(small.offsets);
    return;
  }
  for (int64_t t = 0; t < lowrank_targets(x); t++)
    for (int k = 0; k < s->terms; k++) {
      const int rank = lowrank_right_tile(s, k, lowrank_column(x, t)).rank;
      lowrank_parts_take(&small, t * s->terms + k, (int64_t)(rank > 0 ? rank : 0) * q->ns[t]);
    }
  lowrank_parts_allocate(x->w, &small, x->type);
  lowrank_products_create(x->w, &n, x->type, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, x->count * s->terms);
  lowrank_products_create(x->w, &v, x->type, BATCHED_NO_TRANS, BATCHED_NO_TRANS, x->count);
  for (int64_t t = 0; t < lowrank_targets(x); t++) {
    const int i = lowrank_row(x, t), j = lowrank_column(x, t);
    for (int k = 0; k < s->terms; k++) {
      const lowrank_tile a = lowrank_tile_of(s->a, i, k), b = lowrank_right_tile(s, k, j);
      if (a.rank <= 0 || b.rank <= 0) continue;
      const void *from =
        lowrank_at(x->type, lowrank_part(p, x->type, t), s->a->starts[lowrank_place(s->a, i, k)], 0, 0);
      const int high = s->flipped ? s->b->rows[j].columns : b.rank;
      void *to = s->flipped ? lowrank_at(x->type, lowrank_part(&small, x->type, t * s->terms),
                                         s->b->starts[lowrank_place(s->b, j, k)], 0, 0)
                            : lowrank_part(&small, x->type, t * s->terms + k);
      lowrank_products_add(&n, b.rank, q->ns[t], a.rank, lowrank_inner(s, i, k, j), a.rank, from, lowrank_height(s, i),
                           to, high);
    }
  }
  lowrank_products_run(x->w, &n, one, zero);
  for (int k = 0; k < (s->flipped ? 1 : s->terms); k++) {
    for (int64_t t = 0; t < lowrank_targets(x); t++) {
      const int i = lowrank_row(x, t), j = lowrank_column(x, t);
      const lowrank_tile a = lowrank_tile_of(s->a, i, k), b = lowrank_right_tile(s, k, j);
      const void *from = lowrank_part(&small, x->type, t * s->terms + k);
      const int columns = s->b->rows[s->flipped ? j : k].columns;
      if (s->flipped && columns > 0)
        lowrank_products_add(&v, b.n, q->ns[t], columns, s->b->rows[j].u, b.n, from, columns, batched_at(&z, t), z.ld);
      else if (!s->flipped && a.rank > 0 && b.rank > 0)
        lowrank_products_add(&v, b.n, q->ns[t], b.rank, b.v, b.ldv, from, b.rank, batched_at(&z, t), z.ld);
    }
    lowrank_products_run(x->w, &v, conjugate(s->alpha), one);
  }
  lowrank_products_destroy(&n);
  lowrank_products_destroy(&v);
  free(small.offsets);
}

int lowrank_sum_project(batched_ctx *ctx, void *self, const int64_t *which, int64_t count, const lowrank_list *q,
                        batched_matrix z)
{
  const lowrank_sum *s = self;
  lowrank_work work = {.ctx = ctx};
  lowrank_walk walking = {&work, s, s->a->type, which, count}, *x = &walking;
  lowrank_products u;
  lowrank_list to = {0};
  lowrank_parts p;
  lowrank_parts_create(x->w, &p, count);
  if (work.status) {
    free(p.offsets);
    return work.status;
  }
  for (int64_t t = 0; t < lowrank_targets(x); t++)
    lowrank_parts_take(&p, t, (int64_t)lowrank_height(s, lowrank_row(x, t)) * q->ns[t]);
  lowrank_parts_allocate(x->w, &p, x->type);
  lowrank_products_create(x->w, &u, x->type, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, count);
  LOWRANK_DO(x->w, lowrank_list_create(&to, x->type, count));
  for (int64_t t = 0; t < lowrank_targets(x); t++) {
    const int i = lowrank_row(x, t), j = lowrank_column(x, t);
    const int m = lowrank_tile_rows(s->a, i),
              n = s->flipped ? lowrank_tile_rows(s->b, j) : lowrank_tile_columns(s->b, j);
    lowrank_list_add(&to, batched_at(&z, t), n, q->ns[t], z.ld);
    if (lowrank_height(s, i) > 0)
      lowrank_products_add(&u, lowrank_height(s, i), q->ns[t], m, s->a->rows[i].u, m, q->pointers[t], q->lds[t],
                           lowrank_part(&p, x->type, t), lowrank_height(s, i));
  }
  lowrank_products_run(x->w, &u, one, zero);
  lowrank_products_destroy(&u);
  if (s->terms > 0) project_lowrank_pairs(x, &p, q, z);
  if (s->terms > 0 && s->dense_pairs) project_dense_pairs(x, &p, q, z);
  add_base(x, conjugate(s->beta), true, q, NULL, &to, z.n);
  lowrank_list_destroy(&to);
  free(p.offsets);
  return lowrank_end(&work);
}
