/* SPDX-License-Identifier: BSD-3-Clause
 *
 * M_v a = b on a GPU: one matrix for all components, conjugate gradients for all of them at once.
 *   cuda.sumfact   matrix-free: velocity_sumfact.cu
 *   cuda.csr       assembled, compressed sparse rows, for small meshes: velocity_csr.cu
 *   vendor.csr     the same with cuSPARSE's product; with kernels.pcg vendor.cublas, all by the vendor
 */
#include "fem/mass/host/mass.h"
#include "fem/tables.h"
#include "batched/cuda/launch.cuh"
#include "fem/mass/cuda/mass.cuh"

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

static int iterate(batched_ctx *ctx, velocity_product product, const double *b, double *x, int max_iterations,
                   int *iterations, bool *converged)
{
  fem_mass *m = product.mass;
  const fem_space *s = m->space;
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
  if (product.variant->matrix && comm_size() == 1) {
    pcg.csr = product.variant->matrix(m);
    pcg.fixed = s->essential;
  }
  pcg.cache = &m->cache;
  pcg.inverse_diagonal = m->inverse_diagonal;
  pcg.b = b;
  pcg.x = x;
  pcg.work = m->work;
  pcg.tolerance = m->tolerance;
  pcg.max_iterations = max_iterations;
  pcg.iterations = iterations;
  pcg.converged = converged;
  return solver_pcg(ctx, &pcg);
}

static int solve(batched_ctx *ctx, const fem_mass_args *args, velocity_product product)
{
  fem_mass *m = args->mass;
  int iterations[SOLVER_MAX_COMPONENTS];
  bool converged[SOLVER_MAX_COMPONENTS];
  int status = iterate(ctx, product, args->b, args->x, m->max_iterations, iterations, converged);
  if (!status) count_iterations(m, m->space->dim, iterations, converged);
  return status;
}

/* A solve without iterations, as conjugate gradients may make something of an assembled matrix, which takes its
 * time. */
static int prepare(batched_ctx *ctx, velocity_product product)
{
  const size_t n = (size_t)product.mass->space->dim * (size_t)product.mass->space->ndofs;
  auto *vectors = static_cast<double *>(batched_scratch_push(ctx, sizeof(double) * (2 * n + 1)));
  if (!vectors) return BATCHED_NO_MEMORY;
  int iterations[SOLVER_MAX_COMPONENTS];
  bool converged[SOLVER_MAX_COMPONENTS];
  int status = batched_fill_zero(ctx, vectors, sizeof(double) * n);
  if (!status) status = iterate(ctx, product, vectors, vectors + n, 0, iterations, converged);
  batched_scratch_pop(ctx);
  return status;
}

/* What there is when it fails goes with the mass. */
static int setup(batched_ctx *ctx, velocity_product product)
{
  int status = product.variant->setup(ctx, product.mass);
  if (status || !product.variant->matrix || comm_size() > 1) return status;
  return prepare(ctx, product);
}

int velocity_run(batched_ctx *ctx, const fem_mass_args *args, const velocity_variant &variant)
{
  const velocity_product product = {args->mass, &variant};
  switch (args->task) {
  case FEM_MASS_SETUP: return setup(ctx, product);
  case FEM_MASS_TEARDOWN: variant.teardown(ctx, args->mass); return BATCHED_SUCCESS;
  case FEM_MASS_APPLY: return multiply(ctx, &product, args->b, args->x);
  default: return solve(ctx, args, product);
  }
}

/* A matrix and vectors of this size, in doubles, stay on the chip, and conjugate gradients run in one kernel:
 * solvers/cuda/pcg_resident.cu.  Nor does it take much time to assemble. */
static bool is_small(const fem_space *s)
{
  const double zone = (double)s->nd * (s->nd + 9), work = (double)s->nd * s->nd * s->nq;
  return comm_size() == 1 && s->nzones * zone <= 4.6e6 && s->nzones * work <= 1e9;
}

static bool is_large(const void *p)
{
  return !is_small(static_cast<const fem_mass_args *>(p)->mass->space);
}

} // namespace fem_cuda

const batched_variant fem_cuda_velocity_mass[] = {
  {"cuda.sumfact", nullptr, fem_cuda::is_large, fem_cuda_velocity_sumfact},
  {"cuda.csr", nullptr, nullptr, fem_cuda_velocity_csr},
  {"vendor.csr", nullptr, nullptr, fem_cuda_velocity_vendor},
  BATCHED_LAST_ROW,
};
