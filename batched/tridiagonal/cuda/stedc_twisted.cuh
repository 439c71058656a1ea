/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernel of row cuda.twisted of stedc: twisted.cuh has the contract.
 */
#ifndef BATCHED_TRIDIAGONAL_CUDA_STEDC_TWISTED_CUH
#define BATCHED_TRIDIAGONAL_CUDA_STEDC_TWISTED_CUH

#include "batched/cuda/fast_math.cuh"
#include "batched/tridiagonal/cuda/sturm.cuh"
#include "batched/tridiagonal/cuda/twisted.cuh"

namespace batched_cuda::tridiagonal
{

/* T in shared memory, beside its rows for bisection. */
struct twisted_tridiagonal {
  int n;
  const double *d, *e;

  /* A pivot that is not zero: as of a d that differs by far less than its rounding error. */
  static __device__ __forceinline__ double inverse_pivot(double p)
  {
    return inverse_of(fabs(p) < 0x1p-80 ? 0x1p-80 : p);
  }

  /* Elements of z from place `at` in steps to before `end` become the products of themselves, negative; returns the sum
   * of their squares.  The next one is read before one is written. */
  static __device__ __forceinline__ double multiply_up(int at, int step, int end, double *z, int ld)
  {
    double y = 1, norm2 = 0, next = at + step != end ? z[(at + step) * ld] : 0.0;
    for (int i = at + step; i != end; i += step) {
      const double own = next;
      if (i + step != end) next = z[(i + step) * ld];
      y *= -own;
      z[i * ld] = y;
      norm2 = fma(y, y, norm2);
    }
    return norm2;
  }

  /* z, in places of `ld`, = the vector of value x, of norm 1; returns the residual. */
  __device__ double vector(double x, double *z, int ld) const
  {
    double below = d[n - 1] - x;
#pragma unroll 4
    for (int i = n - 2; i >= 0; i--) {
      const double u = e[i] * inverse_pivot(below);
      z[(i + 1) * ld] = u;
      below = fma(-e[i], u, d[i] - x);
    }
    double above = d[0] - x, least = INFINITY;
    int twist = 0;
#pragma unroll 4
    for (int i = 0; i < n - 1; i++) {
      const double gamma = fabs(fma(-e[i], z[(i + 1) * ld], above));
      if (gamma < least) least = gamma, twist = i;
      above = fma(-e[i], e[i] * inverse_pivot(above), d[i + 1] - x);
    }
    if (fabs(above) < least) least = fabs(above), twist = n - 1;
    above = d[0] - x;
#pragma unroll 4
    for (int i = 0; i < twist; i++) {
      const double u = e[i] * inverse_pivot(above);
      z[i * ld] = u;
      above = fma(-e[i], u, d[i + 1] - x);
    }
    z[twist * ld] = 1;
    const double norm2 = 1 + multiply_up(twist, -1, -1, z, ld) + multiply_up(twist, 1, n, z, ld);
    const double scale = 1 / sqrt(norm2);
#pragma unroll 4
    for (int i = 0; i < n; i++) z[i * ld] *= scale;
    return least * scale;
  }
};

/* Order 8 BLOCKS at most.  c.d and c.v become values and vectors of a matrix whose order is then 0, as nothing is left
 * to do; of the others c.v becomes 0. */
template <class R, int BLOCKS> __global__ void __launch_bounds__(8 * BLOCKS) stedc_twisted(conquest<R> c)
{
  __shared__ maximum_of<double> parts[BLOCKS / 4];
  __shared__ evaluated points[8 * BLOCKS];
  __shared__ double2 rows[8 * BLOCKS];
  __shared__ double d[8 * BLOCKS], e[8 * BLOCKS];
  double *const z = shared_array<double>();
  const int t = threadIdx.x;
  for (int64_t b = blockIdx.x; b < c.count; b += gridDim.x) {
    const twisted_shape shape(c.orders[b]);
    const int n = shape.n;
    if (n == 0) continue;
    if (t < n) {
      d[t] = (double)c.d[b * c.n + t];
      e[t] = t < n - 1 ? (double)c.e[b * c.n + t] : 0.0;
      rows[t] = {d[t], t > 0 ? (double)c.e[b * c.n + t - 1] : 0.0};
    }
    const sturm x = enclose(n, rows, false, eps_of<double>, parts);
    raise_squares(n, rows);
    points[t] = x.at(x.point(t, 8 * BLOCKS));
    __syncthreads();
    const double value = n == 1 ? d[0] : t < n ? x.bisect(t, points, 8 * BLOCKS) : 0.0;
    bool good =
      t >= n || twisted_tridiagonal{n, d, e}.vector(value, z + t, shape.ld) <= most_residual * n * eps_of<double>;
    pad(shape, z);
    __syncthreads();
    R *const v = c.matrix(c.v, b);
    good = orthonormalise<BLOCKS>(shape, z, [&](int i, int j, double y) { v[i + (int64_t)j * c.n] = R(y); }) && good;
    if (!__syncthreads_and(good)) {
      clear_matrix(c, v);
      __syncthreads();
      continue;
    }
    if (t < n) c.d[b * c.n + t] = R(value);
    if (t == 0) c.orders[b] = 0;
  }
}

static inline size_t stedc_twisted_bytes(int n)
{
  return (size_t)twisted_shape(n).elements() * sizeof(double);
}

/* Those of them whose vectors are found. */
template <class R> int find_twisted(batched_ctx *ctx, const conquest<R> &c)
{
  auto *const kernel = c.n <= 64 ? stedc_twisted<R, 8> : stedc_twisted<R, 16>;
  return launch(ctx, kernel, c.count, c.n <= 64 ? 64 : 128, stedc_twisted_bytes(c.n), c);
}

} // namespace batched_cuda::tridiagonal

#endif
