/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of the energy's mass matrix that stand in files of their own, and what they share.
 */
#ifndef FEM_CUDA_ENERGY_MASS_CUH
#define FEM_CUDA_ENERGY_MASS_CUH

#include "batched/cuda/launch.cuh"
#include "fem/mass/mass.h"

namespace fem_cuda
{

extern const fem_mass_functions energy_pcg;      // energy_pcg.cu
extern const fem_mass_functions energy_spectral; // energy_spectral.cu

static inline int64_t energy_unknowns(const fem_space *s)
{
  return (int64_t)s->nzones * s->nt;
}

/* The blocks [nzones][nt][nt] of M_e, and vectors, as batches. */
static inline batched_matrix energy_blocks(const fem_space *s, double *blocks)
{
  return batched_make_strided(BATCHED_D, blocks, s->nt, s->nt, s->nt, (int64_t)s->nt * s->nt, s->nzones);
}
static inline batched_matrix energy_vectors(const fem_space *s, const double *x)
{
  return batched_make_strided(BATCHED_D, const_cast<double *>(x), s->nt, 1, s->nt, s->nt, s->nzones);
}

/* Computes the blocks into new memory of the context; NULL, and *status, if that fails. */
double *make_energy_blocks(batched_ctx *ctx, const fem_mass *m, int *status);

/* BATCHED_SUCCESS if all of info [n], in the context's memory, are 0. */
int check_info(batched_ctx *ctx, const int *info, int n);

} // namespace fem_cuda

#endif
