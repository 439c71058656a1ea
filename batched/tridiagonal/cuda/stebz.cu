/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.bisection of stebz: eigenvalues of symmetric tridiagonal matrices by bisection with Sturm counts (Barth,
 * Martin, Wilkinson, Numer. Math. 9, 1967), as LAPACK's stebz; a thread per eigenvalue.
 *
 * grid      a block per matrix, or as many as have scratch memory at a time
 * block     a thread per value, 32 to 256
 * shared    d and the squares of e, or scratch memory where that is too small
 * takes     s and d, any n, uniform and variable
 * reads     d, e; writes w, found, info
 * accuracy  a few eps times the largest eigenvalue
 */
#include "batched/tridiagonal/cuda/rotation.cuh"

namespace batched_cuda::tridiagonal
{
namespace
{

/* The scaled matrix, an interval with all its eigenvalues, the least modulus of a pivot, and that of an error. */
template <class R> struct sturm {
  int n;
  const R *d, *e2;
  R lo, hi, least, error;

  /* How many eigenvalues are not larger than x. */
  __device__ int count_until(R x) const
  {
    R q = d[0] - x;
    if (fabs(q) <= least) q = -least;
    int count = q < 0;
    for (int i = 1; i < n; i++) {
      q = d[i] - x - e2[i - 1] / q;
      if (fabs(q) <= least) q = -least;
      count += q < 0;
    }
    return count;
  }

  /* Eigenvalue number k: the middle of an interval that rounding lets shrink no more. */
  __device__ R bisect(int k) const
  {
    R a = lo, b = hi;
    for (int step = 0; step < 2000; step++) {
      const R size = fmax(fabs(a), fabs(b)), middle = (a + b) / 2;
      if (b - a <= eps_of<R> * size || b - a <= error) break;
      if (count_until(middle) > k)
        b = middle;
      else
        a = middle;
    }
    return (a + b) / 2;
  }
};

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

/* Loads and scales the matrix; sets lo and hi by Gershgorin's circles, with something to spare, or to 0 for a zero
 * matrix. */
template <class R>
__device__ sturm<R> load_sturm(const stebz_call<R> &s, int64_t b, int n, R largest, R *d, R *e2, maximum_of<R> *parts)
{
  const R scale = power_near(largest);
  const bool is_zero = largest == 0;
  const R *const from = s.d.at(b), *const beside = n > 1 ? s.e.at(b) : nullptr;
  const int64_t incd = s.d.increment(b), ince = n > 1 ? s.e.increment(b) : 1;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    d[i] = scale * from[i * incd];
    if (i < n - 1) e2[i] = scale * beside[i * ince];
  }
  __syncthreads();
  maximum_of<R> above, below; /* of d + r + 4 and of 4 - d + r, which are positive: |d|, |e| <= 1 */
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const R r = (i > 0 ? fabs(e2[i - 1]) : R(0)) + (i < n - 1 ? fabs(e2[i]) : R(0));
    above.add(d[i] + r + 4);
    below.add(r - d[i] + 4);
  }
  sturm<R> x = {n, d, e2, 0, 0, sizeof(R) == 4 ? R(0x1p-120) : R(0x1p-1000), 0};
  x.hi = merge_block(above, parts).result() - 4;
  __syncthreads();
  x.lo = 4 - merge_block(below, parts).result();
  __syncthreads();
  const R spare = 2 * eps_of<R> * (R(n) * fmax(fabs(x.lo), fabs(x.hi)) + 8);
  x.lo = is_zero ? R(0) : x.lo - spare;
  x.hi = is_zero ? R(0) : x.hi + spare;
  x.error = (x.hi - x.lo) * eps_of<R> / 8;
  for (int i = threadIdx.x; i < n - 1; i += blockDim.x) e2[i] *= e2[i];
  __syncthreads();
  return x;
}

template <class R>
__global__ void __launch_bounds__(256) stebz_bisection(const __grid_constant__ stebz_call<R> s, R *scratch)
{
  __shared__ maximum_of<R> parts[8];
  const int most = s.d.m * s.d.n;
  R *const d = scratch ? scratch + blockIdx.x * 2 * (int64_t)most : shared_array<R>(), *const e2 = d + most;
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
    const R scale = power_near(largest);
    const sturm<R> x = load_sturm(s, b, n, largest, d, e2, parts);
    int first = 0, end = n;
    if (s.range == BATCHED_INDEX) {
      first = s.il - 1;
      end = min(s.iu, n);
    } else if (s.range == BATCHED_INTERVAL) {
      first = x.count_until(round_down<R>(s.vl * scale));
      end = x.count_until(round_down<R>(s.vu * scale));
    }
    const int many = max(end - first, 0);
    for (int k = threadIdx.x; k < min(many, room); k += blockDim.x)
      w[k * incw] = s.into_range(x.bisect(first + k) / scale);
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
  const int values = batched_vector_bound(&p.w);
  const int threads = values >= 256 ? 256 : values <= 32 ? 32 : (int)ceil_div(values, 32) * 32;
  const size_t bytes = 2 * (size_t)batched_vector_bound(&p.d) * sizeof(R);
  if (bytes + 2048 <= most_shared()) return launch(ctx, stebz_bisection<R>, p.d.count, threads, bytes, s, (R *)nullptr);
  const int64_t blocks = blocks_within(p.d.count, bytes);
  R *const scratch = static_cast<R *>(batched_scratch_push(ctx, (size_t)blocks * bytes));
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
