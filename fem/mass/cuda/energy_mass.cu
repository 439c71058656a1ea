/* SPDX-License-Identifier: BSD-3-Clause
 *
 * M_e p = b on a GPU; M_e is block diagonal, a dense block per zone.
 *   cuda.spectral   conjugate gradients over all zones in the eigenvectors of the blocks, a few numbers per unknown:
 *                   energy_spectral.cu
 *   cuda.pcg        conjugate gradients over all zones, matrix-free: energy_pcg.cu
 *   cuda.inverse    the inverses of the blocks, a batched gemv
 *   cuda.potrs      batched Cholesky factors, solved zone by zone
 *   vendor.spmv     the inverse as a sparse matrix, by cuSPARSE (MAGMA Batched, section 7, kernel 11)
 * The last three solve by calls of `batched` or cuSPARSE, whose contracts they have; the inverse reads 8 nt^2 bytes per
 * zone, and the factors half of that.  They take all shapes, vendor.spmv up to 2^31 - 1 entries of the blocks; the
 * first two need directions.
 */
#include "fem/mass/cuda/energy_mass.cuh"

#include <cstdlib>

#include "fem/space/assemble.h"
#include "fem/tables.h"
#include "solvers/cuda/csr.cuh"

namespace fem_cuda
{

using namespace batched_cuda;

/* ------------------------------------------------------------------ blocks */

/* Block (z, i, j) = sum_q density_q b_i b_j; basis [nq][nt].  At set-up: a thread per entry, blocks of 256. */
static __global__ void fill_blocks(int64_t entries, int nt, int nq, const double *__restrict__ basis,
                                   const double *__restrict__ density, double *blocks)
{
  const int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; at < entries; at += step) {
    const int i = (int)(at % nt), j = (int)(at / nt % nt);
    const double *weight = density + at / ((int64_t)nt * nt) * nq;
    double sum = 0.0;
    for (int q = 0; q < nq; q++) sum = fma(weight[q] * basis[q * nt + i], basis[q * nt + j], sum);
    blocks[at] = sum;
  }
}

double *make_energy_blocks(batched_ctx *ctx, const fem_mass *m, int *status)
{
  const fem_space *s = m->space;
  const int64_t entries = energy_unknowns(s) * s->nt;
  const size_t bytes = sizeof(double) * (size_t)s->nq * (size_t)s->nt;
  double *host = fem_assemble_basis(s, s->t1, s->bt);
  auto *basis = static_cast<double *>(batched_scratch_push(ctx, bytes));
  auto *blocks = static_cast<double *>(batched_allocate(ctx, sizeof(double) * ((size_t)entries + 1)));
  *status = host && basis && blocks ? batched_copy_from_host(ctx, basis, host, bytes) : BATCHED_NO_MEMORY;
  if (!*status)
    *status = launch(ctx, fill_blocks, ceil_div(entries, 256), 256, 0, entries, s->nt, s->nq, basis,
                     m->material->device->density, blocks);
  if (basis) batched_scratch_pop(ctx);
  free(host);
  if (!*status) return blocks;
  batched_release(ctx, blocks);
  return nullptr;
}

int check_info(batched_ctx *ctx, const int *info, int n)
{
  int *host = static_cast<int *>(malloc(sizeof(int) * ((size_t)n + 1)));
  int status = host ? batched_copy_to_host(ctx, host, info, sizeof(int) * (size_t)n) : BATCHED_NO_MEMORY;
  for (int i = 0; i < n && !status; i++)
    if (host[i]) status = BATCHED_DEVICE_FAILED; // a positive density rules it out
  free(host);
  return status;
}

/* Cholesky factors of all blocks. */
static int factorise(batched_ctx *ctx, const fem_space *s, double *blocks)
{
  auto *info = static_cast<int *>(batched_scratch_push(ctx, sizeof(int) * ((size_t)s->nzones + 1)));
  if (!info) return BATCHED_NO_MEMORY;
  int status = batched_potrf(ctx, BATCHED_LOWER, energy_blocks(s, blocks), info);
  if (!status) status = check_info(ctx, info, s->nzones);
  batched_scratch_pop(ctx);
  return status;
}

static void forget(batched_ctx *ctx, fem_mass *m)
{
  batched_release(ctx, m->store);
  m->store = nullptr;
}

/* ------------------------------------------------------------------ cuda.potrs */

/* Solves for nothing: a row of potrs that can't do this shape says so now, and cuSOLVER's, which writes the triangle
 * that it does not read, does so before anybody watches the factors. */
static int try_potrs(batched_ctx *ctx, const fem_space *s, double *factors)
{
  const size_t bytes = sizeof(double) * (size_t)energy_unknowns(s);
  auto *x = static_cast<double *>(batched_scratch_push(ctx, bytes + 1));
  if (!x) return BATCHED_NO_MEMORY;
  int status = batched_fill_zero(ctx, x, bytes);
  if (!status) status = batched_potrs(ctx, BATCHED_LOWER, energy_blocks(s, factors), energy_vectors(s, x));
  batched_scratch_pop(ctx);
  return status;
}

static int setup_potrs(batched_ctx *ctx, fem_mass *m)
{
  int status;
  auto *factors = make_energy_blocks(ctx, m, &status);
  m->store = factors;
  if (!status) status = factorise(ctx, m->space, factors);
  return status ? status : try_potrs(ctx, m->space, factors);
}

