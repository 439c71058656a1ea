/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mass matrices as matrices, on the host, for the variants that keep them so.
 */
#ifndef FEM_ASSEMBLE_H
#define FEM_ASSEMBLE_H

#include "fem/fem.h"
#include "solvers/solvers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All functions of the basis `table` [q1][n1] at all points: [nq][n], to be freed; NULL: out of memory. */
double *fem_assemble_basis(const fem_space *s, int n1, const double *table);

/* Input of the zones' dense mass matrices, for the n = n1^factors functions of a basis: an integral of two
 * functions is one over products of two functions of each direction, so it is summed direction by direction, in
 * O(n1^2dim q1) operations instead of O((n1^2 q1)^dim) (sum factorisation, as for products with the matrix). */
typedef struct fem_assembly {
  int factors, q1, n;
  int npairs;      /* n1 (n1 + 1) / 2 products of two functions of a factor */
  double *pairs;   /* [npairs][q1] */
  int *place;      /* [n][n]: where the integral of two functions is among [npairs]^factors */
  double *work[2]; /* the integrals, and what is integrated over some directions */
} fem_assembly;

/* BATCHED_NO_MEMORY when memory is out; destroy in any case. */
int fem_assembly_create(fem_assembly *a, const fem_space *s, int n1, const double *table);
/* matrix [n][n] = sum_q weights[q] f_i(q) f_j(q); weights: [nq] */
void fem_assembly_zone(const fem_assembly *a, const double *weights, double *matrix);
void fem_assembly_destroy(fem_assembly *a);

/* M_v of this rank's zones.  BATCHED_NO_MEMORY, and *matrix is NULL, when memory is out. */
int fem_assemble_velocity(const fem_space *s, const fem_material *material, solver_csr **matrix);

#ifdef __cplusplus
}
#endif

#endif
