/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cholesky factors, and the matrix that they stand for; flags: uplo.
 */
#ifndef TESTS_BATCHED_CHOLESKY_ORACLE_H
#define TESTS_BATCHED_CHOLESKY_ORACLE_H

#include <math.h>

#include "tests/batched/sweep/sweep.h"

/* A := L + L^H - diag(L), L L^H = A. */
static inline void cholesky_factor(sweep_dense a)
{
  for (int j = 0; j < a.n; j++) {
    for (int k = 0; k < j; k++)
      for (int i = j; i < a.n; i++) SWEEP_AT(a, i, j) -= SWEEP_AT(a, i, k) * conjl(SWEEP_AT(a, j, k));
    const long double root = sqrtl(creall(SWEEP_AT(a, j, j)));
    SWEEP_AT(a, j, j) = root;
    for (int i = j + 1; i < a.n; i++) SWEEP_AT(a, j, i) = conjl(SWEEP_AT(a, i, j) /= root);
  }
}

/* A factor of the kind, or of a large order; the other triangle is poisoned. */
static inline void cholesky_fill(const sweep_case *c, sweep_dense x)
{
  if (c->edge) {
    sweep_general(c, x);
    for (int j = 0; j < c->m; j++) SWEEP_AT(x, j, j) = sqrtl(c->m) * (1.5L + sweep_uniform());
  } else if (c->kind == SWEEP_HIDDEN) {
    sweep_hidden_triangles(c, x);
  } else {
    sweep_hermitian(c, x, true);
    cholesky_factor(x);
  }
  sweep_poison_triangle(x, c->flags ? BATCHED_LOWER : BATCHED_UPPER);
}

/* L of a factor, whichever triangle it is in. */
static inline sweep_dense cholesky_lower(const sweep_case *c, sweep_dense f)
{
  sweep_dense l = sweep_new(c->m, c->m);
  for (int j = 0; j < c->m; j++)
    for (int i = j; i < c->m; i++) SWEEP_AT(l, i, j) = c->flags ? conjl(SWEEP_AT(f, j, i)) : SWEEP_AT(f, i, j);
  return l;
}

/* L (L^H x) */
static inline sweep_dense cholesky_times(sweep_dense l, sweep_dense x)
{
  return sweep_times(BATCHED_NO_TRANS, l, sweep_times(BATCHED_CONJ_TRANS, l, x));
}

/* L L^H of what cholesky_fill() made. */
static inline sweep_dense cholesky_product(const sweep_case *c, sweep_dense f)
{
  const sweep_dense l = cholesky_lower(c, f), a = sweep_new(c->m, c->m);
  sweep_multiply(1, BATCHED_NO_TRANS, l, BATCHED_CONJ_TRANS, l, a);
  return a;
}

#endif
