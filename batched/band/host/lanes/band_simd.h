/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of gbtrf and gbsv: LU with partial pivoting of bands, a matrix in each SIMD lane, each with its own
 * pivots.  A window of columns, in which element (i, j) is x[kv + i - j + (j - first) * rows], moves along the
 * matrices.  Right-hand sides are eliminated in the pass that factors; then columns of U are read once more, from the
 * last one.
 */
#include <string.h>

#include "batched/band/host/lanes/exchange_simd.h"
#include "batched/band/host/lanes/substitute_simd.h"

enum { NAME(STEP) = 32 /* columns that a window goes on by */ };

typedef struct NAME(band) {
  int m, n, kl, ku, kv, rows;
  int first, loaded; /* the window's first column, and how many of the matrix have been loaded */
  ELEM *x;
} NAME(band);

/* Numbers of a window. */
static size_t NAME(window_size)(int n, int kl, int ku)
{
  return (size_t)(2 * kl + ku + 1) * (size_t)(n - kl - ku < NAME(STEP) ? n : kl + ku + NAME(STEP));
}

static NAME(band) NAME(band_of)(int m, int n, int kl, int ku, ELEM *x)
{
  return (NAME(band)){m, n, kl, ku, kl + ku, 2 * kl + ku + 1, 0, 0, x};
}

static ELEM *NAME(element)(const NAME(band) * w, int i, int j)
{
  return w->x + w->kv + i - j + (int64_t)(j - w->first) * w->rows;
}

/* Columns before `to`, with zeros where pivoting fills in. */
static void NAME(load_columns)(NAME(band) * w, const NAME(matrices) * a, int to)
{
  for (; w->loaded < to; w->loaded++) {
    const int j = w->loaded, top = batched_max(0, j - w->ku), bottom = batched_min(w->m, j + w->kl + 1);
    ELEM *column = w->x + (int64_t)(j - w->first) * w->rows;
    for (int r = 0; r < w->rows; r++) column[r] = NAME(make)((VEC){0});
    if (bottom > top) NAME(pack_run)(a, w->kv + top - j, j, bottom - top, column + w->kv + top - j);
  }
}

/* Stores columns before `to`, and moves the window there. */
static void NAME(store_columns)(NAME(band) * w, const NAME(matrices) * a, int active, int to)
{
  for (int j = w->first; j < to; j++) {
    const int top = batched_max(0, j - w->kv), bottom = batched_min(w->m, j + w->kl + 1);
    if (bottom > top) NAME(unpack_run)(a, active, w->kv + top - j, j, bottom - top, NAME(element)(w, top, j));
  }
  memmove(w->x, w->x + (int64_t)(to - w->first) * w->rows, (size_t)(w->loaded - to) * (size_t)w->rows * sizeof(ELEM));
  w->first = to;
}

/* Which of the rows 0 .. below has the largest element of the column, the first of equals, in each lane. */
ALWAYS_INLINE MASK NAME(find_pivots)(int below, const ELEM *column)
{
  VEC best = NAME(sizes)(column[0]);
  MASK row = (MASK){0};
  for (int i = 1; i <= below; i++) {
    const VEC size = NAME(sizes)(column[i]);
    const MASK larger = size > best;
    best = SIMD(select)(larger, size, best);
    row = (larger & i) | (~larger & row);
  }
  return row;
}

/* Exchanges rows 0 and `row` of the pivots' column, and divides what is below the pivot, unless that is 0. */
ALWAYS_INLINE void NAME(divide_column)(int below, MASK row, ELEM *column)
{
  const ELEM top = column[0];
  ELEM d = top;
  for (int i = 1; i <= below; i++) d = NAME(choose)(row == i, column[i], d);
  column[0] = d;
  d = NAME(choose)(NAME(sizes)(d) == 0, NAME(make)(SIMD(splat)(1)), d);
  for (int i = 1; i <= below; i++) column[i] = NAME(quotient)(NAME(choose)(row == i, top, column[i]), d);
}

