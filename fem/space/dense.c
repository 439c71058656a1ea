/* SPDX-License-Identifier: BSD-3-Clause */
#include "fem/space/dense.h"

void fem_dense_gradients(const fem_space *s, double *d)
{
  for (int q = 0; q < s->nq; q++)
    for (int g = 0; g < s->dim; g++)
      for (int i = 0; i < s->nd; i++)
        d[((int64_t)q * s->dim + g) * s->nd + i] = fem_basis_at(s, s->d1, s->b, g, s->g, i, q);
}

void fem_dense_energies(const fem_space *s, double *b)
{
  for (int q = 0; q < s->nq; q++)
    for (int j = 0; j < s->nt; j++) b[(int64_t)q * s->nt + j] = fem_basis_at(s, s->t1, s->bt, -1, NULL, j, q);
}
