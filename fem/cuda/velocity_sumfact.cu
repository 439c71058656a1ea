/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda.sumfact: y = M_v x without a matrix, all components side by side.
 */
#include <cstdlib>
#include <new>

#include "solvers/cuda/sums.cuh"
#include "velocity_sumfact.cuh"

namespace fem_cuda
{

using solvers_cuda::sum_block;

/* ------------------------------------------------------------------ the gather */

constexpr int GATHER_THREADS = 256;
constexpr int GATHER_BLOCKS = 528; /* at most: see MOST_BLOCKS of solvers/cuda/pcg.cu */

/* y_i = sum of the slots of dof i; DOTS: constrained, and the dot products of the block, part `first_part` + block. */
template <bool DOTS>
static __global__ void __launch_bounds__(GATHER_THREADS)
  gather(gather_list list, int64_t nslots, int64_t ndofs, const double *__restrict__ slots, double *__restrict__ y,
         dot_arguments a, int first_part)
{
  const int c = blockIdx.y;
  const int64_t offset = c * ndofs;
  double sums[SOLVER_DOTS] = {};
  for (int64_t i = blockIdx.x * (int64_t)GATHER_THREADS + threadIdx.x; i < list.count;
       i += (int64_t)GATHER_THREADS * gridDim.x) {
    const int dof = list.target[i];
    double sum = 0.0;
    for (int j = list.start[i]; j < list.start[i + 1]; j++) sum += slots[c * nslots + list.slot[j]];
    if (DOTS) {
      if (a.essential[dof] >> c & 1) sum = 0.0;
      const double d = a.inverse_diagonal[dof], p = a.p[offset + dof], z = d * a.r[offset + dof];
      sums[SOLVER_PW] += p * sum;
      sums[SOLVER_RZ] += a.r[offset + dof] * z;
      sums[SOLVER_WZ] += sum * z;
      sums[SOLVER_WW] += sum * d * sum;
    }
    y[offset + dof] = sum;
  }
  if (!DOTS) return;
  __shared__ double shared[32 * SOLVER_DOTS];
  const double sum = sum_block(sums, shared);
  const int k = (int)threadIdx.x;
  if (k < SOLVER_DOTS) a.dots[((int64_t)c * SOLVER_DOTS + k) * a.parts + first_part + blockIdx.x] = sum;
}

static int gather_blocks(const gather_list &list)
{
  const int64_t most = ceil_div(list.count, GATHER_THREADS);
  return most < 1 ? 1 : most < GATHER_BLOCKS ? (int)most : GATHER_BLOCKS;
}

/* ------------------------------------------------------------------ any shape */

constexpr int ANY_THREADS = 128;

/* Nodes and points a direction; 1 beyond dim, where the basis is 1. */
struct any_shape {
  int n[3], q[3];
};

/* One zone and component a block; slots are zone * nd + node.  Plane of points by plane, so that any rule fits. */
static __global__ void __launch_bounds__(ANY_THREADS)
  any_product(any_shape s, int first_zone, const int *dofs, const double *basis, const double *density, int64_t ndofs,
              int64_t nslots, const double *x, double *slots)
{
  const int nx = s.n[0], ny = s.n[1], nz = s.n[2], qx = s.q[0], qy = s.q[1], qz = s.q[2], plane = nx * ny;
  double *u = shared_array<double>(), *y = u + plane * nz, *uz = y + plane * nz, *yz = uz + plane, *row = yz + plane,
         *points = row + qy * nx;
  const int64_t zone = first_zone + (int64_t)blockIdx.x, c = blockIdx.y;
  const int t = (int)threadIdx.x;
  for (int i = t; i < plane * nz; i += ANY_THREADS) {
    u[i] = x[c * ndofs + dofs[zone * plane * nz + i]];
    y[i] = 0.0;
  }
  for (int k = 0; k < qz; k++) {
    const double *bz = basis + k * nz;
    const double *d = density + (zone * qz + k) * qy * qx;
    __syncthreads();
    for (int i = t; i < plane; i += ANY_THREADS) {
      double sum = 0.0;
      for (int l = 0; l < nz; l++) sum += (nz > 1 ? bz[l] : 1.0) * u[l * plane + i];
      uz[i] = sum;
    }
    __syncthreads();
    for (int i = t; i < qy * nx; i += ANY_THREADS) {
      double sum = 0.0;
      for (int l = 0; l < ny; l++) sum += (ny > 1 ? basis[i / nx * ny + l] : 1.0) * uz[l * nx + i % nx];
      row[i] = sum;
    }
    __syncthreads();
    for (int i = t; i < qy * qx; i += ANY_THREADS) {
      double sum = 0.0;
      for (int l = 0; l < nx; l++) sum += basis[i % qx * nx + l] * row[i / qx * nx + l];
      points[i] = sum * d[i];
    }
    __syncthreads();
    for (int i = t; i < qy * nx; i += ANY_THREADS) {
      double sum = 0.0;
      for (int q = 0; q < qx; q++) sum += basis[q * nx + i % nx] * points[i / nx * qx + q];
      row[i] = sum;
    }
    __syncthreads();
    for (int i = t; i < plane; i += ANY_THREADS) {
      double sum = 0.0;
      for (int q = 0; q < qy; q++) sum += (ny > 1 ? basis[q * ny + i / nx] : 1.0) * row[q * nx + i % nx];
      yz[i] = sum;
    }
    __syncthreads();
    for (int i = t; i < plane * nz; i += ANY_THREADS) y[i] += (nz > 1 ? bz[i / plane] : 1.0) * yz[i % plane];
  }
  for (int i = t; i < plane * nz; i += ANY_THREADS) slots[c * nslots + zone * plane * nz + i] = y[i];
}

static int launch_any(batched_ctx *ctx, const fem_mass *m, const sumfact_store *store, int first, int last,
                      const double *x)
{
  const fem_space *s = m->space;
  any_shape shape = {{1, 1, 1}, {1, 1, 1}};
  for (int d = 0; d < s->dim; d++) shape.n[d] = s->d1, shape.q[d] = s->q1;
  const int plane = shape.n[0] * shape.n[1];
  const size_t shared = sizeof(double) * (size_t)(2 * s->nd + 2 * plane + shape.q[1] * (shape.n[0] + shape.q[0]));
  if (last <= first) return BATCHED_SUCCESS;
  if (shared > 48 * 1024) {
    int status = status_of(cudaFuncSetAttribute(any_product, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    if (status) return status;
  }
  any_product<<<dim3((unsigned)(last - first), (unsigned)s->dim), ANY_THREADS, shared, stream_of(ctx)>>>(
    shape, first, s->device->dofs, s->device->b, m->material->device->density, s->ndofs, store->nslots, x,
    store->slots);
  return status_of(cudaGetLastError());
}

/* ------------------------------------------------------------------ the product */

static int product(batched_ctx *ctx, fem_mass *m, velocity_part part, const double *x, double *y)
{
  const fem_space *s = m->space;
  const sumfact_store *store = static_cast<const sumfact_store *>(m->store);
  const int split = fem_first_zones(s);
  const gather_list &list = store->lists[part];
  int status =
    launch_any(ctx, m, store, part == VELOCITY_SHARED ? 0 : split, part == VELOCITY_SHARED ? split : s->nzones, x);
  if (status || list.count == 0) return status;
  gather<false><<<dim3((unsigned)gather_blocks(list), (unsigned)s->dim), GATHER_THREADS, 0, stream_of(ctx)>>>(
    list, store->nslots, s->ndofs, store->slots, y, dot_arguments{}, 0);
  return status_of(cudaGetLastError());
}

static int parts(const fem_mass *m)
{
  return gather_blocks(static_cast<const sumfact_store *>(m->store)->lists[VELOCITY_REST]);
}

static int product_dots(batched_ctx *ctx, fem_mass *m, const double *r, const double *p, double *y, double *dots)
{
  const fem_space *s = m->space;
  const sumfact_store *store = static_cast<const sumfact_store *>(m->store);
  const gather_list &list = store->lists[VELOCITY_REST];
  const dot_arguments a = {r, p, m->inverse_diagonal, store->essential, dots, parts(m)};
  int status = launch_any(ctx, m, store, 0, s->nzones, p);
  if (status) return status;
  gather<true><<<dim3((unsigned)gather_blocks(list), (unsigned)s->dim), GATHER_THREADS, 0, stream_of(ctx)>>>(
    list, store->nslots, s->ndofs, store->slots, y, a, 0);
  return status_of(cudaGetLastError());
}

/* ------------------------------------------------------------------ set-up */

/* A copy in the context's memory, never NULL unless memory is out. */
template <class T> static T *place(batched_ctx *ctx, const T *host, size_t n)
{
  void *p = batched_allocate(ctx, n ? n * sizeof(T) : 1);
  if (!p || batched_copy_from_host(ctx, p, host, n * sizeof(T)) == BATCHED_SUCCESS) return static_cast<T *>(p);
  batched_release(ctx, p);
  return nullptr;
}

/* The dofs that other ranks share, or the rest, with their slots in order; slot j belongs to dof[j]. */
static bool make_list(batched_ctx *ctx, const fem_space *s, bool shared, int nslots, const int *dof, gather_list *list)
{
  const size_t n = (size_t)s->ndofs;
  int *index = static_cast<int *>(calloc(n + 1, sizeof(int))); /* of a dof in the list, or -1 */
  int *target = static_cast<int *>(malloc((n + 1) * sizeof(int)));
  int *start = static_cast<int *>(calloc(n + 2, sizeof(int)));
  int *slot = static_cast<int *>(malloc(((size_t)nslots + 1) * sizeof(int)));
  bool ok = index && target && start && slot;
  if (ok) {
    const int *with_others;
    const int nshared = halo_shared(s->halo, &with_others);
    for (int i = 0; i < nshared; i++) index[with_others[i]] = 1;
    for (int i = 0; i < s->ndofs; i++) {
      const bool in = (index[i] == 1) == shared;
      index[i] = in ? list->count : -1;
      if (in) target[list->count++] = i;
    }
    for (int j = 0; j < nslots; j++)
      if (index[dof[j]] >= 0) start[index[dof[j]] + 2]++;
    for (int i = 0; i < list->count; i++) start[i + 2] += start[i + 1];
    for (int j = 0; j < nslots; j++)
      if (index[dof[j]] >= 0) slot[start[index[dof[j]] + 1]++] = j;
    list->target = place(ctx, target, (size_t)list->count);
    list->start = place(ctx, start, (size_t)list->count + 1);
    list->slot = place(ctx, slot, (size_t)start[list->count]);
    ok = list->target && list->start && list->slot;
  }
  free(index);
  free(target);
  free(start);
  free(slot);
  return ok;
}

static void teardown(batched_ctx *ctx, fem_mass *m)
{
  sumfact_store *store = static_cast<sumfact_store *>(m->store);
  batched_release(ctx, store->slots);
  batched_release(ctx, store->essential);
  for (gather_list &list : store->lists) {
    batched_release(ctx, list.target);
    batched_release(ctx, list.start);
    batched_release(ctx, list.slot);
  }
  delete store;
  m->store = nullptr;
}

static int setup(batched_ctx *ctx, fem_mass *m)
{
  const fem_space *s = m->space;
  sumfact_store *store = new (std::nothrow) sumfact_store{};
  if (!store) return BATCHED_NO_MEMORY;
  m->store = store;
  store->nslots = s->nzones * s->nd;
  store->slots =
    static_cast<double *>(batched_allocate(ctx, sizeof(double) * ((size_t)s->dim * (size_t)store->nslots + 1)));
  store->essential = place(ctx, s->essential, (size_t)s->ndofs);
  bool ok = store->slots && store->essential;
  for (int part = 0; part < 2 && ok; part++)
    ok = make_list(ctx, s, part == VELOCITY_SHARED, store->nslots, s->dofs, &store->lists[part]);
  if (ok) return BATCHED_SUCCESS;
  teardown(ctx, m);
  return BATCHED_NO_MEMORY;
}

static constexpr velocity_variant sumfact = {setup, teardown, product, product_dots, parts};

} // namespace fem_cuda

int fem_cuda_velocity_sumfact(batched_ctx *ctx, const void *args)
{
  return fem_cuda::velocity_run(ctx, static_cast<const fem_mass_args *>(args), fem_cuda::sumfact);
}
