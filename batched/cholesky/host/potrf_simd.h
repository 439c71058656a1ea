/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of potrf: a matrix per SIMD lane, left-looking by tiles of 4 x 4 in registers; square roots and
 * divisions by a reciprocal root with a correction.
 */
#include "batched/host/lanes.h"

/* x holds L: element (i, j) at x[i * row + j * col].  Left-looking by tiles; inverse[j] = 1 / L(j, j). */

/* The tile on the diagonal at j0, of constant order nb.  Pivots that are not positive are noted in info. */
ALWAYS_INLINE void NAME(diagonal_tile)(int nb, int j0, ELEM *x, int64_t row, int64_t col, VEC *inverse, MASK *info)
{
  ELEM c[4][4], *at = x + j0 * row + j0 * col;
#pragma GCC unroll 4
  for (int i = 0; i < nb; i++)
#pragma GCC unroll 4
    for (int j = 0; j < nb; j++) c[i][j] = at[(i >= j ? i : j) * row + (i >= j ? j : i) * col];
  NAME(tile_update)(nb, nb, j0, x + j0 * row, row, col, false, x + j0 * row, col, row, true, c);
#pragma GCC unroll 4
  for (int j = 0; j < nb; j++) {
    VEC d = RE(c[j][j]);
#pragma GCC unroll 4
    for (int k = 0; k < j; k++) d -= NAME(square)(c[j][k]);
    MASK bad = ~(d > 0) & (*info == 0);
    *info |= bad & (j0 + j + 1);
    const MASK infinite = d == (R)__builtin_inf();
    const VEC y = SIMD(select)(infinite, (VEC){0}, SIMD(inverse_sqrt)(d)), root = d * y;
    inverse[j0 + j] = y;
    at[j * row + j * col] = c[j][j] = NAME(make)(SIMD(select)(infinite, d, root + (R)0.5 * y * (d - root * root)));
#pragma GCC unroll 4
    for (int i = j + 1; i < nb; i++) {
#pragma GCC unroll 4
      for (int k = 0; k < j; k++) c[i][j] = NAME(fms)(c[i][j], c[i][k], c[j][k], false, true);
      at[i * row + j * col] = c[i][j] = NAME(scaled)(c[i][j], inverse[j0 + j]);
    }
  }
}

/* A full-width tile below the diagonal, of constant height: (A - L L^H) times the inverse of the diagonal tile's
 * conjugate transpose. */
ALWAYS_INLINE void NAME(lower_tile)(int height, int i0, int j0, ELEM *x, int64_t row, int64_t col, const VEC *inverse)
{
  ELEM c[4][4], *at = x + i0 * row + j0 * col;
  const ELEM *diagonal = x + j0 * row + j0 * col;
#pragma GCC unroll 4
  for (int i = 0; i < height; i++)
#pragma GCC unroll 4
    for (int j = 0; j < TILE; j++) c[i][j] = at[i * row + j * col];
  NAME(tile_update)(height, TILE, j0, x + i0 * row, row, col, false, x + j0 * row, col, row, true, c);
#pragma GCC unroll 4
  for (int j = 0; j < TILE; j++) {
#pragma GCC unroll 4
    for (int i = 0; i < height; i++) {
#pragma GCC unroll 4
      for (int k = 0; k < j; k++) c[i][j] = NAME(fms)(c[i][j], c[i][k], diagonal[j * row + k * col], false, true);
      at[i * row + j * col] = c[i][j] = NAME(scaled)(c[i][j], inverse[j0 + j]);
    }
  }
}

static void NAME(factor_lanes)(int n, ELEM *x, int64_t row, int64_t col, VEC *inverse, MASK *info)
{
  for (int j0 = 0; j0 < n; j0 += TILE) {
    switch (batched_min(TILE, n - j0)) {
    case 1: NAME(diagonal_tile)(1, j0, x, row, col, inverse, info); break;
    case 2: NAME(diagonal_tile)(2, j0, x, row, col, inverse, info); break;
    case 3: NAME(diagonal_tile)(3, j0, x, row, col, inverse, info); break;
    case 4: NAME(diagonal_tile)(4, j0, x, row, col, inverse, info); break;
    }
    for (int i0 = j0 + TILE; i0 < n; i0 += TILE) {
      switch (batched_min(TILE, n - i0)) {
      case 1: NAME(lower_tile)(1, i0, j0, x, row, col, inverse); break;
      case 2: NAME(lower_tile)(2, i0, j0, x, row, col, inverse); break;
      case 3: NAME(lower_tile)(3, i0, j0, x, row, col, inverse); break;
      case 4: NAME(lower_tile)(4, i0, j0, x, row, col, inverse); break;
      }
    }
  }
}

/* The upper factor's transpose is the lower factor of A^T: the same code with rows and columns exchanged. */
static int NAME(simd)(batched_ctx *ctx, const batched_potrf_args *p)
{
  const size_t most = (size_t)p->a.n;
  batched_groups groups;
  batched_group g;
  int status = batched_groups_begin(ctx, &groups, &p->a, W);
  if (status) return status;
  ELEM *x = batched_scratch_push(ctx, most * most * sizeof(ELEM) + most * sizeof(VEC));
  if (x) {
    while (batched_groups_next(&groups, &g)) {
      MASK info = {0};
      NAME(matrices) a;
      NAME(matrices_of)(&p->a, &g, &a);
      NAME(pack_triangle)(&a, p->uplo, g.n, x);
      const int64_t row = p->uplo == BATCHED_LOWER ? 1 : g.n, col = p->uplo == BATCHED_LOWER ? g.n : 1;
      NAME(factor_lanes)(g.n, x, row, col, (VEC *)(x + most * most), &info);
      NAME(unpack_triangle)(&a, g.active, p->uplo, g.n, x);
      for (int l = 0; l < g.active; l++) p->info[g.index[l]] = (int)info[l];
    }
    batched_scratch_pop(ctx);
  }
  batched_groups_end(ctx, &groups);
  return x ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#include "batched/host/lanes_end.h"
