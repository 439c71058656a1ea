/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of getrf: a matrix in each lane, element (i, j) at x[i + j * ld].  Each lane has its own pivots.
 * Panels of TILE columns; the columns to their right follow in tiles that stay in registers.
 */
#include "batched/triangular/host/triangle_simd.h"

enum {
  NAME(ONE_PANEL) = 16, /* up to this order more panels win nothing */
  NAME(LINE) = 64,      /* bytes of a line of the caches; columns that are shorter are not worth fetching */
};

/* The first row, from k on, with the largest element of column k, in each lane. */
ALWAYS_INLINE MASK NAME(find_pivots)(int m, int k, const ELEM *column)
{
  VEC best = NAME(sizes)(column[k]);
  MASK row = (MASK){0} + k;
  for (int i = k + 1; i < m; i++) {
    const VEC size = NAME(sizes)(column[i]);
    const MASK larger = size > best;
    best = SIMD(select)(larger, size, best);
    row = (larger & i) | (~larger & row);
  }
  return row;
}

/* Divides column k below the diagonal; a pivot of 0 leaves it as it is. */
ALWAYS_INLINE void NAME(divide_column)(int m, int k, ELEM *column)
{
  const ELEM one = NAME(make)(SIMD(splat)(1)), d = NAME(choose)(NAME(sizes)(column[k]) == 0, one, column[k]);
  const MASK extreme = NAME(has_no_inverse)(d);
  if (SIMD(any)(extreme)) {
    const ELEM inverse = NAME(reciprocal)(d);
    for (int i = k + 1; i < m; i++)
      column[i] = NAME(choose)(extreme, NAME(quotient)(column[i], d), NAME(times)(column[i], inverse));
    return;
  }
  const ELEM inverse = NAME(reciprocal)(d);
  for (int i = k + 1; i < m; i++) column[i] = NAME(times)(column[i], inverse);
}

/* In `cols` columns: exchanges row k with row `row` of each lane, and below it subtracts l times the new row k.  The
 * rows are exchanged by selection in every row: to write single lanes and to read vectors right after would stall. */
ALWAYS_INLINE void NAME(next_columns)(int cols, bool update, int m, int k, MASK row, const ELEM *l, ELEM *x, int64_t ld)
{
  ELEM old[4], u[4];
#pragma GCC unroll 4
  for (int j = 0; j < cols; j++) old[j] = u[j] = x[k + j * ld];
  for (int i = k + 1; i < m; i++) {
    const MASK here = row == i;
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) u[j] = NAME(choose)(here, x[i + j * ld], u[j]);
  }
#pragma GCC unroll 4
  for (int j = 0; j < cols; j++) x[k + j * ld] = u[j];
  for (int i = k + 1; i < m; i++) {
    const MASK here = row == i;
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) {
      const ELEM value = NAME(choose)(here, old[j], x[i + j * ld]);
      x[i + j * ld] = update ? NAME(fms)(value, l[i], u[j], false, false) : value;
    }
  }
}

ALWAYS_INLINE void NAME(all_columns)(int n, bool update, int m, int k, MASK row, const ELEM *l, ELEM *x, int64_t ld)
{
  int j = 0;
  for (; j + 4 <= n; j += 4) NAME(next_columns)(4, update, m, k, row, l, x + j * ld, ld);
  for (; j < n; j++) NAME(next_columns)(1, update, m, k, row, l, x + j * ld, ld);
}

/* Column j of the next group's matrices, into the second cache. */
ALWAYS_INLINE void NAME(fetch_column)(const NAME(matrices) * next, int m, int j)
{
  for (int l = 0; l < W; l++) {
    const char *column = (const char *)(next->at[l] + j * next->ld[l]);
    for (int byte = 0; byte < m * (int)sizeof(T); byte += NAME(LINE)) __builtin_prefetch(column + byte, 0, 2);
  }
}

/* Columns j0 .. j0 + w - 1, which are done with what is left of them, from row j0 on.  With each, one of the next
 * group's (if any) is fetched. */
static void NAME(factor_panel)(int m, int j0, int w, ELEM *x, int64_t ld, MASK *pivots, MASK *info,
                               const NAME(matrices) * next)
{
  ELEM *panel = x + j0 * ld;
  for (int k = j0; k < j0 + w; k++) {
    ELEM *column = x + k * ld;
    if (next) NAME(fetch_column)(next, m, k);
    const MASK row = pivots[k] = NAME(find_pivots)(m, k, column);
    NAME(all_columns)(k + 1 - j0, false, m, k, row, NULL, panel, ld);
    const MASK bad = ~(NAME(sizes)(column[k]) > 0) & (*info == 0);
    *info |= bad & (k + 1);
    NAME(divide_column)(m, k, column);
    NAME(all_columns)(j0 + w - k - 1, true, m, k, row, column, column + ld, ld);
  }
}

/* The panel's exchanges of rows in n other columns, number by number: when these columns are read, the stores are long
 * done. */
static void NAME(exchange_rows)(int k0, int w, const MASK *pivots, int n, ELEM *x, int64_t ld)
{
  enum { PARTS = sizeof(ELEM) / sizeof(VEC) };
  const int64_t next = ld * PARTS * W;
  for (int l = 0; l < W; l++)
    for (int k = k0; k < k0 + w; k++) {
      const int64_t row = pivots[k][l];
      if (row == k) continue;
      R *one = (R *)(x + k) + l, *other = (R *)(x + row) + l;
      for (int j = 0; j < n; j++)
        for (int part = 0; part < PARTS * W; part += W) {
          const R t = one[j * next + part];
          one[j * next + part] = other[j * next + part];
          other[j * next + part] = t;
        }
    }
}

