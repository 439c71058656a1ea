/* SPDX-License-Identifier: BSD-3-Clause
 *
 * M_v of a box of zones whose density is a product of functions of one direction each (uniform is the usual one): then
 *   M = M_z (x) M_y (x) M_x,   M^-1 = M_z^-1 (x) M_y^-1 (x) M_x^-1
 * with a matrix per direction, and so are its rows and columns that walls leave to a component.  Products with either
 * are a product of small matrices per direction: the tensor product solver of Lynch, Rice, Thomas, Numer. Math. 6
 * (1964), 185-199, on the mass matrix of Dobrev, Kolev, Rieben 2012.  A property of the problem, not of the method:
 * rows that use it are taken only where a deck names them.
 */
#ifndef FEM_MASS_TENSOR_BOX_H
#define FEM_MASS_TENSOR_BOX_H

#include "fem/mass/mass.h"
#include "fem/mass/tensor_lattice.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The store of a row; all but `lattice` is in the context's memory. */
typedef struct tensor_box {
  tensor_lattice lattice;
  int *order;         /* owned, [ndofs]: lattice.dof */
  double *mass[3];    /* owned, [n[d]][n[d]] */
  double *inverse[9]; /* owned, [dim][dim]: of component c along direction d; rows and columns of walls are zero */
} tensor_box;

/* to[c][i] = from[c][order[i]], or to[c][order[i]] = from[c][i] where `back`: vectors [ncomp][n] in the context's
 * memory. */
typedef int tensor_permute(batched_ctx *ctx, const int *order, int ncomp, int64_t n, bool back, const double *from,
                           double *to);

/* fits of a row: one rank, a box of at most TENSOR_MOST_NODES nodes per direction, a density that is such a product to
 * 1e-11, and walls that are whole planes of the lattice. */
bool tensor_box_fits(const void *mass);
/* The functions of a row but for its permutation; m->store is a tensor_box. */
int tensor_box_setup(batched_ctx *ctx, fem_mass *m);
void tensor_box_teardown(batched_ctx *ctx, fem_mass *m);
int tensor_box_product(batched_ctx *ctx, fem_mass *m, tensor_permute *permute, const double *x, double *y);
int tensor_box_solve(batched_ctx *ctx, fem_mass *m, tensor_permute *permute, const double *b, double *x);

#ifdef __cplusplus
}
#endif

#endif
