/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Factors and pivots of square band matrices, as gbtrf leaves them, made up for the tests of what solves with them.
 */
#ifndef TESTS_BATCHED_GB_FACTORS_H
#define TESTS_BATCHED_GB_FACTORS_H

#include "tests/batched/band/band_case.h"

/* The zero on the diagonal of a BAD matrix, counted from 0; -1: none. */
static inline int gb_zero_of(const sweep_case *c, int n)
{
  return c->kind == SWEEP_BAD ? 2 * (n - 1) / 3 : -1;
}

static inline wide gb_upper_element(const sweep_case *c, int i, int j, int n, int kv)
{
  if (i == j && gb_zero_of(c, n) == i) return 0;
  if (c->kind == SWEEP_IDENTITY || c->kind == SWEEP_DIAGONAL)
    return i != j ? 0 : c->kind == SWEEP_IDENTITY ? 1 : sweep_uniform() + 2;
  const long double size = sweep_scale(c) * band_grade(c, i, n);
  return size * (i == j ? 1.5L + sweep_uniform() + 0.1L * kv : sweep_number(c->type));
}

static inline void gb_fill_factors(const sweep_case *c, band_widths w, sweep_dense x)
{
  const band_layout l = {x.n, w.kl, w.kl + w.ku, w.kl + w.ku};
  for (int j = 0; j < x.n; j++)
    for (int i = 0; i < x.n; i++) {
      if (!band_has(l, i, j)) continue;
      if (i <= j)
        BAND_AT(x, l, i, j) = gb_upper_element(c, i, j, x.n, l.ku);
      else
        BAND_AT(x, l, i, j) = c->kind == SWEEP_IDENTITY ? 0 : sweep_number(c->type) / (w.kl + 1);
    }
}

/* Pivots near enough to the diagonal; those of a hard kind are known without the random numbers. */
static inline void gb_fill_pivots(const sweep_case *c, band_widths w, int n, int *pivots)
{
  for (int i = 0; i < n; i++) {
    const int choices = 1 + (w.kl < n - 1 - i ? w.kl : n - 1 - i);
    const int p = sweep_is_hard(c->kind) ? 7 * (i + 3) % choices : (int)((sweep_uniform() + 1) / 2 * choices);
    pivots[i] = i + (p < choices ? p : choices - 1) + 1;
  }
}

#endif
