/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LAPACK's 21 kinds of Hermitian matrices (dchkst).
 */
#ifndef TESTS_BATCHED_LAPACK_KINDS_H
#define TESTS_BATCHED_LAPACK_KINDS_H

#include "tests/batched/condensed/condensed_oracle.h"

/* dchkst's, in its order */
static const char *const lapack_kinds[] = {"zero",
                                           "identity",
                                           "even diagonal",
                                           "geometric diagonal",
                                           "clustered diagonal",
                                           "geometric diagonal, nearly overflowing",
                                           "geometric diagonal, nearly underflowing",
                                           "even values",
                                           "geometric values",
                                           "clustered values",
                                           "even values, nearly overflowing",
                                           "even values, nearly underflowing",
                                           "uniform",
                                           "uniform, nearly overflowing",
                                           "uniform, nearly underflowing",
                                           "positive, even values",
                                           "positive, geometric values",
                                           "positive, clustered values",
                                           "positive, even values, nearly overflowing",
                                           "positive, even values, nearly underflowing",
                                           "diagonally dominant tridiagonal",
                                           NULL};

static inline void lapack_tridiagonal(const sweep_case *c, sweep_dense x)
{
  oracle_diagonal(c, GEOMETRIC, false, x);
  for (int i = 0; i + 1 < x.n; i++) {
    const long double size = sqrtl(creall(SWEEP_AT(x, i, i)) * creall(SWEEP_AT(x, i + 1, i + 1)));
    SWEEP_AT(x, i + 1, i) = 0.5L * size * sweep_number(c->type);
    SWEEP_AT(x, i, i + 1) = conjl(SWEEP_AT(x, i + 1, i));
  }
}

static inline void lapack_uniform(const sweep_case *c, sweep_dense x)
{
  for (int j = 0; j < x.n; j++)
    for (int i = j; i < x.n; i++) {
      const wide e = sweep_number(c->type);
      SWEEP_AT(x, i, j) = i == j ? creall(e) : e;
      SWEEP_AT(x, j, i) = conjl(SWEEP_AT(x, i, j));
    }
}

static inline void lapack_fill(const sweep_case *c, int kind, sweep_dense x)
{
  static const oracle_spread spreads[] = {EVEN, EVEN,      EVEN,      GEOMETRIC, CLUSTERED, GEOMETRIC, GEOMETRIC,
                                          EVEN, GEOMETRIC, CLUSTERED, EVEN,      EVEN,      EVEN,      EVEN,
                                          EVEN, EVEN,      GEOMETRIC, CLUSTERED, EVEN,      EVEN};
  const bool over = kind == 5 || kind == 10 || kind == 13 || kind == 18;
  const bool under = kind == 6 || kind == 11 || kind == 14 || kind == 19;
  if (kind == 0)
    oracle_clear(x);
  else if (kind == 20)
    lapack_tridiagonal(c, x);
  else if (kind >= 12 && kind <= 14)
    lapack_uniform(c, x);
  else
    oracle_diagonal(c, spreads[kind], kind > 1 && kind < 15, x);
  for (int i = 0; kind == 1 && i < x.n; i++) SWEEP_AT(x, i, i) = 1;
  if ((kind >= 7 && kind <= 11) || (kind >= 15 && kind <= 19)) oracle_mix(c, true, true, x);
  if (over || under) oracle_scale(x, oracle_edge(c, over));
}

#endif
