/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of trmm: a matrix per SIMD lane, tiles of 4 x 4 in registers, in place from the last row of a lower
 * triangle up.
 */
#include "batched/triangular/host/sides_simd.h"

/* Rows i0.. of E X take the place of those of X: the rows above are still those of X. */
ALWAYS_INLINE void NAME(multiply_tile)(int rows, int cols, const NAME(triangle) * t, int i0, bool unit, ELEM *x,
                                       int64_t row, int64_t col)
{
  ELEM c[4][4];
  const ELEM *e = t->e + i0 * t->row;
#pragma GCC unroll 4
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) c[i][j] = NAME(make)((VEC){0});
  NAME(tile_update)(rows, cols, i0, e, t->row, t->col, t->conj, x, row, col, false, c);
  e += i0 * t->col;
#pragma GCC unroll 4
  for (int i = 0; i < rows; i++) {
#pragma GCC unroll 4
    for (int k = 0; k <= i; k++) {
      const ELEM l = k == i && unit ? NAME(make)(SIMD(splat)(1)) : e[i * t->row + k * t->col];
#pragma GCC unroll 4
      for (int j = 0; j < cols; j++) c[i][j] = NAME(fms)(c[i][j], l, x[(i0 + k) * row + j * col], t->conj, false);
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) x[(i0 + i) * row + j * col] = NAME(scaled)(c[i][j], SIMD(splat)(-1));
}

ALWAYS_INLINE void NAME(multiply_columns)(int cols, const NAME(triangle) * t, bool unit, int n, ELEM *x, int64_t row,
                                          int64_t col)
{
  for (int i0 = (n - 1) / TILE * TILE; i0 >= 0; i0 -= TILE) {
    switch (batched_min(TILE, n - i0)) {
    case 1: NAME(multiply_tile)(1, cols, t, i0, unit, x, row, col); break;
    case 2: NAME(multiply_tile)(2, cols, t, i0, unit, x, row, col); break;
    case 3: NAME(multiply_tile)(3, cols, t, i0, unit, x, row, col); break;
    case 4: NAME(multiply_tile)(4, cols, t, i0, unit, x, row, col); break;
    }
  }
}

ALWAYS_INLINE void NAME(multiply_all)(const NAME(triangle) * t, bool unit, int n, int nrhs, ELEM *x, int64_t row,
                                      int64_t col)
{
  for (int j = 0; j < nrhs; j += TILE) {
    switch (batched_min(TILE, nrhs - j)) {
    case 1: NAME(multiply_columns)(1, t, unit, n, x + j * col, row, col); break;
    case 2: NAME(multiply_columns)(2, t, unit, n, x + j * col, row, col); break;
    case 3: NAME(multiply_columns)(3, t, unit, n, x + j * col, row, col); break;
    case 4: NAME(multiply_columns)(4, t, unit, n, x + j * col, row, col); break;
    }
  }
}

static void NAME(multiply_unit)(const NAME(triangle) * t, int n, int nrhs, ELEM *x, int64_t row, int64_t col)
{
  NAME(multiply_all)(t, true, n, nrhs, x, row, col);
}

static void NAME(multiply)(const NAME(triangle) * t, int n, int nrhs, ELEM *x, int64_t row, int64_t col)
{
  NAME(multiply_all)(t, false, n, nrhs, x, row, col);
}

static int NAME(simd)(batched_ctx *ctx, const batched_trmm_args *t)
{
  return NAME(apply_triangle)(ctx, t, t->diag == BATCHED_UNIT ? NAME(multiply_unit) : NAME(multiply));
}
#include "batched/host/lanes_end.h"
