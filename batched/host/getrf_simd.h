/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A matrix in each lane, element (i, j) at x[i + j * m].  Each lane has its own pivots.
 */
#include "lanes.h"

ALWAYS_INLINE VEC NAME(sizes)(ELEM x)
{
#if IS_COMPLEX
  return SIMD(abs)(x.re) + SIMD(abs)(x.im);
#else
  return SIMD(abs)(x);
#endif
}

/* 1 / d and x / d; complex numbers are scaled by the larger part of d. */
ALWAYS_INLINE ELEM NAME(one_over)(ELEM d)
{
#if IS_COMPLEX
  const VEC s = NAME(magnitude)(d), re = d.re / s, im = d.im / s, r = 1 / (re * re + im * im);
  return (ELEM){re * r / s, -im * r / s};
#else
  return 1 / d;
#endif
}

ALWAYS_INLINE ELEM NAME(over)(ELEM x, ELEM d)
{
#if IS_COMPLEX
  const VEC s = NAME(magnitude)(d);
  const ELEM y = NAME(times)(x, NAME(one_over)((ELEM){d.re / s, d.im / s}));
  return (ELEM){y.re / s, y.im / s};
#else
  return x / d;
#endif
}

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
  const R least = sizeof(R) == 4 ? 0x1p-125f : (R)0x1p-1021, most = sizeof(R) == 4 ? 0x1p125f : (R)0x1p1021;
  const ELEM one = NAME(make)(SIMD(splat)(1)), d = NAME(choose)(NAME(sizes)(column[k]) == 0, one, column[k]);
  const VEC size = NAME(magnitude)(d);
  if (SIMD(any)((size < least) | (size > most))) {
    const MASK extreme = (size < least) | (size > most);
    const ELEM inverse = NAME(one_over)(d);
    for (int i = k + 1; i < m; i++)
      column[i] = NAME(choose)(extreme, NAME(over)(column[i], d), NAME(times)(column[i], inverse));
    return;
  }
  const ELEM inverse = NAME(one_over)(d);
  for (int i = k + 1; i < m; i++) column[i] = NAME(times)(column[i], inverse);
}

/* In `cols` columns: exchanges row k with row `row` of each lane, and below it subtracts l times the new row k.  The rows
 * are exchanged by selection in every row: to write single lanes and to read vectors right after would stall. */
ALWAYS_INLINE void NAME(next_columns)(int cols, bool update, int m, int k, MASK row, const ELEM *l, ELEM *x)
{
  ELEM old[4], u[4];
#pragma GCC unroll 4
  for (int j = 0; j < cols; j++) old[j] = u[j] = x[k + (int64_t)j * m];
  for (int i = k + 1; i < m; i++) {
    const MASK here = row == i;
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) u[j] = NAME(choose)(here, x[i + (int64_t)j * m], u[j]);
  }
#pragma GCC unroll 4
  for (int j = 0; j < cols; j++) x[k + (int64_t)j * m] = u[j];
  for (int i = k + 1; i < m; i++) {
    const MASK here = row == i;
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) {
      const ELEM value = NAME(choose)(here, old[j], x[i + (int64_t)j * m]);
      x[i + (int64_t)j * m] = update ? NAME(fms)(value, l[i], u[j], false, false) : value;
    }
  }
}

ALWAYS_INLINE void NAME(all_columns)(int n, bool update, int m, int k, MASK row, const ELEM *l, ELEM *x)
{
  int j = 0;
  for (; j + 4 <= n; j += 4) NAME(next_columns)(4, update, m, k, row, l, x + (int64_t)j * m);
  for (; j < n; j++) NAME(next_columns)(1, update, m, k, row, l, x + (int64_t)j * m);
}

static void NAME(factor_lanes)(int m, int n, ELEM *x, MASK *pivots, MASK *info)
{
  for (int k = 0; k < batched_min(m, n); k++) {
    ELEM *column = x + (int64_t)k * m;
    const MASK row = pivots[k] = NAME(find_pivots)(m, k, column);
    NAME(all_columns)(k + 1, false, m, k, row, NULL, x);
    const MASK bad = ~(NAME(sizes)(column[k]) > 0) & (*info == 0);
    *info |= bad & (k + 1);
    NAME(divide_column)(m, k, column);
    NAME(all_columns)(n - k - 1, true, m, k, row, column, column + m);
  }
}

static int NAME(simd)(batched_ctx *ctx, const batched_getrf_args *p)
{
  const size_t most = (size_t)p->a.m * (size_t)p->a.n;
  const int64_t each = batched_min(p->a.m, p->a.n);
  batched_groups groups;
  batched_group g;
  int status = batched_groups_begin(ctx, &groups, &p->a, W);
  if (status) return status;
  ELEM *x = batched_scratch_push(ctx, most * sizeof(ELEM) + (size_t)(each + 1) * sizeof(MASK));
  MASK *pivots = (MASK *)(x + most);
  while (x && batched_groups_next(&groups, &g)) {
    MASK info = {0};
    if (g.m > 0 && g.n > 0) {
      NAME(matrices) a;
      NAME(matrices_of)(&p->a, &g, &a);
      const bool dense = NAME(is_dense)(&a, g.m);
      NAME(pack)(&a, 0, 0, g.m, g.n, dense, x);
      NAME(factor_lanes)(g.m, g.n, x, pivots, &info);
      NAME(unpack)(&a, g.active, 0, 0, g.m, g.n, dense, x);
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
#include "lanes_end.h"
