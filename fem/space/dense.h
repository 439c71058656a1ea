/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The basis of the reference zone as dense matrices, for the corner forces that multiply matrices.  Column-major.
 */
#ifndef FEM_DENSE_H
#define FEM_DENSE_H

#include "fem/fem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* D, nd x (nq dim), stored as d [nq][dim][nd]: dphi_i/dxi_g at the points. */
void fem_dense_gradients(const fem_space *s, double *d);
/* B, nt x nq, stored as b [nq][nt]: the thermodynamic basis at the points. */
void fem_dense_energies(const fem_space *s, double *b);

#ifdef __cplusplus
}
#endif

#endif
