/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.bisection of bdsqr: singular values alone of bidiagonal matrices, a thread per value.  How many are below x
 * is the number of negative pivots of B^H B - x^2 I by the differential stationary qd transformation (Fernando and
 * Parlett, Numer. Math. 67, 1994; LAPACK's laneg), p_i = d_i^2 + t_i, t_i+1 = e_i^2 t_i / p_i - x^2.  Where elements
 * are of one size, as those of a dense matrix are after its reduction, this goes without divisions, and where an
 * interval has one value by the zero of the determinant (isolate.cuh).
 *
 * grid      a block per matrix, or as many as have scratch memory at a time
 * block     a thread per value, 32 to 256
 * shared    the squares of d and e, in double precision, or scratch memory where that is too small; a point per thread
 * takes     s and d, no vectors, any n, uniform and variable
 * reads     d, e; writes d, e (zeros) and info
 * accuracy  relative in each singular value, a small multiple of n eps; an interval is narrowed by how many
 *           floating point numbers are in it, however small the value
 */
#ifndef BATCHED_TRIDIAGONAL_CUDA_BDSQR_BISECTION_CUH
#define BATCHED_TRIDIAGONAL_CUDA_BDSQR_BISECTION_CUH

#include "batched/tridiagonal/cuda/isolate.cuh"

namespace batched_cuda::tridiagonal
{

/* Where elements are of one size, from LEAST_ELEMENT on, with the largest in [1/2, 1), signs are those of determinants,
 * D_i+1 = d_i^2 D_i + N_i and N_i+1 = e_i^2 N_i - x^2 D_i+1: p_i = D_i+1 / D_i and t_i = N_i / D_i have as small errors
 * as by divisions, and four steps lose less than 2^600 for x from LEAST_EVEN on.  Elsewhere, and for smaller x, B has
 * its largest element in [2^483, 2^484), if by `lift`: 2^53 times a square does not overflow, the square of what is
 * 2^-1020 times as large does not vanish, and no singular value reaches MOST_VALUE. */
constexpr int LARGEST_EXPONENT = 484;
constexpr double LEAST_VALUE = 0x1p-537, MOST_VALUE = 0x1p485, LEAST_ELEMENT = 0x1p-26, LEAST_EVEN = 0x1p-100;

struct squares {
  int n;
  const double2 *rows; /* d_i^2, e_i^2 */
  double lift;         /* of squares: 1 or 2^968, where they are of one size */

  /* The number of singular values below x, which is of the matrix that is lifted. */
  __device__ int count_below(double x) const
  {
    const double x2 = x * x;
    double t = -x2;
    int count = 0;
    for (int i = 0; i < n; i++) {
      const double e2 = lift * rows[i].y;
      double p = fma(lift, rows[i].x, t);
      if (p == 0) p = t == 0 ? 1 : t * 0x1p-60; /* as of a d that differs by less than its rounding error */
      count += p < 0;
      const double ratio = t / p;                                  /* below 2^54 */
      t = (fabs(ratio) < 0x1p-100 ? e2 / p * t : ratio * e2) - x2; /* ratio may have vanished */
    }
    return count;
  }

  __device__ __forceinline__ void step(int i, double x2, double &d, double &n, int &below) const
  {
    const double2 row = rows[i];
    const double next = fma(row.x, d, n);
    below += differ(next, d);
    n = fma(row.y, n, -(x2 * next));
    d = next;
  }

  /* The same, and the determinant, of the matrix as it is. */
  __device__ evaluated at(double x) const
  {
    const double x2 = x * x;
    double p = 1, q = -x2;
    int below = 0, exponent = 0, i = 0;
    for (; i + 3 < n; i += 4) {
#pragma unroll
      for (int l = 0; l < 4; l++) step(i + l, x2, p, q, below);
      rescale(p, q, exponent);
    }
    for (; i < n; i++) step(i, x2, p, q, below);
    return {p, exponent, below};
  }

  static __device__ double point(int i, int m)
  {
    return LEAST_EVEN + 2 * ((i + 1) / (double)(m + 1));
  }

  static __device__ long long between(long long a, long long b)
  {
    return a + (b - a) / 2;
  }

  /* Value number k from below of the lifted matrix, to so many numbers in double precision. */
  __device__ double bisect(int k, long long width) const
  {
    long long a = __double_as_longlong(LEAST_VALUE), b = __double_as_longlong(MOST_VALUE);
    if (count_below(LEAST_VALUE) > k) return 0;
    while (b - a > width) {
      const long long middle = between(a, b);
      if (count_below(__longlong_as_double(middle)) > k)
        b = middle;
      else
        a = middle;
    }
    return __longlong_as_double(between(a, b));
  }

  /* The same, where elements are of one size, with the points of the block. */
  __device__ double isolate(int k, long long width, const evaluated *points, int m) const
  {
    const int above = first_above(points, m, k);
    bracket<long long> x = {__double_as_longlong(LEAST_EVEN), __double_as_longlong(2.0), {NAN, 0, 0}, {NAN, 0, n}};
    if (above > 0)
      x.a = __double_as_longlong(point(above - 1, m)), x.fa = points[above - 1];
    else
      x.fa = at(LEAST_EVEN);
    if (x.fa.below > k) return bisect(k, width);
    if (above < m) x.b = __double_as_longlong(point(above, m)), x.fb = points[above];
    narrow(
      x, k, [&](long long y) { return at(__longlong_as_double(y)); }, between,
      [=](long long, long long) { return width; });
    return ldexp(__longlong_as_double(between(x.a, x.b)), LARGEST_EXPONENT);
  }
};

template <class R> struct bdsqr_values {
  batch<R> d, e;
  int *info;
};

template <class R>
__global__ void __launch_bounds__(isolating_threads)
  bdsqr_bisection(const __grid_constant__ bdsqr_values<R> g, int most, double2 *scratch)
{
  __shared__ maximum_of<R> parts[8];
  __shared__ evaluated points[isolating_threads];
  double2 *const rows = scratch ? scratch + blockIdx.x * (int64_t)most : shared_array<double2>();
  constexpr long long width = sizeof(R) == 4 ? 1LL << 26 : 2;
  for (int64_t b = blockIdx.x; b < g.d.count; b += gridDim.x) {
    const int n = g.d.length(b);
    if (threadIdx.x == 0) g.info[b] = 0;
    if (n == 0) continue;
    R *const d = g.d.at(b), *const e = n > 1 ? g.e.at(b) : nullptr;
    const int64_t incd = g.d.increment(b), ince = n > 1 ? g.e.increment(b) : 1;
    const R largest = largest_of(n, d, incd, e, ince, parts);
    const bool finite = largest - largest == 0;
    int exponent = 0;
    if (finite && largest > 0) frexp((double)largest, &exponent);
    bool small = false;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      const double x = ldexp((double)d[i * incd], -exponent), y = i < n - 1 ? ldexp((double)e[i * ince], -exponent) : 0;
      rows[i] = {x, y};
      small = small || !(fabs(x) >= LEAST_ELEMENT && (i == n - 1 || fabs(y) >= LEAST_ELEMENT));
    }
    const bool even = !__syncthreads_or(small);
    const int rise = even ? 0 : LARGEST_EXPONENT;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      const double x = ldexp(rows[i].x, rise), y = ldexp(rows[i].y, rise);
      rows[i] = {x * x, y * y};
    }
    __syncthreads();
    const squares s = {n, rows, even ? 0x1p968 : 1.0};
    const int npoints = points_for(n);
    if (even && threadIdx.x < npoints) points[threadIdx.x] = s.at(squares::point(threadIdx.x, npoints));
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      const double x = even ? s.isolate(n - 1 - i, width, points, npoints) : s.bisect(n - 1 - i, width);
      d[i * incd] = finite ? R(ldexp(x, exponent - LARGEST_EXPONENT)) : not_a_number<R>();
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
  const int threads = points_for(n);
  const size_t bytes = (size_t)n * sizeof(double2);
  if (bytes + 8192 <= most_shared())
    return launch(ctx, bdsqr_bisection<R>, p.d.count, threads, bytes, g, n, (double2 *)nullptr);
  const int64_t blocks = blocks_within(p.d.count, bytes);
  double2 *const scratch = static_cast<double2 *>(batched_scratch_push(ctx, (size_t)blocks * bytes));
  if (!scratch) return BATCHED_NO_MEMORY;
  const int status = launch(ctx, bdsqr_bisection<R>, blocks, threads, 0, g, n, scratch);
  batched_scratch_pop(ctx);
  return status;
}

} // namespace batched_cuda::tridiagonal

#endif