static int solve_potrs(batched_ctx *ctx, fem_mass *m, const double *b, double *x)
{
  const fem_space *s = m->space;
  int status = batched_copy_within(ctx, x, b, sizeof(double) * (size_t)energy_unknowns(s));
  if (status) return status;
  return batched_potrs(ctx, BATCHED_LOWER, energy_blocks(s, static_cast<double *>(m->store)), energy_vectors(s, x));
}

/* Factors, or inverses, of the blocks. */
static void constants_of_blocks(const fem_mass *m, fem_constant_visit *visit, void *user)
{
  visit(user, "the mass matrix of the energy", m->store,
        sizeof(double) * (size_t)energy_unknowns(m->space) * (size_t)m->space->nt);
}

static const fem_mass_functions potrs = {setup_potrs, nullptr, false, solve_potrs, true, forget, constants_of_blocks};

/* ------------------------------------------------------------------ cuda.inverse, vendor.spmv */

static const batched_scalar zero = {0.0, 0.0}, one = {1.0, 0.0};

/* inverse [nzones][nt][nt] = M_e^-1, by Cholesky and the unit vectors as right-hand sides. */
static int invert(batched_ctx *ctx, const fem_mass *m, double *inverse)
{
  const fem_space *s = m->space;
  int status;
  double *blocks = make_energy_blocks(ctx, m, &status);
  if (!status) status = factorise(ctx, s, blocks);
  if (!status) status = batched_set(ctx, zero, one, energy_blocks(s, inverse));
  if (!status) status = batched_potrs(ctx, BATCHED_LOWER, energy_blocks(s, blocks), energy_blocks(s, inverse));
  if (!status) status = batched_synchronize(ctx);
  batched_release(ctx, blocks);
  return status;
}

static int setup_inverse(batched_ctx *ctx, fem_mass *m)
{
  const size_t entries = (size_t)energy_unknowns(m->space) * (size_t)m->space->nt;
  m->store = batched_allocate(ctx, sizeof(double) * (entries + 1));
  return m->store ? invert(ctx, m, static_cast<double *>(m->store)) : BATCHED_NO_MEMORY;
}

static int solve_inverse(batched_ctx *ctx, fem_mass *m, const double *b, double *x)
{
  const fem_space *s = m->space;
  return batched_gemv(ctx, BATCHED_TRANS, one, energy_blocks(s, static_cast<double *>(m->store)), energy_vectors(s, b),
                      zero, energy_vectors(s, x)); // it is symmetric
}

static const fem_mass_functions inverse = {setup_inverse,      nullptr, false, solve_inverse, true, forget,
                                           constants_of_blocks};

/* One product by cuSPARSE, so that what it makes of the matrix is made at set-up. */
static int spmv(batched_ctx *ctx, const solver_csr *a, const double *x, double *y)
{
  const solver_spmv_args args = {a, 0, a->nrows, 1, a->nrows, x, y};
  return solvers_cuda::run_cusparse(ctx, &args);
}

static int setup_spmv(batched_ctx *ctx, fem_mass *m)
{
  const fem_space *s = m->space;
  const int64_t n = energy_unknowns(s);
  if (n * s->nt > INT_MAX) return BATCHED_DOES_NOT_FIT; // cuSPARSE counts in ints
  solver_csr *a = solver_csr_create_blocks(s->nzones, s->nt);
  m->store = a;
  if (!a) return BATCHED_NO_MEMORY;
  int status = solver_csr_place(ctx, a);
  if (!status) status = invert(ctx, m, a->device->value);
  if (!status) status = batched_fill_zero(ctx, m->work, sizeof(double) * (size_t)n);
  return status ? status : spmv(ctx, a, m->work, m->work + n);
}

static int solve_spmv(batched_ctx *ctx, fem_mass *m, const double *b, double *x)
{
  return spmv(ctx, static_cast<solver_csr *>(m->store), b, x);
}

static void teardown_spmv(batched_ctx *, fem_mass *m)
{
  auto *a = static_cast<solver_csr *>(m->store);
  solver_csr_destroy(&a);
  m->store = nullptr;
}

static void constants_of_spmv(const fem_mass *m, fem_constant_visit *visit, void *user)
{
  solver_csr_constants(static_cast<const solver_csr *>(m->store), visit, user);
}

static const fem_mass_functions by_spmv = {setup_spmv,    nullptr,          false, solve_spmv, true,
                                           teardown_spmv, constants_of_spmv};

/* ------------------------------------------------------------------ the table */

static bool is_placed(const void *p)
{
  const fem_mass *m = static_cast<const fem_mass *>(p);
  return m->space->device && m->material->device;
}

/* Sum factorisation needs directions. */
static bool fits_sumfact(const void *p)
{
  return is_placed(p) && static_cast<const fem_mass *>(p)->space->shape == MESH_TENSOR;
}

static bool is_iterated(const void *p)
{
  return static_cast<const fem_mass *>(p)->options.iterated;
}

} // namespace fem_cuda

extern "C" const batched_variant fem_cuda_energy_mass[] = {
  {"cuda.spectral", fem_cuda::fits_sumfact, fem_cuda::is_iterated, nullptr, &fem_cuda::energy_spectral},
  {"cuda.pcg", fem_cuda::fits_sumfact, fem_cuda::is_iterated, nullptr, &fem_cuda::energy_pcg},
  {"cuda.inverse", fem_cuda::is_placed, nullptr, nullptr, &fem_cuda::inverse},
  {"cuda.potrs", fem_cuda::is_placed, nullptr, nullptr, &fem_cuda::potrs},
  {"vendor.spmv", fem_cuda::is_placed, nullptr, nullptr, &fem_cuda::by_spmv},
  BATCHED_LAST_ROW,
};
