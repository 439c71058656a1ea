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

/* Row i, from column i + 1 on, becomes (e, 0 ..); the reflector stays there conjugated.  work: a row and a column. */
static ELEM NAME(reduce_row_lanes)(int m, int n, int i, ELEM *x, VEC *e, ELEM *work)
{
  const int len = n - i - 1, rows = m - i - 1;
  ELEM *const w = work, *const y = work + n, *const row = x + i + (i + 1) * m;
  for (int j = 0; j < len; j++) w[j] = NAME(conjugate)(row[j * m]);
  const ELEM tau = NAME(make_reflector_lanes)(len, w);
  for (int j = 0; j < len; j++) row[j * m] = NAME(conjugate)(w[j]);
  *e = RE(w[0]);
  w[0] = NAME(make)(SIMD(splat)(1));
  NAME(reflect_right)(rows, len, m, w, tau, row + 1, y);
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
    if (i < n - 1) taup[i] = NAME(reduce_row_lanes)(m, n, i, x, &e[i], work);
  }
}
