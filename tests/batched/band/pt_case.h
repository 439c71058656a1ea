/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Positive definite tridiagonal matrices as a real diagonal d and the one below it, e.
 */
#ifndef TESTS_BATCHED_PT_CASE_H
#define TESTS_BATCHED_PT_CASE_H

#include "tests/batched/band/gt_case.h"

static inline void pt_operands(const sweep_case *c, sweep_role role, int n, sweep_operand *o)
{
  o[0] = gt_vector(c, role, n, 0, true);
  o[1] = gt_vector(c, role, n, 1, false);
}

/* Element i of d or e, diagonally dominant; of a BAD matrix a diagonal element is -1. */
static inline wide pt_element(const sweep_case *c, int which, int i, int n)
{
  if (which == 0 && c->kind == SWEEP_BAD && i == band_bad_column(c->flags / 4, n)) return -1;
  if (c->kind == SWEEP_IDENTITY) return which == 0;
  if (c->kind == SWEEP_DIAGONAL) return which == 0 ? 2 + sweep_uniform() : 0;
  const long double size =
    sweep_scale(c) * sqrtl(band_grade(c, i, n)) * sqrtl(band_grade(c, i + (which && i + 1 < n), n));
  return size * (which == 0 ? 3.5L + sweep_uniform() : sweep_number(c->type));
}

static inline void pt_fill(const sweep_case *c, int i, int n, sweep_dense x)
{
  for (int e = 0; e < (i ? n - 1 : n); e++) x.x[e] = pt_element(c, i, e, n);
}

/* The matrix with d on its diagonal, e below it and conj(e) above; `upper`: the other way round. */
static inline sweep_dense pt_matrix(int n, sweep_dense d, sweep_dense e, bool upper)
{
  const sweep_dense a = sweep_new(n, n);
  for (int i = 0; i < n; i++) {
    SWEEP_AT(a, i, i) = d.x[i];
    if (i + 1 == n) break;
    SWEEP_AT(a, i + 1, i) = upper ? conjl(e.x[i]) : e.x[i];
    SWEEP_AT(a, i, i + 1) = upper ? e.x[i] : conjl(e.x[i]);
  }
  return a;
}

/* L D L^H, or U^H D U. */
static inline sweep_dense pt_product(int n, sweep_dense d, sweep_dense e, bool upper)
{
  const sweep_dense a = sweep_new(n, n);
  for (int i = 0; i < n; i++) {
    SWEEP_AT(a, i, i) += d.x[i];
    if (i + 1 == n) break;
    const wide l = upper ? conjl(e.x[i]) : e.x[i];
    SWEEP_AT(a, i + 1, i) = l * d.x[i];
    SWEEP_AT(a, i, i + 1) = conjl(l) * d.x[i];
    SWEEP_AT(a, i + 1, i + 1) = l * conjl(l) * d.x[i];
  }
  return a;
}

#endif
