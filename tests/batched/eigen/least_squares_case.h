/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of least squares of any rank share: is X of least norm, and is the rank the one of its kind of matrix?
 */
#ifndef TESTS_BATCHED_EIGEN_LEAST_SQUARES_CASE_H
#define TESTS_BATCHED_EIGEN_LEAST_SQUARES_CASE_H

#include "tests/batched/qr/qr_oracle.h"

/* The part of x that is not in the range of A^H = V, whose columns are the right vectors of rank r: by projection with
 * the columns of A^H, made orthonormal. */
static inline long double outside(sweep_dense a, int rank, sweep_dense x)
{
  sweep_dense q = sweep_new(a.n, rank > 0 ? rank : 1);
  int found = 0;
  for (int r = 0; r < a.m && found < rank; r++) {
    sweep_dense column = {a.n, 1, &SWEEP_AT(q, 0, found)};
    long double size = 0;
    for (int i = 0; i < a.n; i++) {
      column.x[i] = conjl(SWEEP_AT(a, r, i));
      size += creall(column.x[i] * conjl(column.x[i]));
    }
    for (int twice = 0; twice < 2; twice++)
      for (int p = 0; p < found; p++) {
        wide dot = 0;
        for (int i = 0; i < a.n; i++) dot += conjl(SWEEP_AT(q, i, p)) * column.x[i];
        for (int i = 0; i < a.n; i++) column.x[i] -= dot * SWEEP_AT(q, i, p);
      }
    const long double norm = sweep_norm(column);
    if (!(norm > 1e-3L * sqrtl(size))) continue;
    for (int i = 0; i < a.n; i++) column.x[i] /= norm;
    found++;
  }
  if (found < rank) return 0; /* rows too close to each other to tell */
  for (int j = 0; j < x.n; j++)
    for (int p = 0; p < found; p++) {
      wide dot = 0;
      for (int i = 0; i < a.n; i++) dot += conjl(SWEEP_AT(q, i, p)) * SWEEP_AT(x, i, j);
      for (int i = 0; i < a.n; i++) SWEEP_AT(x, i, j) -= dot * SWEEP_AT(q, i, p);
    }
  return sweep_norm(x);
}

static inline bool has_rank(const sweep_case *c, int rank)
{
  const int k = least(c->m, c->n);
  switch (c->kind) {
  case SWEEP_ZERO: return rank == 0;
  case SWEEP_RANK_ONE: return rank == 1;
  case SWEEP_SINGULAR: return k < 2 || rank < k;
  default: return rank == k;
  }
}

#endif
