/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mass matrices as matrices, on the host, for the variants that keep them so.
 */
#ifndef FEM_ASSEMBLE_H
#define FEM_ASSEMBLE_H

#include "fem.h"
#include "solvers/solvers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All functions of the tensor basis `table` [q1][n1] at all points: [nq][n], to be freed; NULL: out of memory. */
double *fem_assemble_basis(const fem_space *s, int n1, const double *table);
/* The dense mass matrix [n][n] of a zone for the n functions of `basis` [nq][n]. */
void fem_assemble_zone(const fem_space *s, const fem_material *material, int zone, int n, const double *basis,
                       double *matrix);
/* M_v of this rank's zones.  BATCHED_NO_MEMORY, and *matrix is NULL, when memory is out. */
int fem_assemble_velocity(const fem_space *s, const fem_material *material, solver_csr **matrix);

#ifdef __cplusplus
}
#endif

#endif
