/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tridiagonal matrices as their diagonals.  Operands of the tests: d, dl, du and, if there are factors, du2; vectors
 * are columns or rows, by the flags.
 */
#ifndef TESTS_BATCHED_GT_CASE_H
#define TESTS_BATCHED_GT_CASE_H

#include "tests/batched/band/band_case.h"

/* Vectors of n - `less` elements; where the flags say so, dl, du and du2 are as long as d. */
static inline sweep_operand gt_vector(const sweep_case *c, sweep_role role, int n, int less, bool real)
{
  const bool row = c->flags % 2, whole = c->flags / 2 % 2;
  const int length = whole ? n : n > less ? n - less : 0;
  return (sweep_operand){.role = role,
                         .form = row ? SWEEP_ROW : SWEEP_COLUMN,
                         .real = real,
                         .shareable = role == SWEEP_IN,
                         .m = row ? 1 : length,
                         .n = row ? length : 1};
}

/* d, dl, du */
static inline void gt_operands(const sweep_case *c, sweep_role role, int n, sweep_operand *o)
{
  for (int i = 0; i < 3; i++) o[i] = gt_vector(c, role, n, i > 0, false);
}

/* The matrix of the diagonals; du2: NULL or that of a factor. */
static inline sweep_dense gt_dense(int n, const sweep_dense *dl, sweep_dense d, sweep_dense du, const sweep_dense *du2)
{
  const sweep_dense a = sweep_new(n, n);
  for (int i = 0; i < n; i++) {
    SWEEP_AT(a, i, i) = d.x[i];
    if (dl && i + 1 < n) SWEEP_AT(a, i + 1, i) = dl->x[i];
    if (i + 1 < n) SWEEP_AT(a, i, i + 1) = du.x[i];
    if (du2 && i + 2 < n) SWEEP_AT(a, i, i + 2) = du2->x[i];
  }
  return a;
}

/* P L U */
static inline sweep_dense gt_product(int n, const sweep_dense *f, const int *pivots)
{
  const sweep_dense a = gt_dense(n, NULL, f[0], f[2], &f[3]);
  for (int k = n - 2; k >= 0; k--)
    for (int j = 0; j < n; j++) {
      SWEEP_AT(a, k + 1, j) += f[1].x[k] * SWEEP_AT(a, k, j);
      const wide t = SWEEP_AT(a, k, j);
      SWEEP_AT(a, k, j) = SWEEP_AT(a, pivots[k] - 1, j);
      SWEEP_AT(a, pivots[k] - 1, j) = t;
    }
  return a;
}

/* Element i of diagonal `which` (0: d, 1: dl, 2: du) of a matrix of the kind: those of dchkgt. */
static inline wide gt_element(const sweep_case *c, int which, int i, int n)
{
  const int row = which == 1 ? i + 1 : i, column = which == 2 ? i + 1 : i, bad = band_bad_column(c->flags / 4, n);
  if (c->kind == SWEEP_ZERO || (c->kind == SWEEP_BAD && column == bad)) return 0;
  if (c->kind == SWEEP_SINGULAR && 2 * column >= n) return 0;
  if (c->kind == SWEEP_IDENTITY) return which == 0;
  if (c->kind == SWEEP_DIAGONAL) return which == 0 ? 2 + sweep_uniform() : 0;
  return sweep_number(c->type) * sweep_scale(c) * band_grade(c, row, n);
}

/* Fills operand i, of which what is beyond the diagonal stays poison. */
static inline void gt_fill(const sweep_case *c, int i, int n, sweep_dense x)
{
  for (int e = 0; e < (i ? n - 1 : n); e++) x.x[e] = gt_element(c, i, e, n);
}

#endif
