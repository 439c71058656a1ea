/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Factors with pivots, and the matrix that they stand for.
 */
#ifndef TESTS_BATCHED_LU_ORACLE_H
#define TESTS_BATCHED_LU_ORACLE_H

#include "tests/batched/sweep/sweep.h"

/* Exchanges rows as the pivots say, in their order or in the opposite one. */
static inline void lu_exchange(sweep_dense x, const int *pivots, int npivots, bool forward)
{
  for (int step = 0; step < npivots; step++) {
    const int i = forward ? step : npivots - 1 - step, p = pivots[i] - 1;
    for (int j = 0; p != i && j < x.n; j++) {
      const wide t = SWEEP_AT(x, i, j);
      SWEEP_AT(x, i, j) = SWEEP_AT(x, p, j);
      SWEEP_AT(x, p, j) = t;
    }
  }
}

/* L U of factors stored in one matrix. */
static inline sweep_dense lu_product(sweep_dense f)
{
  const int k = f.m < f.n ? f.m : f.n;
  sweep_dense l = sweep_new(f.m, k), u = sweep_new(k, f.n), a = sweep_new(f.m, f.n);
  for (int j = 0; j < k; j++)
    for (int i = j; i < f.m; i++) SWEEP_AT(l, i, j) = i == j ? 1 : SWEEP_AT(f, i, j);
  for (int j = 0; j < f.n; j++)
    for (int i = 0; i <= j && i < k; i++) SWEEP_AT(u, i, j) = SWEEP_AT(f, i, j);
  sweep_multiply(1, BATCHED_NO_TRANS, l, BATCHED_NO_TRANS, u, a);
  return a;
}

/* The same product by a vector, or by some. */
static inline sweep_dense lu_times(sweep_dense f, sweep_dense v)
{
  const int k = f.m < f.n ? f.m : f.n;
  const sweep_dense u = sweep_new(k, v.n), y = sweep_new(f.m, v.n);
  for (int c = 0; c < v.n; c++) {
    for (int j = 0; j < f.n; j++)
      for (int i = 0; i <= j && i < k; i++) SWEEP_AT(u, i, c) += SWEEP_AT(f, i, j) * SWEEP_AT(v, j, c);
    for (int j = 0; j < k; j++) {
      SWEEP_AT(y, j, c) += SWEEP_AT(u, j, c);
      for (int i = j + 1; i < f.m; i++) SWEEP_AT(y, i, c) += SWEEP_AT(f, i, j) * SWEEP_AT(u, j, c);
    }
  }
  return y;
}

/* L U, upside down, where L has -0.7 below its diagonal: 16 columns of it are worse conditioned than 1e3. */
static inline void lu_hidden(const sweep_case *c, sweep_dense x)
{
  const int k = x.m < x.n ? x.m : x.n;
  sweep_dense l = sweep_new(x.m, k), u = sweep_new(k, x.n), a = sweep_new(x.m, x.n);
  for (int j = 0; j < k; j++)
    for (int i = j; i < x.m; i++) SWEEP_AT(l, i, j) = i == j ? 1 : -0.7L;
  for (int j = 0; j < x.n; j++)
    for (int i = 0; i <= j && i < k; i++) SWEEP_AT(u, i, j) = i == j ? 1 : sweep_number(c->type);
  sweep_multiply(1, BATCHED_NO_TRANS, l, BATCHED_NO_TRANS, u, a);
  for (int j = 0; j < x.n; j++)
    for (int i = 0; i < x.m; i++) SWEEP_AT(x, i, j) = SWEEP_AT(a, x.m - 1 - i, j);
}

static inline bool lu_is_made(sweep_kind kind)
{
  return kind == SWEEP_RANDOM || kind == SWEEP_BAD;
}

/* Square factors: of a matrix of moderate condition, or, up to its pivots, one of the kind. */
static inline void lu_fill(const sweep_case *c, sweep_dense x)
{
  if (c->kind == SWEEP_HIDDEN) {
    for (int j = 0; j < x.n; j++)
      for (int i = 0; i < x.m; i++) SWEEP_AT(x, i, j) = i > j ? -0.7L : i == j ? 1 : sweep_number(c->type);
    return;
  }
  sweep_general(c, x);
  if (!lu_is_made(c->kind)) {
    sweep_factor(x);
    return;
  }
  for (int j = 0; j < x.n; j++) {
    for (int i = j + 1; i < x.m; i++) SWEEP_AT(x, i, j) *= 2.0L / (x.n + 2);
    SWEEP_AT(x, j, j) = 1.5L + sweep_uniform() + 0.1L * x.n;
  }
}

/* Any pivots; those of a hard kind are known without the random numbers, for a right-hand side that goes with them. */
static inline void lu_fill_pivots(const sweep_case *c, int *pivots)
{
  for (int i = 0; i < c->m; i++) {
    if (sweep_is_hard(c->kind)) {
      pivots[i] = i + 7 * (i + 3) % (c->m - i) + 1;
      continue;
    }
    const int p = i + (int)((sweep_uniform() + 1) / 2 * (c->m - i));
    pivots[i] = (p < c->m ? p : c->m - 1) + 1;
  }
}

/* The matrix that factors and pivots stand for. */
static inline sweep_dense lu_matrix(sweep_dense f, const int *pivots)
{
  const sweep_dense a = lu_product(f);
  lu_exchange(a, pivots, f.m, false);
  return a;
}

#endif
