/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Exchanges of rows within a band's columns, with a matrix and a pivot of its own in each SIMD lane.
 */
#include "batched/host/lanes.h"

/* Exchanges rows 0 and `row` of `cols` columns, ld apart, and updates them by the multipliers l[1 .. below]. */
ALWAYS_INLINE void NAME(next_columns)(int cols, int below, MASK row, const ELEM *l, ELEM *x, int64_t ld)
{
  ELEM old[4], u[4];
#pragma GCC unroll 4
  for (int j = 0; j < cols; j++) old[j] = u[j] = x[j * ld];
  for (int i = 1; i <= below; i++) {
    const MASK here = row == i;
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) u[j] = NAME(choose)(here, x[i + j * ld], u[j]);
  }
#pragma GCC unroll 4
  for (int j = 0; j < cols; j++) x[j * ld] = u[j];
  for (int i = 1; i <= below; i++) {
    const MASK here = row == i;
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++)
      x[i + j * ld] = NAME(fms)(NAME(choose)(here, old[j], x[i + j * ld]), l[i], u[j], false, false);
  }
}

ALWAYS_INLINE void NAME(exchange_and_eliminate)(int n, int below, MASK row, const ELEM *l, ELEM *x, int64_t ld)
{
  int j = 0;
  for (; j + 4 <= n; j += 4) NAME(next_columns)(4, below, row, l, x + j * ld, ld);
  for (; j < n; j++) NAME(next_columns)(1, below, row, l, x + j * ld, ld);
}
