/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The velocity's mass matrix as an assembled sparse matrix.
 *   cuda.csr     products as `kernels.spmv` says, our own if it says nothing
 *   vendor.csr   cuSPARSE's products
 * The matrix is assembled on the host and copied at set-up.
 */
#include "fem/space/assemble.h"
#include "fem/mass/cuda/mass.cuh"
#include "solvers/cuda/csr.cuh"

namespace fem_cuda
{

typedef int multiply_rows(batched_ctx *ctx, const solver_spmv_args *args);

static int multiply_own(batched_ctx *ctx, const solver_spmv_args *args)
{
  return solver_spmv(ctx, args);
}

static int multiply_vendor(batched_ctx *ctx, const solver_spmv_args *args)
{
  return solvers_cuda::run_cusparse(ctx, args);
}

/* Rows that other ranks share stand at both ends: owned ones below nfirst, the others' from nowned on.  One rank does
 * all of its rows as the rest. */
template <multiply_rows *MULTIPLY>
static int product(batched_ctx *ctx, fem_mass *m, velocity_part part, const double *x, double *y)
{
  const fem_space *s = m->space;
  const bool alone = comm_size() == 1;
  solver_spmv_args args = {static_cast<solver_csr *>(m->store), 0, 0, s->dim, s->ndofs, x, y};
  if (part == VELOCITY_REST) {
    args.first = alone ? 0 : s->nfirst, args.last = alone ? s->ndofs : s->nowned;
    return MULTIPLY(ctx, &args);
  }
  if (alone) return BATCHED_SUCCESS;
  args.last = s->nfirst;
  int status = MULTIPLY(ctx, &args);
  args.first = s->nowned, args.last = s->ndofs;
  return status ? status : MULTIPLY(ctx, &args);
}

static void teardown(batched_ctx *, fem_mass *m)
{
  auto *a = static_cast<solver_csr *>(m->store);
  solver_csr_destroy(&a);
  m->store = nullptr;
}

static const solver_csr *matrix(const fem_mass *m)
{
  return static_cast<const solver_csr *>(m->store);
}

/* The first products are made here, as libraries look at a matrix then; they may not while a loop is being recorded. */
template <multiply_rows *MULTIPLY> static int setup(batched_ctx *ctx, fem_mass *m)
{
  const fem_space *s = m->space;
  const int64_t n = (int64_t)s->dim * s->ndofs;
  solver_csr *a;
  int status = fem_assemble_velocity(s, m->material, &a);
  m->store = a;
  if (!status && MULTIPLY == multiply_vendor && a->start[a->nrows] > INT_MAX) status = BATCHED_DOES_NOT_FIT;
  if (!status) status = solver_csr_place(ctx, a);
  if (!status) status = batched_fill_zero(ctx, m->work, sizeof(double) * (size_t)n);
  if (!status) status = product<MULTIPLY>(ctx, m, VELOCITY_SHARED, m->work, m->work + n);
  if (!status) status = product<MULTIPLY>(ctx, m, VELOCITY_REST, m->work, m->work + n);
  if (status) teardown(ctx, m);
  return status;
}

} // namespace fem_cuda

int fem_cuda_velocity_csr(batched_ctx *ctx, const void *args)
{
  using namespace fem_cuda;
  static const velocity_variant own = {setup<multiply_own>, teardown, product<multiply_own>, nullptr, nullptr, matrix};
  return velocity_run(ctx, static_cast<const fem_mass_args *>(args), own);
}

int fem_cuda_velocity_vendor(batched_ctx *ctx, const void *args)
{
  using namespace fem_cuda;
  static const velocity_variant vendor = {setup<multiply_vendor>, teardown, product<multiply_vendor>, nullptr, nullptr};
  return velocity_run(ctx, static_cast<const fem_mass_args *>(args), vendor);
}
