/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernel of row cuda.twisted of bdsdc: twisted.cuh has the contract.  Takes matrices whose elements are of one size,
 * 2^-26 times the largest at least; the others go through divide and conquer.
 */
#ifndef BATCHED_TRIDIAGONAL_CUDA_BDSDC_TWISTED_CUH
#define BATCHED_TRIDIAGONAL_CUDA_BDSDC_TWISTED_CUH

#include "batched/cuda/fast_math.cuh"
#include "batched/tridiagonal/cuda/bdsqr_bisection.cuh"
#include "batched/tridiagonal/cuda/twisted.cuh"

namespace batched_cuda::tridiagonal
{

/* B, upper bidiagonal, in shared memory. */
struct twisted_bidiagonal {
  int n;
  const double *d, *e;

  static __device__ __forceinline__ double inverse_pivot(double p)
  {
    return inverse_of(fabs(p) < 0x1p-300 ? 0x1p-300 : p);
  }

  /* v and u, in places of `ld`, = the vectors of singular value x, of norm 1; returns the residual. */
  __device__ double vectors(double x, double *v, double *u, int ld) const
  {
    const double x2 = x * x;
    double t = fma(d[n - 1], d[n - 1], -x2);
#pragma unroll 4
    for (int i = n - 2; i >= 0; i--) {
      const double inverse = inverse_pivot(fma(e[i], e[i], t)), w = t * inverse;
      v[(i + 1) * ld] = d[i] * e[i] * inverse;
      u[i * ld] = w;
      t = fma(d[i] * d[i], w, -x2);
    }
    double least = INFINITY;
    int twist = 0;
    t = -x2;
#pragma unroll 4
    for (int i = 0; i < n - 1; i++) {
      const double gamma = fabs(fma(d[i] * d[i], u[i * ld], t));
      if (gamma < least) least = gamma, twist = i;
      t = fma(e[i] * e[i], t * inverse_pivot(fma(d[i], d[i], t)), -x2);
    }
    const double last = fabs(fma(d[n - 1], d[n - 1], t));
    if (last < least) least = last, twist = n - 1;
    t = -x2;
#pragma unroll 4
    for (int i = 0; i < twist; i++) {
      const double inverse = inverse_pivot(fma(d[i], d[i], t)), w = t * inverse;
      v[i * ld] = d[i] * e[i] * inverse;
      u[i * ld] = w;
      t = fma(e[i] * e[i], w, -x2);
    }
    double y = 1, of_v = 1, of_u = 0, next_v = 0, next_u = 0; /* the next ones are read before others are written */
    if (twist > 0) next_v = v[(twist - 1) * ld], next_u = u[(twist - 1) * ld];
    for (int i = twist - 1; i >= 0; i--) {
      const double w = y * e[i] * next_u;
      y *= -next_v;
      if (i > 0) next_v = v[(i - 1) * ld], next_u = u[(i - 1) * ld];
      v[i * ld] = y;
      u[i * ld] = w;
      of_v = fma(y, y, of_v);
      of_u = fma(w, w, of_u);
    }
    y = 1;
    if (twist < n - 1) next_v = v[(twist + 1) * ld], next_u = u[twist * ld];
    v[twist * ld] = 1;
    for (int i = twist; i < n - 1; i++) {
      const double w = y * d[i] * next_u;
      y *= -next_v;
      if (i < n - 2) next_v = v[(i + 2) * ld], next_u = u[(i + 1) * ld];
      u[i * ld] = w;
      v[(i + 1) * ld] = y;
      of_v = fma(y, y, of_v);
      of_u = fma(w, w, of_u);
    }
    y *= d[n - 1];
    u[(n - 1) * ld] = y;
    of_u = fma(y, y, of_u);
    const double scale_v = 1 / sqrt(of_v), scale_u = 1 / sqrt(of_u);
#pragma unroll 4
    for (int i = 0; i < n; i++) {
      v[i * ld] *= scale_v;
      u[i * ld] *= scale_u;
    }
    return least * scale_v / x;
  }
};

/* Order 8 BLOCKS at most.  `unit`: the largest element is near it.  c.d, c.v and l.v become values, V and U of a matrix
 * whose order is then 0, as nothing is left to do; of the others c.v and l.v become 0. */
template <class R, int BLOCKS>
__global__ void __launch_bounds__(8 * BLOCKS) bdsdc_twisted(conquest<R> c, R *left, R unit)
{
  __shared__ evaluated points[8 * BLOCKS];
  __shared__ double2 rows[8 * BLOCKS];
  __shared__ double d[8 * BLOCKS], e[8 * BLOCKS];
  double *const z = shared_array<double>();
  const int t = threadIdx.x;
  for (int64_t b = blockIdx.x; b < c.count; b += gridDim.x) {
    const twisted_shape shape(c.orders[b]);
    const int n = shape.n;
    if (n == 0) continue;
    double *const z_left = z + shape.elements();
    bool good = true;
    if (t < n) {
      d[t] = (double)c.d[b * c.n + t] / unit;
      e[t] = t < n - 1 ? (double)c.e[b * c.n + t] / unit : 0.0;
      rows[t] = {d[t] * d[t], e[t] * e[t]};
      good = fabs(d[t]) >= LEAST_ELEMENT && (t == n - 1 || fabs(e[t]) >= LEAST_ELEMENT);
    }
    R *const v = c.matrix(c.v, b), *const u = c.matrix(left, b);
    double value = 0;
    good = __syncthreads_and(good);
    if (good) {
      const squares s = {n, rows, 0x1p968};
      points[t] = s.at(squares::point(t, 8 * BLOCKS));
      __syncthreads();
      if (t < n) value = ldexp(s.isolate(t, 2, points, 8 * BLOCKS), -LARGEST_EXPONENT);
      good = t >= n || twisted_bidiagonal{n, d, e}.vectors(value, z + t, z_left + t, shape.ld) <=
                         most_residual * n * eps_of<double>;
      pad(shape, z);
      pad(shape, z_left);
      __syncthreads();
      good = orthonormalise<BLOCKS>(shape, z, [&](int i, int j, double y) { v[i + (int64_t)j * c.n] = R(y); }) && good;
      good =
        orthonormalise<BLOCKS>(shape, z_left, [&](int i, int j, double y) { u[i + (int64_t)j * c.n] = R(y); }) && good;
      good = __syncthreads_and(good);
    }
    if (!good) {
      clear_matrix(c, v);
      clear_matrix(c, u);
      __syncthreads();
      continue;
    }
    if (t < n) c.d[b * c.n + t] = R(value) * unit;
    if (t == 0) c.orders[b] = 0;
  }
}

static inline size_t bdsdc_twisted_bytes(int n)
{
  return 2 * (size_t)twisted_shape(n).elements() * sizeof(double);
}

/* Those of them whose vectors are found. */
template <class R> int find_twisted(batched_ctx *ctx, const conquest<R> &c, R *left, R unit)
{
  auto *const kernel = c.n <= 64 ? bdsdc_twisted<R, 8> : bdsdc_twisted<R, 16>;
  return launch(ctx, kernel, c.count, c.n <= 64 ? 64 : 128, bdsdc_twisted_bytes(c.n), c, left, unit);
}

} // namespace batched_cuda::tridiagonal

#endif
