/* SPDX-License-Identifier: BSD-3-Clause */
#include "dense.h"

void fem_dense_gradients(const fem_space *s, double *d)
{
  for (int q = 0; q < s->nq; q++)
    for (int g = 0; g < s->dim; g++)
      for (int i = 0; i < s->nd; i++) {
        double value = 1.0;
        for (int c = 0, ii = i, qq = q; c < s->dim; c++, ii /= s->d1, qq /= s->q1)
          value *= (c == g ? s->g : s->b)[qq % s->q1 * s->d1 + ii % s->d1];
        d[((int64_t)q * s->dim + g) * s->nd + i] = value;
      }
}

void fem_dense_energies(const fem_space *s, double *b)
{
  for (int q = 0; q < s->nq; q++)
    for (int j = 0; j < s->nt; j++) {
      double value = 1.0;
      for (int c = 0, jj = j, qq = q; c < s->dim; c++, jj /= s->t1, qq /= s->q1)
        value *= s->bt[qq % s->q1 * s->t1 + jj % s->t1];
      b[(int64_t)q * s->nt + j] = value;
    }
}
