/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.sumfact of velocity_mass for shapes that are not compiled: y = M_v x by sum factorisation, sizes at run
 * time.
 *   grid       a block per zone and component
 *   block      128 threads, a thread for each sum
 *   shared     8 (2 nd + 2 d^2 + q d + q^2) bytes for d nodes and q points per direction in 3D: a zone's x and y, and
 *              the fields of one plane of points
 *   takes      lines, quads and hexes whose zone fits into shared memory; double precision
 *   memory     reads per zone and component x at the nodes (8 nd bytes), their numbers (4 nd), the density at the
 *              points (8 nq); writes 8 nd to slots, which gather in velocity_sumfact.cu adds up
 *   accuracy   each sum by one thread, in order: the same bits in every run
 */
#include "fem/mass/cuda/velocity_sumfact.cuh"

namespace fem_cuda
{

constexpr int THREADS = 128;

/* Nodes and points a direction; 1 beyond dim, where the basis is 1. */
struct any_shape {
  int n[3], q[3];
};

/* Slots are zone * nd + node.  Plane of points by plane, so that any rule fits. */
static __global__ void __launch_bounds__(THREADS)
  any_product(any_shape s, int first_zone, const int *dofs, const double *basis, const double *density, int64_t ndofs,
              int64_t nslots, const double *x, double *slots)
{
  const int nx = s.n[0], ny = s.n[1], nz = s.n[2], qx = s.q[0], qy = s.q[1], qz = s.q[2], plane = nx * ny;
  double *u = shared_array<double>(), *y = u + plane * nz, *uz = y + plane * nz, *yz = uz + plane, *row = yz + plane,
         *points = row + qy * nx;
  const int64_t zone = first_zone + (int64_t)blockIdx.x, c = blockIdx.y;
  const int t = (int)threadIdx.x;
  for (int i = t; i < plane * nz; i += THREADS) {
    u[i] = x[c * ndofs + dofs[zone * plane * nz + i]];
    y[i] = 0.0;
  }
  for (int k = 0; k < qz; k++) {
    const double *bz = basis + k * nz;
    const double *d = density + (zone * qz + k) * qy * qx;
    __syncthreads();
    for (int i = t; i < plane; i += THREADS) {
      double sum = 0.0;
      for (int l = 0; l < nz; l++) sum += (nz > 1 ? bz[l] : 1.0) * u[l * plane + i];
      uz[i] = sum;
    }
    __syncthreads();
    for (int i = t; i < qy * nx; i += THREADS) {
      double sum = 0.0;
      for (int l = 0; l < ny; l++) sum += (ny > 1 ? basis[i / nx * ny + l] : 1.0) * uz[l * nx + i % nx];
      row[i] = sum;
    }
    __syncthreads();
    for (int i = t; i < qy * qx; i += THREADS) {
      double sum = 0.0;
      for (int l = 0; l < nx; l++) sum += basis[i % qx * nx + l] * row[i / qx * nx + l];
      points[i] = sum * d[i];
    }
    __syncthreads();
    for (int i = t; i < qy * nx; i += THREADS) {
      double sum = 0.0;
      for (int q = 0; q < qx; q++) sum += basis[q * nx + i % nx] * points[i / nx * qx + q];
      row[i] = sum;
    }
    __syncthreads();
    for (int i = t; i < plane; i += THREADS) {
      double sum = 0.0;
      for (int q = 0; q < qy; q++) sum += (ny > 1 ? basis[q * ny + i / nx] : 1.0) * row[q * nx + i % nx];
      yz[i] = sum;
    }
    __syncthreads();
    for (int i = t; i < plane * nz; i += THREADS) y[i] += (nz > 1 ? bz[i / plane] : 1.0) * yz[i % plane];
  }
  for (int i = t; i < plane * nz; i += THREADS) slots[c * nslots + zone * plane * nz + i] = y[i];
}

int launch_any(batched_ctx *ctx, const fem_mass *m, const sumfact_store *store, int first, int last, const double *x)
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
  any_product<<<dim3((unsigned)(last - first), (unsigned)s->dim), THREADS, shared, stream_of(ctx)>>>(
    shape, first, s->device->dofs, s->device->b, m->material->device->density, s->ndofs, store->nslots, x,
    store->slots);
  return status_of(cudaGetLastError());
}

} // namespace fem_cuda
