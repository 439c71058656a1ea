/* SPDX-License-Identifier: BSD-3-Clause
 *
 * M_v a = b on a GPU: one matrix for all components, conjugate gradients for all of them at once.
 *   cuda.sumfact   matrix-free: velocity_sumfact.cu
 *   cuda.csr       assembled, compressed sparse rows: velocity_csr.cu
 *   vendor.csr     the same with cuSPARSE's product; with kernels.pcg vendor.cublas, all by the vendor
 */
#include "../host/mass.h"
#include "../tables.h"
#include "batched/cuda/launch.cuh"
#include "mass.cuh"

namespace fem_cuda
{

/* y = M x, summed over ranks while the rest of the dofs is being done. */
static int multiply(batched_ctx *ctx, const velocity_product *a, const double *x, double *y)
{
  const fem_space *s = a->mass->space;
  if (comm_size() == 1) return a->variant->product(ctx, a->mass, VELOCITY_REST, x, y);
  int status = a->variant->product(ctx, a->mass, VELOCITY_SHARED, x, y);
  halo_sum_begin(ctx, s->halo, s->dim, y);
  if (!status) status = a->variant->product(ctx, a->mass, VELOCITY_REST, x, y);
  halo_sum_end(ctx, s->halo, s->dim, y);
  return status;
}

static int multiply_constrained(batched_ctx *ctx, void *matrix, const double *x, double *y)
{
  const velocity_product *a = static_cast<const velocity_product *>(matrix);
  int status = multiply(ctx, a, x, y);
  return status ? status : fem_constrain(ctx, a->mass->space, y);
}

static int multiply_dots(batched_ctx *ctx, void *matrix, const double *r, const double *p, double *ap, double *dots)
{
  const velocity_product *a = static_cast<const velocity_product *>(matrix);
  return a->variant->product_dots(ctx, a->mass, r, p, ap, dots);
}

static int solve(batched_ctx *ctx, const fem_mass_args *args, velocity_product product)
{
  fem_mass *m = args->mass;
  const fem_space *s = m->space;
  int iterations[SOLVER_MAX_COMPONENTS];
  bool converged[SOLVER_MAX_COMPONENTS];
  solver_pcg_args pcg = {};
  pcg.ncomp = s->dim;
  pcg.coupled = !fem_is_standard(s);
  pcg.n = s->ndofs;
  pcg.nowned = s->nowned;
  pcg.apply = multiply_constrained;
  if (product.variant->split) pcg.split = product.variant->split(m);
  if (!pcg.split && product.variant->product_dots) {
    pcg.apply_dots = multiply_dots;
    pcg.parts = product.variant->parts(m);
  }
  pcg.matrix = &product;
  pcg.cache = &m->cache;
  pcg.inverse_diagonal = m->inverse_diagonal;
  pcg.b = args->b;
  pcg.x = args->x;
  pcg.work = m->work;
  pcg.tolerance = m->tolerance;
  pcg.max_iterations = m->max_iterations;
  pcg.iterations = iterations;
  pcg.converged = converged;
  int status = solver_pcg(ctx, &pcg);
  if (!status) count_iterations(m, s->dim, iterations, converged);
  return status;
}

int velocity_run(batched_ctx *ctx, const fem_mass_args *args, const velocity_variant &variant)
{
  const velocity_product product = {args->mass, &variant};
  switch (args->task) {
  case FEM_MASS_SETUP: return variant.setup(ctx, args->mass);
  case FEM_MASS_TEARDOWN: variant.teardown(ctx, args->mass); return BATCHED_SUCCESS;
  case FEM_MASS_APPLY: return multiply(ctx, &product, args->b, args->x);
  default: return solve(ctx, args, product);
  }
}

} // namespace fem_cuda

const batched_variant fem_cuda_velocity_mass[] = {
  {"cuda.sumfact", nullptr, nullptr, fem_cuda_velocity_sumfact},
  {"cuda.csr", nullptr, nullptr, fem_cuda_velocity_csr},
  {"vendor.csr", nullptr, nullptr, fem_cuda_velocity_vendor},
  BATCHED_LAST_ROW,
};
