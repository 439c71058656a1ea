/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Triangular solves with a matrix in each lane.  A solve goes forward through a lower triangle; one that goes backward
 * is given the last element and negative strides.
 */
#include "batched/host/lanes.h"

enum { NAME(CHUNK) = 32 }; /* right-hand sides at a time */

typedef struct NAME(triangle) {
  const ELEM *e; /* view: element (i, j) at e[i * row + j * col], conjugated if told */
  int64_t row, col;
  bool conj, careful; /* careful: some diagonal element has no good inverse */
  ELEM *inverse;      /* view: of the diagonal elements, in the order of the solve */
} NAME(triangle);

ALWAYS_INLINE MASK NAME(has_no_inverse)(ELEM d)
{
  VEC size = NAME(magnitude)(d);
  const R least = sizeof(R) == 4 ? 0x1p-125f : (R)0x1p-1021, most = sizeof(R) == 4 ? 0x1p125f : (R)0x1p1021;
  return (size < least) | (size > most);
}

/* Per lane: the first zero on the diagonal, counted from 1. */
ALWAYS_INLINE MASK NAME(first_zeros)(int n, const ELEM *e)
{
  MASK info = {0};
  for (int j = 0; j < n; j++) info |= NAME(is_zero)(e[j * (n + 1)]) & (info == 0) & (j + 1);
  return info;
}

/* Fills in the inverses of the diagonal, in order. */
static inline void NAME(invert_diagonal)(int n, bool unit, NAME(triangle) * t)
{
  MASK careful = {0};
  for (int i = 0; i < n; i++) {
    ELEM d = unit ? NAME(make)(SIMD(splat)(1)) : t->e[i * (t->row + t->col)];
    if (t->conj) d = NAME(conjugate)(d);
    careful |= NAME(has_no_inverse)(d);
    t->inverse[i] = NAME(reciprocal)(d);
  }
  t->careful = SIMD(any)(careful);
}

ALWAYS_INLINE ELEM NAME(solved)(const NAME(triangle) * t, int i, ELEM x)
{
  ELEM y = NAME(times)(x, t->inverse[i]);
  if (__builtin_expect(t->careful, 0)) {
    ELEM d = t->e[i * (t->row + t->col)];
    if (t->conj) d = NAME(conjugate)(d);
    y = NAME(choose)(NAME(has_no_inverse)(d), NAME(quotient)(x, d), y);
  }
  return y;
}

/* Rows i0.. of columns of x: element (i, j) at x[i * row + j * col]. */
ALWAYS_INLINE void NAME(solve_tile)(int rows, int cols, const NAME(triangle) * t, bool conj, int i0, ELEM *x,
                                    int64_t row, int64_t col)
{
  ELEM c[4][4];
  const ELEM *e = t->e + i0 * t->row;
#pragma GCC unroll 4
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) c[i][j] = x[(i0 + i) * row + j * col];
  NAME(tile_update)(rows, cols, i0, e, t->row, t->col, conj, x, row, col, false, c);
  e += i0 * t->col;
#pragma GCC unroll 4
  for (int i = 0; i < rows; i++) {
#pragma GCC unroll 4
    for (int k = 0; k < i; k++) {
      ELEM l = e[i * t->row + k * t->col];
#pragma GCC unroll 4
      for (int j = 0; j < cols; j++) c[i][j] = NAME(fms)(c[i][j], l, c[k][j], conj, false);
    }
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) x[(i0 + i) * row + j * col] = c[i][j] = NAME(solved)(t, i0 + i, c[i][j]);
  }
}

ALWAYS_INLINE void NAME(solve_columns)(int cols, const NAME(triangle) * t, bool conj, int n, ELEM *x, int64_t row,
                                       int64_t col)
{
  for (int i0 = 0; i0 < n; i0 += TILE) {
    switch (batched_min(TILE, n - i0)) {
    case 1: NAME(solve_tile)(1, cols, t, conj, i0, x, row, col); break;
    case 2: NAME(solve_tile)(2, cols, t, conj, i0, x, row, col); break;
    case 3: NAME(solve_tile)(3, cols, t, conj, i0, x, row, col); break;
    case 4: NAME(solve_tile)(4, cols, t, conj, i0, x, row, col); break;
    }
  }
}

ALWAYS_INLINE void NAME(solve_all)(const NAME(triangle) * t, bool conj, int n, int nrhs, ELEM *x, int64_t row,
                                   int64_t col)
{
  for (int j = 0; j < nrhs; j += TILE) {
    switch (batched_min(TILE, nrhs - j)) {
    case 1: NAME(solve_columns)(1, t, conj, n, x + j * col, row, col); break;
    case 2: NAME(solve_columns)(2, t, conj, n, x + j * col, row, col); break;
    case 3: NAME(solve_columns)(3, t, conj, n, x + j * col, row, col); break;
    case 4: NAME(solve_columns)(4, t, conj, n, x + j * col, row, col); break;
    }
  }
}

/* x = E^-1 x. */
static inline void NAME(solve_lanes)(const NAME(triangle) * t, int n, int nrhs, ELEM *x, int64_t row, int64_t col)
{
  if (t->conj && IS_COMPLEX)
    NAME(solve_all)(t, true, n, nrhs, x, row, col);
  else
    NAME(solve_all)(t, false, n, nrhs, x, row, col);
}

/* op(A), or its transpose (`flip` tells), in the order in which it is solved. */
ALWAYS_INLINE NAME(triangle)
  NAME(triangle_of)(const ELEM *a, int n, batched_uplo uplo, bool flip, bool conj, ELEM *inverse)
{
  NAME(triangle) t = {a, flip ? n : 1, flip ? 1 : n, conj, false, inverse};
  if ((uplo == BATCHED_LOWER) == flip && n > 0) { /* an upper triangle: backward */
    t.e += (n - 1) * (t.row + t.col);
    t.row = -t.row;
    t.col = -t.col;
  }
  return t;
}

/* The triangle of a solve that begins with step j0: the right-hand side has zeros before it. */
ALWAYS_INLINE NAME(triangle) NAME(triangle_from)(const NAME(triangle) * t, int j0)
{
  NAME(triangle) rest = *t;
  rest.e += j0 * (t->row + t->col);
  rest.inverse += j0;
  return rest;
}
