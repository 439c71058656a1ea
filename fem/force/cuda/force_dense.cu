/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The ways between L-vectors and zones of rows cuda.base, cuda.batched and cuda.dense of corner_force, and their
 * tables; the rows themselves: force_base.cu, force_batched.cu, force_dense_row.cu.
 *   grid       a thread per node of a zone (gather_zones), per dof (add_zones); blocks of 256; no shared memory
 *   takes      all shapes, 1 to 3 components; double precision
 *   memory     gather_zones: reads 4 + 8 dim bytes per node of a zone, writes 8 dim; add_zones: reads 4 + 8 dim, adds
 *              to 8 dim bytes of each dof with a zone in the range
 *   accuracy   over zones in their order: the same bits in every run.  |F 1| < eps^2 of a zone counts as 0
 */
#include "fem/force/cuda/force_dense.cuh"

#include <new>

namespace fem_cuda
{

int copy_tables(batched_ctx *ctx, const fem_space *s, double *d, double *b)
{
  const int64_t nd = (int64_t)s->nq * s->dim * s->nd, nb = (int64_t)s->nq * s->nt;
  auto *host = new (std::nothrow) double[(size_t)(nd > nb ? nd : nb)];
  if (!host) return BATCHED_NO_MEMORY;
  fem_dense_gradients(s, host);
  int status = batched_copy_from_host(ctx, d, host, sizeof(double) * (size_t)nd);
  fem_dense_energies(s, host);
  if (!status) status = batched_copy_from_host(ctx, b, host, sizeof(double) * (size_t)nb);
  delete[] host;
  return status;
}

/* A thread has a node of a zone. */
static __global__ void gather(int n, int dim, int nd, int64_t ndofs, const int *__restrict__ dofs,
                              const double *__restrict__ u, double *__restrict__ out)
{
  const int64_t nodes = (int64_t)n * nd;
  for (int64_t at = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; at < nodes; at += (int64_t)gridDim.x * blockDim.x) {
    const int64_t zone = at / nd;
    const int dof = dofs[at];
    for (int c = 0; c < dim; c++) out[(zone * dim + c) * nd + at % nd] = u[c * ndofs + dof];
  }
}

int gather_zones(batched_ctx *ctx, const fem_space *s, int first, int n, const double *u, double *out)
{
  const int *dofs = s->device->dofs + (int64_t)first * s->nd;
  return launch(ctx, gather, ceil_div((int64_t)n * s->nd, 256), 256, 0, n, s->dim, s->nd, s->ndofs, dofs, u, out);
}

/* A thread has a dof. */
static __global__ void add(int first, int last, int dim, int nd, int64_t ndofs, const int *__restrict__ start,
                           const int *__restrict__ entry, const double *__restrict__ zones, double *__restrict__ u)
{
  for (int64_t dof = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; dof < ndofs;
       dof += (int64_t)gridDim.x * blockDim.x) {
    double sum[3] = {0.0, 0.0, 0.0};
    bool some = false;
    for (int j = start[dof]; j < start[dof + 1]; j++) {
      const int zone = entry[j] / nd, node = entry[j] % nd;
      if (zone < first || zone >= last) continue;
      some = true;
#pragma unroll
      for (int c = 0; c < 3; c++)
        if (c < dim) sum[c] += flush_tiny(zones[((int64_t)zone * dim + c) * nd + node]);
    }
#pragma unroll
    for (int c = 0; c < 3; c++)
      if (some && c < dim) u[c * ndofs + dof] += sum[c];
  }
}

int add_zones(batched_ctx *ctx, const fem_space *s, int first, int last, const double *zones, double *u)
{
  const fem_device_space *d = s->device;
  return launch(ctx, add, ceil_div(s->ndofs, 256), 256, 0, first, last, s->dim, s->nd, s->ndofs, d->dof_start,
                d->dof_entry, zones, u);
}

} // namespace fem_cuda
