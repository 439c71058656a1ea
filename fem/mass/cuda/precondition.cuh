/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Zone inverses on a GPU, shared by their files: fem/mass/precondition.h.
 */
#ifndef FEM_CUDA_PRECONDITION_CUH
#define FEM_CUDA_PRECONDITION_CUH

#include "fem/mass/precondition.h"
#include "fem/mass/cuda/velocity_sumfact.cuh"

namespace fem_cuda
{

/* The kernels for zone blocks take so many nodes per direction at most. */
enum { FEM_INVERSE_NODES = 6 };

/* By zone blocks, in the passes of conjugate gradients, where the row of the mass matrix has some; owned by the store
 * of the preconditioner. */
struct inverse_passes {
  const inverse_kernel *kernel;                          /* NULL: there are none */
  float *scale, *node_scale, *slots;                     /* owned: see inverse_arguments */
  double inverse[FEM_INVERSE_NODES * FEM_INVERSE_NODES]; /* of the kernel */
  double largest;
  int blocks;
};

/* Fills `passes` in, and the split of m->matrix, if all that is needed is there: precondition_zones.cu. */
int setup_passes(batched_ctx *ctx, fem_mass *m, inverse_passes *passes);
void release_passes(batched_ctx *ctx, inverse_passes *passes);

/* The store of cuda.sumfact. */
struct inverse_store {
  double *inverse; /* owned, as all below; [d1][d1] */
  double *scale;   /* [nzones][nd] */
  double *zones;   /* [dim][nzones][nd]: P r, zone by zone */
  inverse_passes passes;
  solver_csr *matrix; /* P, on the host; NULL: is not needed */
};

/* Makes *matrix, and m->matrix.inverse of it, where conjugate gradients can take P as a matrix:
 * precondition_matrix.cu. */
int setup_inverse_matrix(batched_ctx *ctx, fem_mass *m, solver_csr **matrix);

} // namespace fem_cuda

#endif
