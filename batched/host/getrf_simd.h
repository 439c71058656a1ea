/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A matrix in each lane, element (i, j) at x[i + j * m].  Each lane has its own pivots: rows are exchanged lane by lane,
 * everything else goes on in all lanes at once.
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

ALWAYS_INLINE void NAME(exchange_rows)(int m, int n, ELEM *x, int k, MASK row)
{
  const int64_t part = W, column = (int64_t)m * (int64_t)(sizeof(ELEM) / sizeof(R));
  for (int l = 0; l < W; l++) {
    if (row[l] == k) continue;
    R *a = (R *)(x + k) + l, *b = (R *)(x + row[l]) + l;
    for (int j = 0; j < n; j++, a += column, b += column) {
      for (int q = 0; q <= IS_COMPLEX; q++) {
        const R t = a[q * part];
        a[q * part] = b[q * part];
        b[q * part] = t;
      }
    }
  }
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

/* Columns j .. j + cols - 1, below row k. */
ALWAYS_INLINE void NAME(update_columns)(int cols, int m, int k, const ELEM *l, ELEM *x)
{
  ELEM u[4];
#pragma GCC unroll 4
  for (int j = 0; j < cols; j++) u[j] = x[k + (int64_t)j * m];
  for (int i = k + 1; i < m; i++) {
    const ELEM f = l[i];
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) x[i + (int64_t)j * m] = NAME(fms)(x[i + (int64_t)j * m], f, u[j], false, false);
  }
}

static void NAME(factor_lanes)(int m, int n, ELEM *x, MASK *pivots, MASK *info)
{
  for (int k = 0; k < batched_min(m, n); k++) {
    ELEM *column = x + (int64_t)k * m;
    pivots[k] = NAME(find_pivots)(m, k, column);
    NAME(exchange_rows)(m, n, x, k, pivots[k]);
    const MASK bad = ~(NAME(sizes)(column[k]) > 0) & (*info == 0);
    *info |= bad & (k + 1);
    NAME(divide_column)(m, k, column);
    int j = k + 1;
    for (; j + 4 <= n; j += 4) NAME(update_columns)(4, m, k, column, x + (int64_t)j * m);
    for (; j < n; j++) NAME(update_columns)(1, m, k, column, x + (int64_t)j * m);
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
