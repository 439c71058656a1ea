/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A reflector from the right, with a matrix in each lane.
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

/* A -= tau (A w) w^H, A of `rows` x `cols` with columns m apart.  y: a column. */
static inline void NAME(reflect_right)(int rows, int cols, int m, const ELEM *w, ELEM tau, ELEM *a, ELEM *y)
{
  const ELEM minus = NAME(scaled)(tau, SIMD(splat)(-1));
  for (int r = 0; r < rows; r++) y[r] = NAME(make)((VEC){0});
  NAME(step_all_columns)(cols, true, rows, m, a, w, y);
  for (int r = 0; r < rows; r++) y[r] = NAME(times)(minus, y[r]);
  NAME(step_all_columns)(cols, false, rows, m, a, w, y);
}
