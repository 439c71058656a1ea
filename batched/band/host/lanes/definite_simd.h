/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of pbtrf and pbsv: Cholesky's factors of definite bands, a matrix in each SIMD lane, right-looking,
 * column by column.  A window of columns of ab moves along the matrices; of L, or of U's transpose, elements are `row`
 * or `next` apart downwards or along a diagonal.  Right-hand sides are eliminated in the pass that factors; then
 * columns of ab are read once more, from the last one.
 */
#include <string.h>

#include "batched/band/host/lanes/solutions_simd.h"

enum { NAME(STEP) = 32 /* columns that a window goes on by */ };

typedef struct NAME(definite) {
  int n, depth, above; /* widths count inside of the matrix; the first row of ab that does */
  int first, loaded;   /* the window's first column, and how many of the matrix have been loaded */
  bool upper;
  ELEM *x, *l; /* the window; a column of multipliers */
} NAME(definite);

static ELEM *NAME(column)(const NAME(definite) * w, int j)
{
  return w->x + (int64_t)(j - w->first) * (w->depth + 1);
}

/* Columns before `to`. */
static void NAME(load_columns)(NAME(definite) * w, const NAME(matrices) * a, int to)
{
  for (; w->loaded < to; w->loaded++) {
    const int j = w->loaded, length = 1 + batched_min(w->depth, w->upper ? j : w->n - 1 - j);
    const int top = w->upper ? w->depth + 1 - length : 0;
    NAME(pack_run)(a, w->above + top, j, length, NAME(column)(w, j) + top);
  }
}

/* Stores columns before `to`, and moves the window there. */
static void NAME(store_columns)(NAME(definite) * w, const NAME(matrices) * a, int active, int to)
{
  for (int j = w->first; j < to; j++) {
    const int length = 1 + batched_min(w->depth, w->upper ? j : w->n - 1 - j);
    const int top = w->upper ? w->depth + 1 - length : 0;
    NAME(unpack_run)(a, active, w->above + top, j, length, NAME(column)(w, j) + top);
  }
  memmove(w->x, NAME(column)(w, to), (size_t)(w->loaded - to) * (size_t)(w->depth + 1) * sizeof(ELEM));
  w->first = to;
}

/* Subtracts the products of the multipliers l[1 .. below] from the columns right of theirs, one after the other. */
ALWAYS_INLINE void NAME(update_triangle)(int below, bool upper, const ELEM *l, ELEM *pivot, int64_t row, int64_t next)
{
  for (int j = 1; j <= below; j++) {
    ELEM *x = upper ? pivot + j * row + 1 : pivot + j * next;
    if (upper)
      for (int i = 1; i <= j; i++, x++) *x = NAME(fms)(*x, l[j], l[i], false, true);
    else
      for (int i = j; i <= below; i++, x++) *x = NAME(fms)(*x, l[i], l[j], false, true);
  }
}

/* Column k, of the matrix and of `nrhs` right-hand sides y[i + j * n].  Where the pivot is not positive, the lane goes
 * on with 1. */
static void NAME(eliminate)(const NAME(definite) * w, int k, int nrhs, ELEM *y, MASK *info)
{
  const int below = batched_min(w->depth, w->n - 1 - k);
  const int64_t row = w->upper ? w->depth : 1, next = w->depth + 1;
  ELEM *pivot = NAME(column)(w, k) + (w->upper ? w->depth : 0);
  const MASK sound = RE(*pivot) > 0;
  const VEC root = SIMD(sqrt)(SIMD(select)(sound, RE(*pivot), SIMD(splat)(1))), inverse = 1 / root;
  *info |= ~sound & (*info == 0) & (k + 1);
  *pivot = NAME(make)(root);
  for (int i = 1; i <= below; i++) w->l[i] = pivot[i * row] = NAME(scaled)(pivot[i * row], inverse);
  switch (below) {
  case 0: break;
  case 1: NAME(update_triangle)(1, w->upper, w->l, pivot, row, next); break;
  case 2: NAME(update_triangle)(2, w->upper, w->l, pivot, row, next); break;
  case 3: NAME(update_triangle)(3, w->upper, w->l, pivot, row, next); break;
  default: NAME(update_triangle)(below, w->upper, w->l, pivot, row, next); break;
  }
  for (int j = 0; j < nrhs; j++) {
    ELEM *x = y + k + (int64_t)j * w->n;
    const ELEM here = x[0] = NAME(scaled)(x[0], inverse);
    for (int i = 1; i <= below; i++) x[i] = NAME(fms)(x[i], w->l[i], here, w->upper, false);
  }
}

