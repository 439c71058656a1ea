/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A = Q B P^H with a matrix in each lane, m x n with m >= n, B upper bidiagonal, as LAPACK's gebd2: element (i, j) at
 * x[i + j * m].
 */
#include "batched/qr/host/reflectors_simd.h"

/* y -= A w, or A -= y w^H, for a constant number of columns of `rows` elements, m apart. */
ALWAYS_INLINE void NAME(step_columns)(int cols, bool product, int rows, int m, ELEM *a, const ELEM *w, ELEM *y)
{
  for (int i = 0; i < rows; i++) {
    ELEM sum = y[i];
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) {
      if (product)
        sum = NAME(fms)(sum, a[i + j * m], w[j], false, false);
      else
        a[i + j * m] = NAME(fms)(a[i + j * m], sum, w[j], false, true);
    }
    if (product) y[i] = sum;
  }
}

ALWAYS_INLINE void NAME(step_all_columns)(int cols, bool product, int rows, int m, ELEM *a, const ELEM *w, ELEM *y)
{
  int j = 0;
  for (; j + 4 <= cols; j += 4) NAME(step_columns)(4, product, rows, m, a + j * m, w + j, y);
  for (; j < cols; j++) NAME(step_columns)(1, product, rows, m, a + j * m, w + j, y);
}

/* Row i, from column i + 1 on, becomes (e, 0 ..); the reflector stays there conjugated.  work: a row and a column. */
static ELEM NAME(reduce_row)(int m, int n, int i, ELEM *x, VEC *e, ELEM *work)
{
  const int len = n - i - 1, rows = m - i - 1;
  ELEM *const w = work, *const y = work + n, *const row = x + i + (i + 1) * m;
  for (int j = 0; j < len; j++) w[j] = NAME(conjugate)(row[j * m]);
  const ELEM tau = NAME(make_reflector_lanes)(len, w), minus = NAME(scaled)(tau, SIMD(splat)(-1));
  for (int j = 0; j < len; j++) row[j * m] = NAME(conjugate)(w[j]);
  *e = RE(w[0]);
  w[0] = NAME(make)(SIMD(splat)(1));
  for (int r = 0; r < rows; r++) y[r] = NAME(make)((VEC){0});
  NAME(step_all_columns)(len, true, rows, m, row + 1, w, y);
  for (int r = 0; r < rows; r++) y[r] = NAME(times)(minus, y[r]);
  NAME(step_all_columns)(len, false, rows, m, row + 1, w, y);
  return tau;
}

/* Leaves d (n numbers), e (n - 1), tauq and taup (n), and the reflectors in x; work: m + n. */
static void NAME(bidiagonalise_lanes)(int m, int n, ELEM *x, VEC *d, VEC *e, ELEM *tauq, ELEM *taup, ELEM *work)
{
  for (int i = 0; i < n; i++) {
    ELEM *const v = x + i + i * m;
    tauq[i] = NAME(make_reflector_lanes)(m - i, v);
    d[i] = RE(v[0]);
    NAME(reflect_columns)(n - i - 1, m - i, 1, m, v, tauq[i], v + m);
    taup[i] = NAME(make)((VEC){0});
    if (i < n - 1) taup[i] = NAME(reduce_row)(m, n, i, x, &e[i], work);
  }
}
