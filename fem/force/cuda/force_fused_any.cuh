/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The contractions of force_fused_any.cu, by a block: a zone's fields from nodes to a plane of points, its rows and its
 * points, and back.
 */
#ifndef FEM_CUDA_FORCE_FUSED_ANY_CUH
#define FEM_CUDA_FORCE_FUSED_ANY_CUH

#include "fem/force/cuda/force_fused.cuh"

namespace fem_cuda
{

/* The space, for kernels. */
struct any_space {
  int d[3], t[3], q[3], nd, nt, nq, nzones;
  int64_t ndofs;
  const int *dofs;
  const double *b, *g, *bt, *weight;
};

/* Basis functions and their slopes in direction g at point q. */
template <int DIM> static __device__ double basis(const any_space &s, int g, int q, int i)
{
  return g < DIM ? s.b[q * s.d[0] + i] : 1.0;
}
template <int DIM> static __device__ double slope(const any_space &s, int g, int q, int i)
{
  return g < DIM ? s.g[q * s.d[0] + i] : 0.0;
}
template <int DIM> static __device__ double bernstein(const any_space &s, int g, int q, int i)
{
  return g < DIM ? s.bt[q * s.t[0] + i] : 1.0;
}

#define FOR_EACH(i, n) for (int i = threadIdx.x; i < (n); i += blockDim.x)

/* nodes [fields][nd] -> planes [fields][2][d][d] at plane z of points: values, slopes along z */
template <int DIM>
static __device__ void any_to_planes(const any_space &s, int nfields, int z, const double *nodes, double *planes)
{
  const int n = s.d[0] * s.d[1];
  FOR_EACH(i, nfields * n)
  {
    const double *u = nodes + i / n * s.nd + i % n;
    double value = 0.0, sloping = 0.0;
    for (int k = 0; k < s.d[2]; k++) {
      value += basis<DIM>(s, 2, z, k) * u[k * n];
      sloping += slope<DIM>(s, 2, z, k) * u[k * n];
    }
    planes[i / n * 2 * n + i % n] = value;
    planes[(i / n * 2 + 1) * n + i % n] = sloping;
  }
}

/* -> rows [fields][q][3][d]: what is left to be contracted along x, with the slopes for the first of 3 */
template <int DIM>
static __device__ void any_to_rows(const any_space &s, int nfields, const double *planes, double *rows)
{
  const int d = s.d[0], n = d * s.d[1];
  FOR_EACH(i, nfields * s.q[1] * d)
  {
    const int field = i / (s.q[1] * d), q = i / d % s.q[1], x = i % d;
    const double *u = planes + field * 2 * n + x;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int y = 0; y < s.d[1]; y++) {
      sum[0] += basis<DIM>(s, 1, q, y) * u[y * d];
      sum[1] += slope<DIM>(s, 1, q, y) * u[y * d];
      sum[2] += basis<DIM>(s, 1, q, y) * u[n + y * d];
    }
    for (int g = 0; g < 3; g++) rows[((field * s.q[1] + q) * 3 + g) * d + x] = sum[g];
  }
}

/* -> out [FIELDS][DIM]: the reference gradients at point (x, y) of the plane */
template <int DIM, int FIELDS>
static __device__ void any_to_point(const any_space &s, int x, int y, const double *rows, double *out)
{
  const int d = s.d[0];
#pragma unroll
  for (int i = 0; i < FIELDS * DIM; i++) out[i] = 0.0;
  for (int k = 0; k < d; k++)
#pragma unroll
    for (int f = 0; f < FIELDS; f++)
#pragma unroll
      for (int g = 0; g < DIM; g++)
        out[f * DIM + g] += (g == 0 ? s.g : s.b)[x * d + k] * rows[((f * s.q[1] + y) * 3 + g) * d + k];
}

/* The energy: coefficients -> planes [t][t] -> rows [q][t] -> a point */
template <int DIM>
static __device__ void any_energy_to_planes(const any_space &s, int z, const double *e, double *planes)
{
  const int n = s.t[0] * s.t[1];
  FOR_EACH(i, n)
  {
    double sum = 0.0;
    for (int k = 0; k < s.t[2]; k++) sum += bernstein<DIM>(s, 2, z, k) * e[k * n + i];
    planes[i] = sum;
  }
}

template <int DIM> static __device__ void any_energy_to_rows(const any_space &s, const double *planes, double *rows)
{
  const int t = s.t[0];
  FOR_EACH(i, s.q[1] * t)
  {
    double sum = 0.0;
    for (int k = 0; k < s.t[1]; k++) sum += bernstein<DIM>(s, 1, i / t, k) * planes[k * t + i % t];
    rows[i] = sum;
  }
}

template <int DIM>
static __device__ void any_gather(const any_space &s, const double *const *fields, int nfields, double *nodes)
{
  FOR_EACH(i, nfields * s.nd)
  {
    const int f = i / s.nd, dof = s.dofs[(int64_t)blockIdx.x * s.nd + i % s.nd];
    nodes[i] = fields[f / DIM][f % DIM * s.ndofs + dof];
  }
}

/* -> planes [DIM][2][d][d] */
template <int DIM> static __device__ void any_from_rows(const any_space &s, const double *rows, double *planes)
{
  const int d = s.d[0], n = d * s.d[1];
  FOR_EACH(i, DIM * n)
  {
    const int x = i % d, y = i % n / d, c = i / n;
    double value = 0.0, sloping = 0.0;
    for (int q = 0; q < s.q[1]; q++) {
      const double *from = rows + (c * s.q[1] + q) * 3 * d + x;
      value += basis<DIM>(s, 1, q, y) * from[0];
      if (DIM >= 2) value += slope<DIM>(s, 1, q, y) * from[d];
      if (DIM == 3) sloping += basis<DIM>(s, 1, q, y) * from[2 * d];
    }
    planes[c * 2 * n + i % n] = value;
    planes[(c * 2 + 1) * n + i % n] = sloping;
  }
}

/* added to force [DIM][nd] */
template <int DIM>
static __device__ void any_from_planes(const any_space &s, int z, const double *planes, double *force)
{
  const int n = s.d[0] * s.d[1];
  FOR_EACH(i, DIM * s.nd)
  {
    const int c = i / s.nd, k = i % s.nd / n, node = i % n;
    const double *from = planes + c * 2 * n + node;
    force[i] += basis<DIM>(s, 2, z, k) * from[0] + slope<DIM>(s, 2, z, k) * from[n];
  }
}

} // namespace fem_cuda

#endif
