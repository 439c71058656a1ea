/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of trtri: A = A^-1 in its triangle, in place, a matrix per SIMD lane, four rows of a column at a time.
 */
#include "batched/triangular/host/triangle_simd.h"

/* Rows i0.. of column j of the inverse, `rows` (constant) of them: minus the inverse of the rest, in place from the
 * last row up, times the column, times the inverse of its diagonal element. */
ALWAYS_INLINE void NAME(invert_rows)(int rows, int i0, int j, bool unit, ELEM *e, int64_t row, int64_t col, ELEM d)
{
  ELEM sum[4];
  const ELEM *column = e + j * col, *at = e + i0 * row;
#pragma GCC unroll 4
  for (int r = 0; r < rows; r++) sum[r] = NAME(make)((VEC){0});
  for (int k = j + 1; k < i0; k++)
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++) sum[r] = NAME(fms)(sum[r], at[r * row + k * col], column[k * row], false, false);
#pragma GCC unroll 4
  for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
    for (int k = 0; k <= r; k++) {
      const ELEM l = unit && k == r ? NAME(make)(SIMD(splat)(1)) : at[r * row + (i0 + k) * col];
      sum[r] = NAME(fms)(sum[r], l, column[(i0 + k) * row], false, false);
    }
#pragma GCC unroll 4
  for (int r = 0; r < rows; r++) e[(i0 + r) * row + j * col] = NAME(times)(sum[r], d);
}

static void NAME(invert_lanes)(int n, bool unit, ELEM *e, int64_t row, int64_t col)
{
  for (int j = n - 1; j >= 0; j--) {
    const ELEM old = e[j * (row + col)];
    const ELEM d = unit ? NAME(make)(SIMD(splat)(1)) : NAME(reciprocal)(old);
    int i = n;
    for (; i - 4 > j; i -= 4) NAME(invert_rows)(4, i - 4, j, unit, e, row, col, d);
    switch (i - 1 - j) {
    case 1: NAME(invert_rows)(1, j + 1, j, unit, e, row, col, d); break;
    case 2: NAME(invert_rows)(2, j + 1, j, unit, e, row, col, d); break;
    case 3: NAME(invert_rows)(3, j + 1, j, unit, e, row, col, d); break;
    }
    if (!unit) e[j * (row + col)] = d;
  }
}

static int NAME(simd)(batched_ctx *ctx, const batched_trtri_args *t)
{
  const size_t most = (size_t)t->a.n;
  const bool unit = t->diag == BATCHED_UNIT;
  batched_groups groups;
  batched_group g;
  int status = batched_groups_begin(ctx, &groups, &t->a, W);
  if (status) return status;
  ELEM *e = batched_scratch_push(ctx, (2 * most * most + 1) * sizeof(ELEM)), *old = e + most * most;
  while (e && batched_groups_next(&groups, &g)) {
    const int n = g.n;
    NAME(matrices) a;
    NAME(matrices_of)(&t->a, &g, &a);
    if (n > 0) NAME(pack_triangle)(&a, t->uplo, n, e);
    MASK info = {0};
    if (!unit) info = NAME(first_zeros)(n, e);
    const bool bad = SIMD(any)(info);
    for (int i = 0; bad && i < n * n; i++) old[i] = e[i];
    const bool lower = t->uplo == BATCHED_LOWER;
    NAME(invert_lanes)(n, unit, lower ? e : e + n * n - 1, lower ? 1 : -1, lower ? n : -n);
    for (int i = 0; bad && i < n * n; i++) e[i] = NAME(choose)(info != 0, old[i], e[i]);
    if (n > 0) NAME(unpack_triangle)(&a, g.active, t->uplo, n, e);
    for (int l = 0; l < g.active; l++) t->info[g.index[l]] = (int)info[l];
  }
  if (e) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return e ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#include "batched/host/lanes_end.h"
