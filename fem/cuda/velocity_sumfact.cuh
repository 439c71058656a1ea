/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The matrix-free product y = M_v x on a GPU.  Kernels leave what patches of zones give to their nodes in slots, a slot for each node
 * of each patch (a patch may be one zone); then each dof gathers its slots in their order.  No atomics: always the same bits.
 */
#ifndef FEM_CUDA_VELOCITY_SUMFACT_CUH
#define FEM_CUDA_VELOCITY_SUMFACT_CUH

#include "batched/cuda/launch.cuh"
#include "mass.cuh"

namespace fem_cuda
{

using namespace batched_cuda;

/* The sums of some dofs over their slots. */
struct gather_list {
  int count;
  int *target; /* [count]: dof */
  int *start;  /* [count + 1] */
  int *slot;   /* [start[count]] */
};

/* Vectors of an iteration of conjugate gradients, [dim][ndofs], and where its dot products go: see solver_pcg_args. */
struct dot_arguments {
  const double *r, *p, *inverse_diagonal;
  const unsigned char *essential; /* [ndofs]: bit c: component c does not move */
  double *dots;
  int parts;
};

/* What cuda.sumfact keeps. */
struct sumfact_store {
  batched_ctx *ctx;
  int nslots;
  double *slots;            /* owned, as all below, in the context's memory; [dim][nslots] */
  unsigned char *essential; /* [ndofs] */
  gather_list lists[2];     /* by velocity_part */
};

} // namespace fem_cuda

#endif
