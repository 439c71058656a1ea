/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.bisection of stebz: eigenvalues of symmetric tridiagonal matrices by bisection with Sturm counts (Barth,
 * Martin, Wilkinson, Numer. Math. 9, 1967), as LAPACK's stebz, and, where an interval has one eigenvalue, by the zero
 * of the determinant (isolate.cuh); a thread per eigenvalue.  Signs are those of the determinants of leading blocks,
 *
 *   p_i = (d_i - x) p_i-1 - e_i-1^2 p_i-2,
 *
 * brought near 1 by a power of two every four terms, without a division.
 *
 * grid      a block per matrix, or as many as have scratch memory at a time
 * block     a thread per value, 32 to 256
 * shared    d and the squares of e, in double precision, or scratch memory where that is too small; a point per thread
 * takes     s and d, any n, uniform and variable
 * reads     d, e; writes w, found, info
 * accuracy  a few eps times the largest eigenvalue
 */
#include "batched/tridiagonal/cuda/sturm.cuh"

namespace batched_cuda::tridiagonal
{
namespace
{

/* The largest number of this precision that is not above x: w <= x where w <= round_down(x). */
template <class R> __device__ R round_down(double x)
{
  if constexpr (sizeof(R) == 4)
    return __double2float_rd(x);
  else
    return x;
}

template <class R> struct stebz_call {
  batched_range range;
  double vl, vu;
  int il, iu;
  batch<R> d, e, w;
  int *found, *info;

  /* x, or, where rounding errors have taken it out of vl < x <= vu, the number inside that is nearest. */
  __device__ R into_range(R x) const
  {
    if (range != BATCHED_INTERVAL) return x;
    if (!(x > vl)) return nextafter(round_down<R>(vl), R(INFINITY));
    return x > vu ? round_down<R>(vu) : x;
  }
};

/* Loads the matrix, divided by 2^exponent. */
template <class R>
__device__ sturm load_sturm(const stebz_call<R> &s, int64_t b, int n, bool is_zero, int exponent, double2 *rows,
                            maximum_of<double> *parts)
{
  const R *const from = s.d.at(b), *const beside = n > 1 ? s.e.at(b) : nullptr;
  const int64_t incd = s.d.increment(b), ince = n > 1 ? s.e.increment(b) : 1;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    rows[i] = {ldexp((double)from[i * incd], -exponent), i > 0 ? ldexp((double)beside[(i - 1) * ince], -exponent) : 0};
  return enclose(n, rows, is_zero, eps_of<R>, parts);
}

template <class R>
__global__ void __launch_bounds__(isolating_threads)
  stebz_bisection(const __grid_constant__ stebz_call<R> s, double2 *scratch)
{
  __shared__ maximum_of<R> parts[8];
  __shared__ maximum_of<double> more_parts[8];
  __shared__ evaluated points[isolating_threads];
  double2 *const rows = scratch ? scratch + blockIdx.x * (int64_t)(s.d.m * s.d.n) : shared_array<double2>();
  for (int64_t b = blockIdx.x; b < s.d.count; b += gridDim.x) {
    const int n = s.d.length(b), room = s.w.length(b);
    const int64_t incw = room > 0 ? s.w.increment(b) : 1;
    R *const w = room > 0 ? s.w.at(b) : nullptr;
    R largest = 0;
    if (n > 0)
      largest = largest_of(n, s.d.at(b), s.d.increment(b), n > 1 ? s.e.at(b) : (R *)nullptr,
                           n > 1 ? s.e.increment(b) : 1, parts);
    __syncthreads();
    if (n == 0 || largest - largest != 0) {
      for (int i = threadIdx.x; i < (n > 0 ? room : 0); i += blockDim.x) w[i * incw] = not_a_number<R>();
      if (threadIdx.x == 0) {
        s.found[b] = 0;
        s.info[b] = n;
      }
      continue;
    }
    int exponent = 0, first = 0, end = n;
    if (largest > 0) frexp((double)largest, &exponent);
    const sturm x = load_sturm(s, b, n, largest == 0, exponent, rows, more_parts);
    if (s.range == BATCHED_INDEX) {
      first = s.il - 1;
      end = min(s.iu, n);
    } else if (s.range == BATCHED_INTERVAL) {
      first = x.count_until(ldexp(s.vl, -exponent));
      end = x.count_until(ldexp(s.vu, -exponent));
    }
    __syncthreads();
    raise_squares(n, rows);
    const int npoints = points_for(room);
    if (threadIdx.x < npoints) points[threadIdx.x] = x.at(x.point(threadIdx.x, npoints));
    __syncthreads();
    const int many = max(end - first, 0);
    for (int k = threadIdx.x; k < min(many, room); k += blockDim.x)
      w[k * incw] = s.into_range(R(ldexp(x.bisect(first + k, points, npoints), exponent)));
    if (threadIdx.x == 0) {
      s.found[b] = many;
      s.info[b] = 0;
    }
    __syncthreads();
  }
}

template <class R> int launch_bisection(batched_ctx *ctx, const batched_stebz_args &p)
{
  const stebz_call<R> s = {p.range, p.vl, p.vu, p.il, p.iu, view<R>(p.d), view<R>(p.e), view<R>(p.w), p.found, p.info};
  const int threads = points_for(batched_vector_bound(&p.w));
  const size_t bytes = (size_t)batched_vector_bound(&p.d) * sizeof(double2);
  if (bytes + 8192 <= most_shared())
    return launch(ctx, stebz_bisection<R>, p.d.count, threads, bytes, s, (double2 *)nullptr);
  const int64_t blocks = blocks_within(p.d.count, bytes);
  double2 *const scratch = static_cast<double2 *>(batched_scratch_push(ctx, (size_t)blocks * bytes));
  if (!scratch) return BATCHED_NO_MEMORY;
  const int status = launch(ctx, stebz_bisection<R>, blocks, threads, 0, s, scratch);
  batched_scratch_pop(ctx);
  return status;
}

int bisection(batched_ctx *ctx, const batched_stebz_args &p)
{
  return p.d.type == BATCHED_S ? launch_bisection<float>(ctx, p) : launch_bisection<double>(ctx, p);
}

} // namespace
} // namespace batched_cuda::tridiagonal

using namespace batched_cuda;
using namespace batched_cuda::tridiagonal;

const batched_variant batched_stebz_cuda[] = {
  row<nullptr, nullptr, bisection>("cuda.bisection"),
  BATCHED_LAST_ROW,
};
