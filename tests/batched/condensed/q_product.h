/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of products op(Q) C and C op(Q) share, C being m x n: side and op from a case's flags, the argument of
 * the call, and the ratio of the result.
 */
#ifndef TESTS_CONDENSED_Q_PRODUCT_H
#define TESTS_CONDENSED_Q_PRODUCT_H

#include "tests/batched/condensed/condensed_oracle.h"

typedef struct q_product {
  bool left, adjoint;
  int order; /* of Q */
} q_product;

/* flags / unit: side (2), trans (2) */
static inline q_product q_product_of(const sweep_case *c, int unit)
{
  const bool left = c->flags / unit % 2 == 0;
  return (q_product){left, c->flags / (2 * unit) % 2, left ? c->m : c->n};
}

static inline batched_side q_side(q_product p)
{
  return p.left ? BATCHED_LEFT : BATCHED_RIGHT;
}

/* Real types take either word for Q^H: CONJ_TRANS where `odd` is odd. */
static inline batched_trans q_trans(q_product p, const sweep_case *c, int odd)
{
  if (!p.adjoint) return BATCHED_NO_TRANS;
  return batched_is_complex(c->type) || odd % 2 ? BATCHED_CONJ_TRANS : BATCHED_TRANS;
}

/* |after - op(Q) before| / (order |before| eps), with the reflectors applied in more digits. */
static inline long double q_product_ratio(const sweep_case *c, q_product p, oracle_q q, sweep_dense before,
                                          sweep_dense after)
{
  const sweep_dense x = sweep_new(before.m, before.n);
  for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) x.x[e] = before.x[e];
  oracle_multiply(q, p.left, p.adjoint, x);
  return oracle_distance(c, p.order, x, after);
}

#endif
