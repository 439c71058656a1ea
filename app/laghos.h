/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How the Laghos mini-app solves.  We do the same: the digits depend on it.
 */
#ifndef APP_LAGHOS_H
#define APP_LAGHOS_H

#include <math.h>

#include "fem/fem.h"

/* True for shapes with matrix-free kernels in Laghos.  It solves for each velocity component alone and for the energy
 * by conjugate gradients there; elsewhere for all components as one system, and for the energy exactly. */
static inline bool laghos_is_matrix_free(const fem_space *s)
{
  return s->shape == MESH_TENSOR && s->dim > 1 && s->t == s->k - 1 && s->q1 == 2 * s->k &&
         s->k <= (s->dim == 2 ? 5 : 4);
}

/* True where M_e p = b is solved by conjugate gradients: not for blocks whose condition number (that of the Bernstein
 * basis: binomial(2t+1, t) per direction) would let them end anywhere within their tolerance. */
static inline bool laghos_iterates_energy(const fem_space *s)
{
  static const double condition_1d[] = {1, 3, 10, 35, 126, 462, 1716, 6435, 24310};
  return laghos_is_matrix_free(s) && pow(condition_1d[s->t], s->dim) < 2000.0;
}

#endif
