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
#include "solvers/cuda/pcg_resident.cuh"
#include "solvers/cuda/pcg_division.cuh"

#include <cstdlib>
#include <new>

namespace fem_cuda
{

struct csr_store {
  solver_csr *matrix; /* owned, as all below */
  halo_peers *peers;  /* NULL: there are none */
  solver_whole_rows *whole;
};

typedef int multiply_rows(batched_ctx *ctx, const solver_spmv_args *args);

static int multiply_own(batched_ctx *ctx, const solver_spmv_args *args)
{
  return solver_spmv(ctx, args);
}

static int multiply_vendor(batched_ctx *ctx, const solver_spmv_args *args)
{
  return solvers_cuda::run_cusparse(ctx, args);
}

/* Rows that other ranks share stand at both ends: owned ones below nfirst, the others' from nowned on. */
template <multiply_rows *MULTIPLY>
static int product(batched_ctx *ctx, fem_mass *m, fem_part part, const double *x, double *y)
{
  const fem_space *s = m->space;
  solver_spmv_args args = {static_cast<csr_store *>(m->store)->matrix, 0, 0, s->dim, s->ndofs, x, y};
  if (part == FEM_REST) {
    args.first = s->nfirst, args.last = s->nowned; // all on one rank
    return MULTIPLY(ctx, &args);
  }
  args.last = s->nfirst;
  int status = MULTIPLY(ctx, &args);
  args.first = s->nowned, args.last = s->ndofs;
  return status ? status : MULTIPLY(ctx, &args);
}

static void teardown(batched_ctx *, fem_mass *m)
{
  auto *store = static_cast<csr_store *>(m->store);
  m->store = nullptr;
  if (!store) return;
  halo_peers_destroy(&store->peers);
  solvers_cuda::whole_rows_destroy(&store->whole);
  solver_csr_destroy(&store->matrix);
  delete store;
}

/* A solve without iterations.  Collective. */
int prepare_csr(batched_ctx *ctx, fem_mass *m)
{
  const size_t n = (size_t)(m->matrix.ncomp * m->matrix.n);
  auto *vectors = static_cast<double *>(batched_scratch_push(ctx, sizeof(double) * (2 * n + 1)));
  int iterations[SOLVER_MAX_COMPONENTS];
  bool converged[SOLVER_MAX_COMPONENTS];
  int status = vectors ? batched_fill_zero(ctx, vectors, sizeof(double) * n) : BATCHED_NO_MEMORY;
  if (comm_worst(status) == 0)
    status = fem_mass_iterate(ctx, m, vectors, vectors + n, 0, iterations, converged, nullptr);
  if (vectors) batched_scratch_pop(ctx);
  return status;
}

/* The first products are made here, as libraries look at a matrix then; they may not while a loop is being recorded. */
template <multiply_rows *MULTIPLY> static int place_matrix(batched_ctx *ctx, fem_mass *m)
{
  const fem_space *s = m->space;
  const int64_t n = (int64_t)s->dim * s->ndofs;
  csr_store *store = static_cast<csr_store *>(m->store);
  if (!store) return BATCHED_NO_MEMORY;
  int status = fem_assemble_velocity(s, m->material, &store->matrix);
  const solver_csr *a = store->matrix;
  if (!status && MULTIPLY == multiply_vendor && a->start[a->nrows] > INT_MAX) status = BATCHED_DOES_NOT_FIT;
  if (!status) status = solver_csr_place(ctx, store->matrix);
  if (!status) status = batched_fill_zero(ctx, m->work, sizeof(double) * (size_t)n);
  if (!status && !halo_alone(s->halo)) status = product<MULTIPLY>(ctx, m, FEM_SHARED, m->work, m->work + n);
  if (!status) status = product<MULTIPLY>(ctx, m, FEM_REST, m->work, m->work + n);
  return status;
}

/* Collective. */
static int complete_rows(const fem_space *s, csr_store *store)
{
  const size_t n = (size_t)s->ndofs;
  double *owner = static_cast<double *>(malloc(sizeof *owner * (2 * n + 1)));
  if (comm_worst(!owner)) {
    free(owner);
    return BATCHED_NO_MEMORY;
  }
  for (size_t i = 0; i < n; i++) owner[i] = comm_rank(), owner[n + i] = (double)i;
  halo_take_owners(s->halo, 2, owner);
  const int status = solvers_cuda::whole_rows_create(store->matrix, s->nowned, owner, owner + n, &store->whole);
  free(owner);
  return status;
}

template <multiply_rows *MULTIPLY> static int setup(batched_ctx *ctx, fem_mass *m)
{
  const fem_space *s = m->space;
  csr_store *store = new (std::nothrow) csr_store{};
  m->store = store;
  m->matrix.recordable = true;
  int status = place_matrix<MULTIPLY>(ctx, m);
  if (MULTIPLY == multiply_vendor) return status;
  const bool apart = comm_size() > 1 && halo_apart(s->halo) && !s->places;
  if (apart) { // also if not well, as the others wait
    if (comm_worst(status)) return status;
    if (is_small(s)) status = complete_rows(s, store);
    if (status) return status;
    const int most_foreign = store->whole ? store->whole->most_foreign : 0;
    halo_peers_create(&store->peers, ctx, s->halo, s->dim, nullptr, solvers_cuda::resident_room(s->dim, most_foreign),
                      true);
  }
  if (status || (!store->peers && !halo_alone(s->halo))) return status;
  m->matrix.csr = store->matrix;
  m->matrix.fixed = s->essential;
  m->matrix.peers = store->peers;
  m->matrix.whole = store->whole;
  return m->options.preconditioner == FEM_ZONE_INVERSE ? status : prepare_csr(ctx, m);
}

static void constants(const fem_mass *m, fem_constant_visit *visit, void *user)
{
  solver_csr_constants(static_cast<const csr_store *>(m->store)->matrix, visit, user);
}

const fem_mass_functions velocity_csr = {
  setup<multiply_own>, product<multiply_own>, false, nullptr, false, teardown, constants};
const fem_mass_functions velocity_csr_vendor = {
  setup<multiply_vendor>, product<multiply_vendor>, false, nullptr, false, teardown, constants};

} // namespace fem_cuda
