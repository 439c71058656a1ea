/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the variants of the velocity's mass matrix share on a GPU.  A variant is a product; the solve around it, the
 * halo and the constraints are the same for all.
 */
#ifndef FEM_CUDA_MASS_CUH
#define FEM_CUDA_MASS_CUH

#include "fem/fem.h"

namespace fem_cuda
{

/* Dofs that other ranks share (others may go with them): their sums are done first, and travel while the rest is
 * computed.  On one rank there is the rest alone. */
enum velocity_part { VELOCITY_SHARED, VELOCITY_REST };

struct velocity_variant {
  /* Makes mass->store, in the context's memory; on failure it leaves none. */
  int (*setup)(batched_ctx *ctx, fem_mass *mass);
  void (*teardown)(batched_ctx *ctx, fem_mass *mass);
  /* y = M x by this rank's zones, at the dofs of one part; x, y [dim][ndofs]. */
  int (*product)(batched_ctx *ctx, fem_mass *mass, velocity_part part, const double *x, double *y);
  /* On one rank, y = M p, constrained, and the dot products as solver_pcg_args.apply_dots leaves them; NULL: there is
   * none. */
  int (*product_dots)(batched_ctx *ctx, fem_mass *mass, const double *r, const double *p, double *y, double *dots);
  int (*parts)(const fem_mass *mass);
  const solver_csr *(*matrix)(const fem_mass *mass) = nullptr; /* assembled; NULL: it is not */
  /* Conjugate gradients in passes of its own: see solver_pcg_args.split.  NULL: never. */
  const solver_pcg_split *(*split)(const fem_mass *mass) = nullptr;
};

/* The matrix of a solve, as its callbacks see it. */
struct velocity_product {
  fem_mass *mass;
  const velocity_variant *variant;
};

/* What a row does for each task. */
int velocity_run(batched_ctx *ctx, const fem_mass_args *args, const velocity_variant &variant);

} // namespace fem_cuda

/* `run` of the rows. */
int fem_cuda_velocity_sumfact(batched_ctx *ctx, const void *args);
int fem_cuda_velocity_csr(batched_ctx *ctx, const void *args);
int fem_cuda_velocity_vendor(batched_ctx *ctx, const void *args);

#endif