/* L^H x = y in place, or U x = y, column by column; the window is free for a column. */
static void NAME(substitute_lanes)(const NAME(definite) * w, const NAME(matrices) * a, int nrhs, ELEM *y)
{
  ELEM *column = w->x;
  for (int k = w->n - 1; k >= 0; k--) {
    const int reach = batched_min(w->depth, w->upper ? k : w->n - 1 - k);
    NAME(pack_run)(a, w->above + (w->upper ? w->depth - reach : 0), k, reach + 1, column);
    const VEC inverse = 1 / RE(column[w->upper ? reach : 0]);
    for (int j = 0; j < nrhs; j++) {
      ELEM *x = y + k + (int64_t)j * w->n, here = x[0];
      for (int i = 1; !w->upper && i <= reach; i++) here = NAME(fms)(here, column[i], x[i], true, false);
      x[0] = here = NAME(scaled)(here, inverse);
      for (int i = 1; w->upper && i <= reach; i++) x[-i] = NAME(fms)(x[-i], column[reach - i], here, false, false);
    }
  }
}

/* All columns; stores the factors. */
static void NAME(factor_lanes)(NAME(definite) * w, const NAME(matrices) * a, int active, int nrhs, ELEM *y, MASK *info)
{
  while (w->first < w->n) {
    const int end = batched_min(w->n, w->first + NAME(STEP));
    NAME(load_columns)(w, a, batched_min(w->n, end + w->depth));
    for (int k = w->first; k < end; k++) NAME(eliminate)(w, k, nrhs, y, info);
    NAME(store_columns)(w, a, active, end);
  }
}

/* Right-hand sides, where there are some. */
static int NAME(simd)(batched_ctx *ctx, const batched_pbsv_args *p, bool solves)
{
  const bool upper = p->uplo == BATCHED_UPPER;
  const int kd = p->kd.bound, widest = batched_min(kd, batched_max(p->ab.n - 1, 0));
  const size_t window = (size_t)(widest + 1) * (size_t)(widest + NAME(STEP));
  const size_t sides = solves ? (size_t)p->b.m * (size_t)p->b.n : 0;
  batched_groups groups;
  batched_group g;
  const int status = batched_groups_begin(ctx, &groups, solves ? &p->b : &p->ab, W);
  if (status) return status;
  ELEM *x = batched_scratch_push(ctx, (window + sides + (size_t)widest + 1) * sizeof(ELEM)), *y = x + window;
  T *elsewhere = x ? batched_scratch_push(ctx, sides * sizeof(T)) : NULL;
  while (elsewhere && batched_groups_next(&groups, &g)) {
    const int n = solves ? g.m : g.n, nrhs = solves ? g.n : 0, depth = batched_min(kd, n - 1);
    NAME(definite) w = {n, depth, upper ? kd - depth : 0, 0, 0, upper, x, y + sides};
    MASK info = {0};
    if (n > 0) {
      NAME(matrices) a, b = {0};
      NAME(matrices_of)(&p->ab, &g, &a);
      if (nrhs > 0) NAME(matrices_of)(&p->b, &g, &b);
      NAME(pack)(&b, 0, 0, n, nrhs, false, y);
      NAME(factor_lanes)(&w, &a, g.active, nrhs, y, &info);
      if (nrhs > 0) NAME(substitute_lanes)(&w, &a, nrhs, y);
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