/* Rows of the trailing columns, less the panel's times the rows of U above them. */
ALWAYS_INLINE void NAME(trailing_tile)(int rows, int cols, int w, const ELEM *l, const ELEM *u, ELEM *x, int64_t ld)
{
  ELEM c[4][4];
#pragma GCC unroll 4
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) c[i][j] = x[i + j * ld];
  NAME(tile_update)(rows, cols, w, l, 1, ld, false, u, 1, ld, false, c);
#pragma GCC unroll 4
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) x[i + j * ld] = c[i][j];
}

/* Trailing columns, from row j0 on: the rows of U, and what is below them. */
ALWAYS_INLINE void NAME(trailing_columns)(int cols, int m, int w, const ELEM *panel, ELEM *x, int64_t ld)
{
  for (int i = 1; i < w; i++) NAME(trailing_tile)(1, cols, i, panel + i, x, x + i, ld);
  int i = w;
  for (; i + TILE <= m; i += TILE) NAME(trailing_tile)(TILE, cols, w, panel + i, x, x + i, ld);
  for (; i < m; i++) NAME(trailing_tile)(1, cols, w, panel + i, x, x + i, ld);
}

static void NAME(factor_lanes)(int m, int n, ELEM *x, int64_t ld, MASK *pivots, MASK *info, const NAME(matrices) * next)
{
  const int steps = batched_min(m, n);
  for (int j0 = 0, w; j0 < steps; j0 += w) {
    w = steps <= NAME(ONE_PANEL) ? steps : batched_min(TILE, steps - j0);
    NAME(factor_panel)(m, j0, w, x, ld, pivots, info, next);
    if (j0 > 0) NAME(exchange_rows)(j0, w, pivots, j0, x, ld);
    if (j0 + w < n) NAME(exchange_rows)(j0, w, pivots, n - j0 - w, x + (j0 + w) * ld, ld);
    for (int j = j0 + w; j < n; j += TILE) {
      ELEM *panel = x + j0 + j0 * ld, *at = x + j0 + j * ld;
      switch (batched_min(TILE, n - j)) {
      case 1: NAME(trailing_columns)(1, m - j0, w, panel, at, ld); break;
      case 2: NAME(trailing_columns)(2, m - j0, w, panel, at, ld); break;
      case 3: NAME(trailing_columns)(3, m - j0, w, panel, at, ld); break;
      case 4: NAME(trailing_columns)(4, m - j0, w, panel, at, ld); break;
      }
    }
  }
}

static int NAME(simd)(batched_ctx *ctx, const batched_getrf_args *p)
{
  const size_t most = p->a.m == 0 ? 0 : ((size_t)p->a.m + 1) * (size_t)p->a.n;
  const int64_t each = batched_min(p->a.m, p->a.n);
  batched_groups groups;
  batched_group g, next_group = {0};
  int status = batched_groups_begin(ctx, &groups, &p->a, W);
  if (status) return status;
  ELEM *x = batched_scratch_push(ctx, most * sizeof(ELEM) + (size_t)(each + 1) * sizeof(MASK));
  MASK *pivots = (MASK *)(x + most);
  for (bool more = x && batched_groups_next(&groups, &g); more; g = next_group) {
    more = batched_groups_next(&groups, &next_group);
    MASK info = {0};
    if (g.m > 0 && g.n > 0) {
      NAME(matrices) a, next;
      NAME(matrices_of)(&p->a, &g, &a);
      if (g.m * (int)sizeof(T) > 2 * NAME(LINE)) a.ahead = 0; // longer columns: one with each step, not all at once
      const bool fetch =
        a.ahead == 0 && more && next_group.m == g.m && next_group.n == g.n && g.m * (int)sizeof(T) >= NAME(LINE);
      if (fetch) NAME(matrices_of)(&p->a, &next_group, &next);
      const int64_t ld =
        g.m % W == 0 && g.m > NAME(ONE_PANEL) ? g.m + 1 : g.m; // columns in different sets of the cache
      const bool dense = ld == g.m && NAME(is_dense)(&a, g.m);
      if (dense) NAME(pack_run)(&a, 0, 0, g.m * g.n, x);
      for (int j = 0; j < g.n && !dense; j++) NAME(pack_run)(&a, 0, j, g.m, x + j * ld);
      NAME(factor_lanes)(g.m, g.n, x, ld, pivots, &info, fetch ? &next : NULL);
      if (dense) NAME(unpack_run)(&a, g.active, 0, 0, g.m * g.n, x);
      for (int j = 0; j < g.n && !dense; j++) NAME(unpack_run)(&a, g.active, 0, j, g.m, x + j * ld);
    }
    for (int l = 0; l < g.active; l++) {
      p->info[g.index[l]] = (int)info[l];
      for (int k = 0; k < batched_min(g.m, g.n); k++) p->ipiv[g.index[l] * each + k] = (int)pivots[k][l] + 1;
    }
  }
  if (x) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return x ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#include "batched/host/lanes_end.h"
