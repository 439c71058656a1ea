/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.sumfact of zone_inverse: zone inverses on a GPU, z = P r (fem/mass/precondition.h), one factor after the
 * other; then each dof adds up its zones.  Within conjugate gradients by the zone blocks of velocity_mass's
 * cuda.sumfact it has kernels of its own: precondition_zones.cu.
 *   grid       a block per zone and component; then a thread per dof and component
 *   block      128 threads
 *   shared     16 nd bytes: a component of a zone before and after a factor
 *   takes      all shapes of up to 3072 nodes per zone; double precision
 *   memory     reads per zone and component 8 nd bytes of r, gathered, the numbers of nodes (4 nd) and the scale (8 nd,
 *              twice); writes and reads again 8 nd; writes 8 bytes per dof and component
 *   accuracy   each sum by one thread, over zones in the order of the zones: the same bits in every run
 */
#include <new>

#include "fem/tables.h"
#include "fem/mass/cuda/precondition.cuh"

namespace fem_cuda
{

namespace
{

constexpr int THREADS = 128;

/* zones [dim][nzones][nd] = S_z (M^ (x) M^ (x) M^)^-1 S_z r: grid (zones, dim). */
__global__ void __launch_bounds__(THREADS)
  invert_zones(int n, int nd, const int *__restrict__ dofs, const double *__restrict__ inverse,
               const double *__restrict__ scale, int64_t ndofs, const double *__restrict__ r,
               double *__restrict__ zones)
{
  double *u = shared_array<double>(), *v = u + nd;
  const int64_t zone = blockIdx.x, first = zone * nd, nzones = gridDim.x;
  for (int i = (int)threadIdx.x; i < nd; i += THREADS)
    u[i] = scale[first + i] * r[blockIdx.y * ndofs + dofs[first + i]];
  for (int inner = 1; inner < nd; inner *= n) {
    __syncthreads();
    for (int i = (int)threadIdx.x; i < nd; i += THREADS) {
      const int row = i / inner % n, start = i - row * inner;
      double sum = 0.0;
      for (int l = 0; l < n; l++) sum += inverse[row * n + l] * u[start + l * inner];
      v[i] = sum;
    }
    double *swap = u;
    u = v, v = swap;
  }
  __syncthreads();
  for (int i = (int)threadIdx.x; i < nd; i += THREADS)
    zones[(blockIdx.y * nzones + zone) * nd + i] = scale[first + i] * u[i];
}

/* z_i = sum over the zones of dof i: grid (ceil(ndofs / THREADS), dim). */
__global__ void __launch_bounds__(THREADS)
  add_zones(const int *__restrict__ start, const int *__restrict__ entry, int64_t ndofs, int64_t entries,
            const double *__restrict__ zones, double *__restrict__ z)
{
  const int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
  if (i >= ndofs) return;
  double sum = 0.0;
  for (int j = start[i]; j < start[i + 1]; j++) sum += zones[blockIdx.y * entries + entry[j]];
  z[blockIdx.y * ndofs + i] = sum;
}

double *place(batched_ctx *ctx, const double *host, size_t n)
{
  double *p = static_cast<double *>(batched_allocate(ctx, sizeof(double) * (n + 1)));
  if (!p || batched_copy_from_host(ctx, p, host, n * sizeof(double)) == BATCHED_SUCCESS) return p;
  batched_release(ctx, p);
  return nullptr;
}

/* All of it with the first part: nothing is left for the second. */
int apply(batched_ctx *ctx, fem_mass *m, fem_part part, const double *r, double *z)
{
  const fem_space *s = m->space;
  const inverse_store *store = static_cast<const inverse_store *>(m->zone_inverse->store);
  const unsigned dim = (unsigned)s->dim;
  if (part == FEM_REST && !halo_alone(s->halo)) return BATCHED_SUCCESS;
  if (s->ndofs == 0) return BATCHED_SUCCESS;
  invert_zones<<<dim3((unsigned)s->nzones, dim), THREADS, 2 * sizeof(double) * (size_t)s->nd, stream_of(ctx)>>>(
    s->d1, s->nd, s->device->dofs, store->inverse, store->scale, s->ndofs, r, store->zones);
  add_zones<<<dim3((unsigned)ceil_div(s->ndofs, THREADS), dim), THREADS, 0, stream_of(ctx)>>>(
    s->device->dof_start, s->device->dof_entry, s->ndofs, (int64_t)s->nzones * s->nd, store->zones, z);
  return status_of(cudaGetLastError());
}

int setup(batched_ctx *ctx, fem_mass *m)
{
  const fem_space *s = m->space;
  const size_t nodes = (size_t)s->nzones * (size_t)s->nd;
  inverse_store *store = new (std::nothrow) inverse_store{};
  m->zone_inverse->store = store;
  if (!store) return BATCHED_NO_MEMORY;
  store->inverse = place(ctx, m->zone_inverse->inverse, (size_t)(s->d1 * s->d1));
  store->scale = place(ctx, m->zone_inverse->scale, nodes);
  store->zones = static_cast<double *>(batched_allocate(ctx, sizeof(double) * ((size_t)s->dim * nodes + 1)));
  const bool all = store->inverse && store->scale && store->zones;
  const int status = all ? setup_passes(ctx, m, &store->passes) : BATCHED_NO_MEMORY;
  return comm_worst(status) ? status : setup_inverse_matrix(ctx, m, &store->matrix);
}

void teardown(batched_ctx *ctx, fem_mass *m)
{
  inverse_store *store = static_cast<inverse_store *>(m->zone_inverse->store);
  release_passes(ctx, &store->passes);
  batched_release(ctx, store->inverse);
  batched_release(ctx, store->scale);
  batched_release(ctx, store->zones);
  solver_csr_destroy(&store->matrix);
  delete store;
  m->zone_inverse->store = nullptr;
}

void constants(const fem_mass *m, fem_constant_visit *visit, void *user)
{
  const inverse_store *store = static_cast<const inverse_store *>(m->zone_inverse->store);
  const fem_space *s = m->space;
  visit(user, "the scale of a preconditioner", store->scale, sizeof(double) * (size_t)s->nzones * (size_t)s->nd);
}

const fem_precondition_functions sumfact = {setup, apply, false, teardown, constants};

} // namespace

} // namespace fem_cuda

const batched_variant fem_cuda_precondition[] = {
  {"cuda.sumfact", nullptr, nullptr, nullptr, &fem_cuda::sumfact},
  BATCHED_LAST_ROW,
};
