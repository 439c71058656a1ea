/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.bisection of bdsqr: singular values alone of bidiagonal matrices, a thread per value.  How many are below x
 * is the number of negative pivots of B^H B - x^2 I by the differential stationary qd transformation (Fernando and
 * Parlett, Numer. Math. 67, 1994; LAPACK's laneg), p_i = d_i^2 + t_i, t_i+1 = e_i^2 t_i / p_i - x^2.
 *
 * grid      a block per matrix, or as many as have scratch memory at a time
 * block     a thread per value, 32 to 256
 * shared    the squares of d and e, in double precision, or scratch memory where that is too small
 * takes     s and d, no vectors, any n, uniform and variable
 * reads     d, e; writes d, e (zeros) and info
 * accuracy  relative in each singular value, a small multiple of n eps; an interval is halved by how many floating
 *           point numbers are in it, 62 times (s: 36 times), however small the value
 */
#ifndef BATCHED_TRIDIAGONAL_CUDA_BDSQR_BISECTION_CUH
#define BATCHED_TRIDIAGONAL_CUDA_BDSQR_BISECTION_CUH

#include "batched/tridiagonal/cuda/rotation.cuh"

namespace batched_cuda::tridiagonal
{

/* B is scaled to a largest element in [2^483, 2^484): 2^53 times a square does not overflow, the square of what is
 * 2^-1020 times as large does not vanish, and no singular value reaches the second. */
constexpr int LARGEST_EXPONENT = 484;
constexpr double LEAST_VALUE = 0x1p-537, MOST_VALUE = 0x1p485;

struct squares {
  int n;
  const double *d2, *e2;

  /* How many singular values are below x. */
  __device__ int count_below(double x) const
  {
    const double x2 = x * x;
    double t = -x2;
    int count = 0;
    for (int i = 0; i < n; i++) {
      double p = d2[i] + t;
      if (p == 0) p = t == 0 ? 1 : t * 0x1p-60; /* as of a d that differs by less than its rounding error */
      count += p < 0;
      const double ratio = t / p;                                        /* below 2^54 */
      t = (fabs(ratio) < 0x1p-100 ? e2[i] / p * t : ratio * e2[i]) - x2; /* ratio may have vanished */
    }
    return count;
  }

  /* Value number k from below, to so many numbers in double precision. */
  __device__ double bisect(int k, long long width) const
  {
    long long a = __double_as_longlong(LEAST_VALUE), b = __double_as_longlong(MOST_VALUE);
    if (count_below(LEAST_VALUE) > k) return 0;
    while (b - a > width) {
      const long long middle = a + (b - a) / 2;
      if (count_below(__longlong_as_double(middle)) > k)
        b = middle;
      else
        a = middle;
    }
    return __longlong_as_double(a + (b - a) / 2);
  }
};

template <class R> struct bdsqr_values {
  batch<R> d, e;
  int *info;
};

template <class R>
__global__ void __launch_bounds__(256)
  bdsqr_bisection(const __grid_constant__ bdsqr_values<R> g, int most, double *scratch)
{
  __shared__ maximum_of<R> parts[8];
  double *const d2 = scratch ? scratch + blockIdx.x * 2 * (int64_t)most : shared_array<double>(), *const e2 = d2 + most;
  constexpr long long width = sizeof(R) == 4 ? 1LL << 26 : 2;
  for (int64_t b = blockIdx.x; b < g.d.count; b += gridDim.x) {
    const int n = g.d.length(b);
    if (threadIdx.x == 0) g.info[b] = 0;
    if (n == 0) continue;
    R *const d = g.d.at(b), *const e = n > 1 ? g.e.at(b) : nullptr;
    const int64_t incd = g.d.increment(b), ince = n > 1 ? g.e.increment(b) : 1;
    const R largest = largest_of(n, d, incd, e, ince, parts);
    const bool finite = largest - largest == 0;
    int exponent = LARGEST_EXPONENT;
    if (finite && largest > 0) frexp((double)largest, &exponent);
    const int shift = LARGEST_EXPONENT - exponent;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      const double x = ldexp((double)d[i * incd], shift), y = i < n - 1 ? ldexp((double)e[i * ince], shift) : 0;
      d2[i] = x * x;
      e2[i] = y * y;
    }
    __syncthreads();
    const squares s = {n, d2, e2};
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      d[i * incd] = finite ? R(ldexp(s.bisect(n - 1 - i, width), -shift)) : not_a_number<R>();
      if (i < n - 1) e[i * ince] = finite ? R(0) : not_a_number<R>();
    }
    if (threadIdx.x == 0 && !finite) g.info[b] = n;
    __syncthreads();
  }
}

template <class R> int launch_bisection(batched_ctx *ctx, const batched_bdsqr_args &p)
{
  const bdsqr_values<R> g = {view<R>(p.d), view<R>(p.e), p.info};
  const int n = batched_vector_bound(&p.d);
  const int threads = n >= 256 ? 256 : n <= 32 ? 32 : (int)ceil_div(n, 32) * 32;
  const size_t bytes = 2 * (size_t)n * sizeof(double);
  if (bytes + 2048 <= most_shared())
    return launch(ctx, bdsqr_bisection<R>, p.d.count, threads, bytes, g, n, (double *)nullptr);
  const int64_t blocks = blocks_within(p.d.count, bytes);
  double *const scratch = static_cast<double *>(batched_scratch_push(ctx, (size_t)blocks * bytes));
  if (!scratch) return BATCHED_NO_MEMORY;
  const int status = launch(ctx, bdsqr_bisection<R>, blocks, threads, 0, g, n, scratch);
  batched_scratch_pop(ctx);
  return status;
}

} // namespace batched_cuda::tridiagonal

#endif
