/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A = Q B P^H with a matrix in each lane, m x n with m >= n, B upper bidiagonal, as LAPACK's gebd2: element (i, j) at
 * x[i + j * m].
 */
#include "batched/condensed/host/reflect_right_simd.h"

/* x = A, or A^H where it is wide; spare: as large as x, overwritten. */
static void NAME(pack_tall)(const NAME(matrices) * a, int m, int n, ELEM *x, ELEM *spare)
{
  ELEM *const to = m < n ? spare : x;
  NAME(pack)(a, 0, 0, m, n, NAME(is_dense)(a, m), to);
  if (m >= n) return;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) x[j + i * n] = NAME(conjugate)(to[i + j * m]);
}

/* A -= v w^T + y u^H for a constant number of columns of `rows` elements, m apart, and w = conj(tau) next^H A of what
 * comes out, where next[0] is taken for 1; without `update` the latter alone. */
ALWAYS_INLINE void NAME(update_and_multiply)(int cols, bool update, int rows, int m, const ELEM *v, const ELEM *y,
                                             const ELEM *u, const ELEM *next, ELEM tau, ELEM *a, ELEM *w)
{
  ELEM minus[4];
#pragma GCC unroll 4
  for (int j = 0; j < cols; j++) minus[j] = NAME(make)((VEC){0});
  for (int i = 0; i < rows; i++) {
    const ELEM reflector = i > 0 ? next[i] : NAME(make)(SIMD(splat)(1));
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) {
      ELEM t = a[i + j * m];
      if (update) t = NAME(fms)(NAME(fms)(t, v[i], w[j], false, false), y[i], u[j], false, true);
      if (update) a[i + j * m] = t;
      minus[j] = NAME(fms)(minus[j], reflector, t, true, false);
    }
  }
  const ELEM factor = NAME(scaled)(NAME(conjugate)(tau), SIMD(splat)(-1));
#pragma GCC unroll 4
  for (int j = 0; j < cols; j++) w[j] = NAME(times)(factor, minus[j]);
}

ALWAYS_INLINE void NAME(update_and_multiply_all)(int cols, bool update, int rows, int m, const ELEM *v, const ELEM *y,
                                                 const ELEM *u, const ELEM *next, ELEM tau, ELEM *a, ELEM *w)
{
  enum { COLUMNS = IS_COMPLEX ? 2 : 4 }; /* whose factors stay in registers */
  int j = 0;
  for (; j + COLUMNS <= cols; j += COLUMNS)
    NAME(update_and_multiply)(COLUMNS, update, rows, m, v, y, u + j, next, tau, a + j * m, w + j);
  for (; j < cols; j++) NAME(update_and_multiply)(1, update, rows, m, v, y, u + j, next, tau, a + j * m, w + j);
}

/* Row i, from column i + 1 on, less w^T, becomes (e, 0 ..); the reflector stays there conjugated, and in u as it is.
 * y = tau (A - v w^T) u of the rows below. */
static ELEM NAME(reduce_row_lanes)(int m, int n, int i, ELEM *x, const ELEM *w, VEC *e, ELEM *u, ELEM *y)
{
  const int cols = n - i - 1, rows = m - i - 1;
  const ELEM *const v = x + i + 1 + i * m;
  ELEM *const row = x + i + (i + 1) * m;
  for (int j = 0; j < cols; j++) u[j] = NAME(conjugate)(NAME(plus)(row[j * m], NAME(scaled)(w[j], SIMD(splat)(-1))));
  const ELEM tau = NAME(make_reflector_lanes)(cols, u), minus = NAME(scaled)(tau, SIMD(splat)(-1));
  for (int j = 0; j < cols; j++) row[j * m] = NAME(conjugate)(u[j]);
  *e = RE(u[0]);
  u[0] = NAME(make)(SIMD(splat)(1));
  ELEM product = NAME(make)((VEC){0}); // minus w^T u
  for (int j = 0; j < cols; j++) product = NAME(fms)(product, w[j], u[j], false, false);
  for (int r = 0; r < rows; r++) y[r] = NAME(fms)(NAME(make)((VEC){0}), v[r], product, false, false);
  NAME(step_all_columns)(cols, true, rows, m, row + 1, u, y);
  for (int r = 0; r < rows; r++) y[r] = NAME(times)(minus, y[r]);
  return tau;
}

/* Leaves d (n numbers), e (n - 1), tauq and taup (n), and the reflectors in x; work: m + 2 n.  A step reads what is
 * left of A twice and writes it once: both of its reflectors are applied together, while the product with the next one
 * is taken (as LAPACK's labrd has them in a panel). */
static void NAME(bidiagonalise_lanes)(int m, int n, ELEM *x, VEC *d, VEC *e, ELEM *tauq, ELEM *taup, ELEM *work)
{
  ELEM *const w = work, *const u = w + n, *const y = u + n;
  for (int i = 0; i < n; i++) {
    ELEM *const column = x + i + i * m, *const before = column - m;
    for (int r = 0; i > 0 && r < m - i; r++)
      column[r] = NAME(fms)(NAME(fms)(column[r], before[r], w[0], false, false), y[r], u[0], false, true);
    tauq[i] = NAME(make_reflector_lanes)(m - i, column);
    d[i] = RE(column[0]);
    taup[i] = NAME(make)((VEC){0});
    const int cols = n - i - 1;
    if (cols == 0) break;
    if (i == 0)
      NAME(update_and_multiply_all)(cols, false, m, m, NULL, NULL, u, column, tauq[0], column + m, w);
    else {
      for (int j = 0; j < cols; j++) w[j] = w[j + 1], u[j] = u[j + 1];
      NAME(update_and_multiply_all)(cols, true, m - i, m, before, y, u, column, tauq[i], column + m, w);
    }
    taup[i] = NAME(reduce_row_lanes)(m, n, i, x, w, &e[i], u, y);
  }
}
