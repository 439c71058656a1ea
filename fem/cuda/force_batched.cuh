/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernels of the points of force_batched.cu.  A chunk of n zones has n nq points, point q of zone z being p = q n + z.  Each has
 * dim x dim matrices, column-major and packed: element (i, j) of matrix p is m[p dim^2 + j dim + i].  J and grad v come out of one
 * product for all zones and have their columns apart: element (i, j) is m[(j n nq + p) dim + i].
 */
#ifndef FEM_CUDA_FORCE_BATCHED_CUH
#define FEM_CUDA_FORCE_BATCHED_CUH

#include "force_dense.cuh"
#include "../point.h"

namespace fem_cuda
{

/* A chunk's points as the kernels see them. */
struct point_arrays {
  int first, n, nq; // zones [first, first + n)
  double *jacobian, *adjugate, *l, *eps, *sigma;
  double *eigenvalues, *singular; // [p][dim]
  double *energy;                 // [p]
  const double *mass, *initial_inverse, *gamma, *weight;
  point_constants constants;
};

static constexpr int point_threads = 128;

template <int DIM>
static __device__ __forceinline__ void load_jacobian(const point_arrays &w, int64_t p, double *row_major)
{
  const int64_t columns = (int64_t)w.n * w.nq * DIM;
#pragma unroll
  for (int j = 0; j < DIM; j++)
#pragma unroll
    for (int i = 0; i < DIM; i++) row_major[i * DIM + j] = w.jacobian[j * columns + p * DIM + i];
}

/* Kernel 1, first part: adj(J). */
template <int DIM> static __global__ void __launch_bounds__(point_threads) adjugate_points(point_arrays w)
{
  const int64_t p = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (p >= (int64_t)w.n * w.nq) return;
  double jacobian[9], adjugate[9];
  load_jacobian<DIM>(w, p, jacobian);
  point_adjugate(DIM, jacobian, adjugate);
#pragma unroll
  for (int j = 0; j < DIM; j++)
#pragma unroll
    for (int i = 0; i < DIM; i++) w.adjugate[p * DIM * DIM + j * DIM + i] = adjugate[i * DIM + j];
}

/* Between kernels 4 and 1: the symmetric part of L / det, where L is grad v adj(J). */
template <int DIM> static __global__ void __launch_bounds__(point_threads) strain_points(point_arrays w)
{
  const int64_t p = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (p >= (int64_t)w.n * w.nq) return;
  double jacobian[9], adjugate[9];
  load_jacobian<DIM>(w, p, jacobian);
  const double inverse_det = 1.0 / point_adjugate(DIM, jacobian, adjugate);
  const double *l = w.l + p * DIM * DIM;
#pragma unroll
  for (int j = 0; j < DIM; j++)
#pragma unroll
    for (int i = 0; i < DIM; i++)
      w.eps[p * DIM * DIM + j * DIM + i] = 0.5 * inverse_det * (l[j * DIM + i] + l[i * DIM + j]);
}

/* Kernel 2 at one point: sigma times weight; returns the time step.  eps holds the eigenvectors now. */
template <int DIM> static __device__ __forceinline__ double stress_at(const point_arrays &w, int64_t p, int zone, int q)
{
  constexpr int DD = DIM * DIM;
  const int64_t at = (int64_t)(w.first + zone) * w.nq + q;
  const point_constants &k = w.constants;
  point_input in;
  double adjugate[9], density, pressure, sound, eta = 0.0, l[9], s[3];
  in.mass = w.mass[at];
  in.weight = w.weight[q];
  in.energy = w.energy[p];
  in.gamma = w.gamma[w.first + zone];
  load_jacobian<DIM>(w, p, in.jacobian);
  const double det = point_adjugate(DIM, in.jacobian, adjugate);
  point_gas(&in, in.weight * det, &density, &pressure, &sound);
  if (k.viscosity) {
    const double inverse_det = 1.0 / det;
#pragma unroll
    for (int i = 0; i < DD; i++) {
      in.initial_inverse[i] = w.initial_inverse[at * DD + i];
      l[i] = inverse_det * w.l[p * DD + i % DIM * DIM + i / DIM];
    }
#pragma unroll
    for (int i = 0; i < DIM; i++) s[i] = w.eps[p * DD + i];
    eta = point_viscosity(DIM, &k, &in, l, w.eigenvalues[p * DIM], s, density, sound);
  }
#pragma unroll
  for (int j = 0; j < DIM; j++)
#pragma unroll
    for (int i = 0; i < DIM; i++) {
      double sigma = i == j ? -pressure : 0.0;
      if (k.viscosity) sigma += 0.5 * eta * (l[i * DIM + j] + l[j * DIM + i]);
      w.sigma[p * DD + j * DIM + i] = in.weight * sigma;
    }
  return point_time_step(&k, det, w.singular[p * DIM + DIM - 1], density, sound, eta);
}

/* Kernel 2.  A warp has 4 points of 8 zones: what is stored by zones (of the material) and what is stored by points is then
 * read in pieces of 32 bytes and more. */
template <int DIM>
static __global__ void __launch_bounds__(point_threads) stress_points(point_arrays w, double *time_step)
{
  const int zone_tiles = (w.n + 31) / 32, tile = (int)(blockIdx.x / zone_tiles), lane = (int)threadIdx.x;
  const int q = tile * 4 + lane % 4, zone = (int)(blockIdx.x % zone_tiles) * 32 + lane / 4;
  double step = INFINITY;
  if (q < w.nq && zone < w.n) step = stress_at<DIM>(w, (int64_t)q * w.n + zone, zone, q);
  lower(time_step, step);
}

static inline int64_t stress_blocks(const point_arrays &w)
{
  return ceil_div(w.n, 32) * ceil_div(w.nq, 4);
}

} // namespace fem_cuda

#endif