/* Column k, of the matrix and of `nrhs` right-hand sides y[i + j * n]: the row of the pivot, counted from k. */
static MASK NAME(eliminate)(const NAME(band) * w, int k, int nrhs, ELEM *y, MASK *info)
{
  const int below = batched_min(w->kl, w->m - 1 - k), right = batched_min(w->kv, w->n - 1 - k);
  ELEM *column = NAME(element)(w, k, k);
  const MASK row = NAME(find_pivots)(below, column);
  NAME(divide_column)(below, row, column);
  *info |= ~(NAME(sizes)(column[0]) > 0) & (*info == 0) & (k + 1);
  switch (below) { /* narrow ones in registers */
  case 0: break;
  case 1: NAME(exchange_and_eliminate)(right, 1, row, column, column + w->rows - 1, w->rows - 1); break;
  case 2: NAME(exchange_and_eliminate)(right, 2, row, column, column + w->rows - 1, w->rows - 1); break;
  case 3: NAME(exchange_and_eliminate)(right, 3, row, column, column + w->rows - 1, w->rows - 1); break;
  default: NAME(exchange_and_eliminate)(right, below, row, column, column + w->rows - 1, w->rows - 1); break;
  }
  if (nrhs > 0) NAME(exchange_and_eliminate)(nrhs, below, row, column, y + k, w->n);
  return row;
}

/* All columns; stores the factors, pivots (`each` for a matrix) and info. */
static void NAME(factor_lanes)(NAME(band) * w, const NAME(matrices) * a, const batched_group *g, int nrhs, ELEM *y,
                               int *ipiv, int64_t each, MASK *info)
{
  const int steps = batched_min(w->m, w->n);
  for (int k = 0; k < w->n; k = w->first) {
    const int end = batched_min(w->n, k + NAME(STEP));
    NAME(load_columns)(w, a, batched_min(w->n, end + w->kv));
    for (int j = k; j < batched_min(end, steps); j++) {
      const MASK row = NAME(eliminate)(w, j, nrhs, y, info);
      for (int l = 0; l < g->active; l++) ipiv[g->index[l] * each + j] = j + 1 + (int)row[l];
    }
    NAME(store_columns)(w, a, g->active, end);
  }
}

static void NAME(substitute_upper)(const NAME(band) * w, const NAME(matrices) * a, int ld, int nrhs, ELEM *y,
                                   ELEM *columns)
{
  NAME(triangle) u = NAME(triangle_of)(a, ld, true, false, w->n, w->kv, w->kv, columns);
  NAME(substitute_lanes)(&u, BATCHED_NO_TRANS, nrhs, y);
}

/* Right-hand sides, where there are some, for matrices of m rows. */
static int NAME(simd)(batched_ctx *ctx, int m, const batched_gbsv_args *p, bool solves)
{
  const int kl = p->kl.bound, ku = p->ku.bound;
  const size_t window = NAME(window_size)(p->ab.n, kl, ku), sides = solves ? (size_t)p->b.m * (size_t)p->b.n : 0;
  const int64_t each = batched_min(m, p->ab.n);
  batched_groups groups;
  batched_group g;
  const int status = batched_groups_begin(ctx, &groups, solves ? &p->b : &p->ab, W);
  if (status) return status;
  const size_t columns = solves ? NAME(columns_size)(kl + ku, p->ab.ld) : 0;
  ELEM *x = batched_scratch_push(ctx, (window + sides + columns) * sizeof(ELEM));
  T *elsewhere = x ? batched_scratch_push(ctx, sides * sizeof(T)) : NULL;
  ELEM *y = x + window;
  while (elsewhere && batched_groups_next(&groups, &g)) {
    const int n = solves ? g.m : g.n, nrhs = solves ? g.n : 0;
    MASK info = {0};
    NAME(band) w = NAME(band_of)(solves ? n : m, n, kl, ku, x);
    if (w.m > 0 && n > 0) {
      NAME(matrices) a, b = {0};
      NAME(matrices_of)(&p->ab, &g, &a);
      if (nrhs > 0) NAME(matrices_of)(&p->b, &g, &b);
      NAME(pack)(&b, 0, 0, n, nrhs, false, y);
      NAME(factor_lanes)(&w, &a, &g, nrhs, y, p->ipiv, each, &info);
      if (nrhs > 0) NAME(substitute_upper)(&w, &a, p->ab.ld, nrhs, y, y + sides);
      NAME(store_sound)(b, &g, n, nrhs, info, elsewhere, y);
    }
    for (int l = 0; l < g.active; l++) p->info[g.index[l]] = (int)info[l];
  }
  if (elsewhere) batched_scratch_pop(ctx);
  if (x) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return elsewhere ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#include "batched/host/lanes_end.h"
