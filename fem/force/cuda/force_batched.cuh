/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The point kernels of row cuda.batched of corner_force (force_batched.cu): adjugates, strain rates, stresses.  The
 * matrices of a warp pass through shared memory, so that global memory is accessed in whole sectors.
 *   grid       a thread per point; for the stress a warp per 4 points of 8 zones
 *   block      128 threads
 *   shared     a matrix per thread, at an odd distance: 1, 5 or 9 KB in 1D, 2D, 3D
 *   takes      1D to 3D, any rule; double precision
 *   memory     adjugates: read J, write adj(J); strain rates: read J and L, write one matrix; stresses: read J, mass,
 *              energy and a singular value, with viscosity also L, J0^-1 and an eigenpair; write one matrix.  A matrix
 *              has 8 dim^2 bytes
 *   accuracy   closed forms; the least time step is a minimum, whose order does not matter
 *
 * A chunk of n zones has n nq points, p = q n + z.  Each has dim x dim matrices, column-major and packed: element (i,
 * j) of matrix p is m[p dim^2 + j dim + i].  J and grad v are results of one product for all zones, and their columns
 * are apart: element (i, j) is m[(j n nq + p) dim + i].
 */
#ifndef FEM_CUDA_FORCE_BATCHED_CUH
#define FEM_CUDA_FORCE_BATCHED_CUH

#include "fem/force/cuda/force_dense.cuh"
#include "fem/point/point.h"

namespace fem_cuda
{

/* Arguments of the point kernels, for a chunk of zones. */
struct point_arrays {
  int first, n, nq; // zones [first, first + n)
  double *jacobian, *adjugate, *l, *eps, *sigma;
  double *eigenvalues, *singular; // [p][dim]
  double *energy;                 // [p]
  const double *mass, *initial_inverse, *gamma, *weight;
  point_constants constants;
};

static constexpr int point_threads = 128;

/* Loads and stores a warp's packed matrices, one per lane, through shared memory, so that accesses are coalesced.
 * place(lane): the number of a lane's matrix, or -1.  All lanes of the warp call. */
template <int DIM> class warp_matrices
{
public:
  static constexpr int size = DIM * DIM, slot = size | 1; // an odd distance, so that no two lanes meet in a bank

  __device__ __forceinline__ warp_matrices(double *shared)
      : lane((int)threadIdx.x % 32), tile(shared + (int)threadIdx.x / 32 * 32 * slot)
  {
  }
  template <class P> __device__ __forceinline__ void load(const double *from, double *m, P place) const
  {
    __syncwarp();
#pragma unroll
    for (int i = 0; i < size; i++) {
      const int e = lane + 32 * i;
      const int64_t p = place(e / size);
      tile[e / size * slot + e % size] = p >= 0 ? from[p * size + e % size] : 0.0;
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < size; i++) m[i] = tile[lane * slot + i];
  }
  template <class P> __device__ __forceinline__ void store(const double *m, double *to, P place) const
  {
    __syncwarp();
#pragma unroll
    for (int i = 0; i < size; i++) tile[lane * slot + i] = m[i];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < size; i++) {
      const int e = lane + 32 * i;
      const int64_t p = place(e / size);
      if (p >= 0) to[p * size + e % size] = tile[e / size * slot + e % size];
    }
  }

private:
  const int lane;
  double *tile;
};

/* Points one after another, a thread per point; past the last one, the last. */
struct point_run {
  int64_t first, last;

  __device__ __forceinline__ point_run(const point_arrays &w)
      : first((blockIdx.x * (int64_t)blockDim.x + threadIdx.x) / 32 * 32), last((int64_t)w.n * w.nq - 1)
  {
  }
  __device__ __forceinline__ int64_t mine() const
  {
    const int64_t p = first + threadIdx.x % 32;
    return p < last ? p : last;
  }
  __device__ __forceinline__ int64_t operator()(int lane) const
  {
    return first + lane <= last ? first + lane : -1;
  }
};

template <int DIM>
static __device__ __forceinline__ void load_jacobian(const point_arrays &w, int64_t p, double *row_major)
{
  const int64_t columns = (int64_t)w.n * w.nq * DIM;
#pragma unroll
  for (int j = 0; j < DIM; j++)
#pragma unroll
    for (int i = 0; i < DIM; i++) row_major[i * DIM + j] = w.jacobian[j * columns + p * DIM + i];
}

template <int DIM> static __device__ __forceinline__ void transpose(const double *a, double *out)
{
#pragma unroll
  for (int j = 0; j < DIM; j++)
#pragma unroll
    for (int i = 0; i < DIM; i++) out[j * DIM + i] = a[i * DIM + j];
}

/* Kernel 1, first part: adj(J). */
template <int DIM> static __global__ void __launch_bounds__(point_threads) adjugate_points(point_arrays w)
{
  __shared__ double tiles[point_threads * warp_matrices<DIM>::slot];
  const point_run run(w);
  double jacobian[9], adjugate[9], columns[9];
  load_jacobian<DIM>(w, run.mine(), jacobian);
  point_adjugate(DIM, jacobian, adjugate);
  transpose<DIM>(adjugate, columns);
  warp_matrices<DIM>(tiles).store(columns, w.adjugate, run);
}

