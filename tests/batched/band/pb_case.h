/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One triangle of a symmetric or Hermitian band matrix; flags: uplo (2), width.
 */
#ifndef TESTS_BATCHED_PB_CASE_H
#define TESTS_BATCHED_PB_CASE_H

#include "tests/batched/band/band_case.h"

enum { PB_FLAGS = 2 * BAND_DEPTHS };

static inline batched_uplo pb_uplo(const sweep_case *c)
{
  return c->flags % 2 ? BATCHED_UPPER : BATCHED_LOWER;
}

static inline int pb_depth(const sweep_case *c, int n)
{
  return band_depth_of(c->flags / 2, n);
}

static inline band_layout pb_layout(const sweep_case *c, int n)
{
  const int kd = pb_depth(c, n);
  return c->flags % 2 ? (band_layout){n, 0, kd, kd} : (band_layout){n, kd, 0, 0};
}

/* The lower triangle of what is stored: L, or U^H. */
static inline sweep_dense pb_lower(const sweep_case *c, sweep_dense ab)
{
  const sweep_dense a = band_load(pb_layout(c, ab.n), ab);
  for (int j = 0; c->flags % 2 && j < a.n; j++)
    for (int i = 0; i <= j; i++) {
      const wide t = conjl(SWEEP_AT(a, i, j));
      SWEEP_AT(a, i, j) = i == j ? t : 0;
      SWEEP_AT(a, j, i) = t;
    }
  return a;
}

/* The Hermitian matrix of which a triangle is stored. */
static inline sweep_dense pb_matrix(const sweep_case *c, sweep_dense ab)
{
  const sweep_dense a = pb_lower(c, ab);
  for (int j = 0; j < a.n; j++)
    for (int i = 0; i < j; i++) SWEEP_AT(a, i, j) = conjl(SWEEP_AT(a, j, i));
  return a;
}

/* The first `order` rows and columns of L L^H - A. */
static inline long double pb_factor_ratio(const sweep_case *c, sweep_dense before, sweep_dense after, int order)
{
  if (order == 0) return 0;
  const sweep_dense a = pb_matrix(c, before), l = pb_lower(c, after);
  sweep_dense corner = sweep_new(order, order), difference = sweep_new(order, order);
  for (int j = 0; j < order; j++) {
    if (cimagl(SWEEP_AT(l, j, j)) != 0 || !(creall(SWEEP_AT(l, j, j)) > 0)) return NAN;
    for (int i = 0; i < order; i++) {
      SWEEP_AT(corner, i, j) = SWEEP_AT(l, i, j);
      SWEEP_AT(difference, i, j) = -SWEEP_AT(a, i, j);
    }
  }
  sweep_multiply(1, BATCHED_NO_TRANS, corner, BATCHED_CONJ_TRANS, corner, difference);
  const long double error = sweep_norm(difference);
  return error == 0 ? 0 : error / (order * sweep_unit(c, sweep_norm(a)));
}

/* A positive definite matrix of the kind; a BAD one has -1 on its diagonal. */
static inline void pb_fill(const sweep_case *c, sweep_dense x)
{
  const sweep_dense a = band_positive(c, x.n);
  const int bad = band_bad_column(c->flags, x.n);
  if (c->kind == SWEEP_BAD && x.n > 0) SWEEP_AT(a, bad, bad) = -1;
  band_store(pb_layout(c, x.n), a, x);
}

#endif