/* Between kernels 4 and 1: the symmetric part of L / det, where L is grad v adj(J). */
template <int DIM> static __global__ void __launch_bounds__(point_threads) strain_points(point_arrays w)
{
  __shared__ double tiles[point_threads * warp_matrices<DIM>::slot];
  const warp_matrices<DIM> matrices(tiles);
  const point_run run(w);
  double jacobian[9], adjugate[9], l[9], eps[9];
  load_jacobian<DIM>(w, run.mine(), jacobian);
  const double inverse_det = 1.0 / point_adjugate(DIM, jacobian, adjugate);
  matrices.load(w.l, l, run);
#pragma unroll
  for (int j = 0; j < DIM; j++)
#pragma unroll
    for (int i = 0; i < DIM; i++) eps[j * DIM + i] = 0.5 * inverse_det * (l[j * DIM + i] + l[i * DIM + j]);
  matrices.store(eps, w.eps, run);
}

/* 4 points of 8 zones, the work of a warp in kernel 2: what is stored by zones, of the material, and what is stored by
 * points are then both read in pieces that lie together.  Past the last ones, the last. */
struct point_tile {
  int zone, q, n, nq;

  __device__ __forceinline__ point_tile(const point_arrays &w) : n(w.n), nq(w.nq)
  {
    const int strips = (n + 31) / 32;
    zone = (int)(blockIdx.x % strips) * 32 + (int)threadIdx.x / 32 * 8;
    q = (int)(blockIdx.x / strips) * 4;
  }
  __device__ __forceinline__ bool has(int lane) const
  {
    return zone + lane % 8 < n && q + lane / 8 < nq;
  }
  __device__ __forceinline__ int zone_of(int lane) const
  {
    return zone + lane % 8 < n ? zone + lane % 8 : n - 1;
  }
  __device__ __forceinline__ int point_of(int lane) const
  {
    return q + lane / 8 < nq ? q + lane / 8 : nq - 1;
  }
  __device__ __forceinline__ int64_t operator()(int lane) const
  {
    return has(lane) ? (int64_t)(q + lane / 8) * n + zone + lane % 8 : -1;
  }
};

/* Kernel 2: weight times sigma, and the time step; a thread per point.  eps holds the eigenvectors of the strain
 * rate. */
template <int DIM>
static __global__ void __launch_bounds__(point_threads) stress_points(point_arrays w, double *time_step)
{
  __shared__ double tiles[point_threads * warp_matrices<DIM>::slot];
  const warp_matrices<DIM> matrices(tiles);
  const point_tile tile(w);
  const int lane = (int)threadIdx.x % 32, zone = w.first + tile.zone_of(lane), q = tile.point_of(lane);
  const int64_t p = (int64_t)q * w.n + tile.zone_of(lane), at = (int64_t)zone * w.nq + q;
  const point_constants &k = w.constants;
  point_input in;
  double adjugate[9], density, pressure, sound, eta = 0.0, sigma[9];
  in.mass = w.mass[at];
  in.weight = w.weight[q];
  in.energy = w.energy[p];
  in.gamma = w.gamma[zone];
  load_jacobian<DIM>(w, p, in.jacobian);
  const double det = point_adjugate(DIM, in.jacobian, adjugate);
  point_gas(&in, in.weight * det, &density, &pressure, &sound);
#pragma unroll
  for (int i = 0; i < DIM * DIM; i++) sigma[i] = 0.0;
  if (k.viscosity) {
    const double inverse_det = 1.0 / det;
    double columns[9], l[9], s[3];
    matrices.load(w.l, columns, tile);
    transpose<DIM>(columns, l);
    matrices.load(w.initial_inverse, in.initial_inverse, [&](int other) {
      return tile.has(other) ? (int64_t)(w.first + tile.zone_of(other)) * w.nq + tile.point_of(other) : -1;
    });
#pragma unroll
    for (int i = 0; i < DIM; i++) s[i] = w.eps[p * DIM * DIM + i];
#pragma unroll
    for (int i = 0; i < DIM * DIM; i++) l[i] *= inverse_det;
    eta = point_viscosity(DIM, &k, &in, l, w.eigenvalues[p * DIM], s, density, sound);
#pragma unroll
    for (int j = 0; j < DIM; j++)
#pragma unroll
      for (int i = 0; i < DIM; i++) sigma[j * DIM + i] = 0.5 * eta * (l[i * DIM + j] + l[j * DIM + i]);
  }
#pragma unroll
  for (int j = 0; j < DIM; j++)
#pragma unroll
    for (int i = 0; i < DIM; i++) sigma[j * DIM + i] = in.weight * (sigma[j * DIM + i] - (i == j ? pressure : 0.0));
  matrices.store(sigma, w.sigma, tile);
  lower(time_step, point_time_step(&k, det, w.singular[p * DIM + DIM - 1], density, sound, eta));
}

static inline int64_t stress_blocks(const point_arrays &w)
{
  return ceil_div(w.n, 32) * ceil_div(w.nq, 4);
}

} // namespace fem_cuda

#endif
