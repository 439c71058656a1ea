/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.warp of stein: eigenvectors of symmetric tridiagonal matrices by inverse iteration, as LAPACK's stein: from
 * random numbers, until the solution grows, and twice more, with other shifts and other random numbers where that fails
 * (see stein_ref.h).  Vectors of close eigenvalues are made orthogonal to each other one after the other: each such
 * cluster, most of them of one vector, is the work of a warp, of which one lane factorises and solves.
 *
 * grid      a block per matrix, or as many as have scratch memory at a time
 * block     8 warps
 * shared    sums of warps alone; d, e and 6 vectors a warp are in scratch memory
 * takes     s and d, vectors of all four types, any n and any number of them, uniform and variable
 * reads     d, e, w, found; writes z, info
 * accuracy  |T z - w z| and orthogonality < 30 n eps |T|
 */
#include "batched/tridiagonal/cuda/rotation.cuh"

namespace batched_cuda::tridiagonal
{
namespace
{

constexpr int stein_warps = 8;

template <class T> struct stein_call {
  batch<real_of<T>> d, e, w;
  batch<T> z;
  const int *found;
  int *info;
};

/* T - w I = P L U by partial pivoting: the three diagonals of U, multipliers, and whether rows i, i + 1 changed (1). */
template <class R> struct shifted_factors {
  int n;
  R *u0, *u1, *u2, *l, *swapped, least;

  __device__ void factor(const R *d, const R *e, R w) const
  {
    R own = d[0] - w, above = n > 1 ? e[0] : R(0);
    for (int i = 0; i < n - 1; i++) {
      const R b = e[i], next = d[i + 1] - w, beyond = i < n - 2 ? e[i + 1] : R(0);
      const bool swap = fabs(b) > fabs(own);
      const R f = swap ? own / b : own == 0 ? R(0) : b / own;
      u0[i] = bounded(swap ? b : own);
      u1[i] = swap ? next : above;
      u2[i] = swap ? beyond : R(0);
      l[i] = f;
      swapped[i] = swap;
      own = swap ? above - f * next : next - f * above;
      above = swap ? -f * beyond : beyond;
    }
    u0[n - 1] = bounded(own);
    u1[n - 1] = u2[n - 1] = 0;
  }
  __device__ R bounded(R pivot) const
  {
    return fabs(pivot) < least ? (pivot < 0 ? -least : least) : pivot;
  }
  __device__ void solve(R *x) const
  {
    R own = x[0];
    for (int i = 0; i < n - 1; i++) {
      const R next = x[i + 1];
      const bool swap = swapped[i] != 0;
      x[i] = swap ? next : own;
      own = swap ? own - l[i] * next : next - l[i] * own;
    }
    R after = 0, before = own / u0[n - 1]; /* x(i + 2), x(i + 1) */
    x[n - 1] = before;
    for (int i = n - 2; i >= 0; i--) {
      const R y = (x[i] - u1[i] * before - u2[i] * after) / u0[i];
      x[i] = y;
      after = before;
      before = y;
    }
  }
};

template <class R> __device__ R largest_in(int n, const R *x)
{
  R most = 0;
  for (int i = threadIdx.x % 32; i < n; i += 32) most = fmax(most, fabs(x[i]));
  for (int half = 16; half > 0; half /= 2) most = fmax(most, shuffle_xor(most, half));
  return most;
}

template <class R> __device__ void multiply_in(int n, R *x, R by)
{
  for (int i = threadIdx.x % 32; i < n; i += 32) x[i] *= by;
  __syncwarp();
}

/* x /= |x|, by way of its largest element. */
template <class R> __device__ void normalise(int n, R *x)
{
  multiply_in(n, x, 1 / largest_in(n, x));
  R sum = 0;
  for (int i = threadIdx.x % 32; i < n; i += 32) sum += x[i] * x[i];
  multiply_in(n, x, 1 / sqrt(sum_lanes(sum)));
}

/* x -= z z^T x for the columns of z. */
template <class R, class T> __device__ void remove_columns(int n, const T *z, int64_t ld, int first, int end, R *x)
{
  for (int c = first; c < end; c++) {
    R dot = 0;
    for (int i = threadIdx.x % 32; i < n; i += 32) dot += real(z[i + c * ld]) * x[i];
    dot = sum_lanes(dot);
    for (int i = threadIdx.x % 32; i < n; i += 32) x[i] -= dot * real(z[i + c * ld]);
    __syncwarp();
  }
}

/* Random numbers for vector j, the same for every matrix: a linear congruence that one lane steps through. */
template <class R> __device__ void start_vector(int n, int j, R *x)
{
  uint32_t state = 2654435761u * (uint32_t)(j + 1);
  for (int i = 0; i < n && threadIdx.x % 32 == 0; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = R((int)(state >> 9) - (1 << 22)) * R(0x1p-22) + R(0x1p-23);
  }
  __syncwarp();
}

/* Element i of T x. */
template <class R> __device__ R product_at(int n, const R *d, const R *e, const R *x, int i)
{
  return d[i] * x[i] + (i > 0 ? e[i - 1] * x[i - 1] : R(0)) + (i < n - 1 ? e[i] * x[i + 1] : R(0));
}

/* True where x, of norm 1, is an eigenvector: all elements of T x - (x^T T x) x are within 8 n eps |T|. */
template <class R> __device__ bool is_eigenvector(const shifted_factors<R> &f, const R *d, const R *e, const R *x)
{
  const int n = f.n;
  R quotient = 0;
  bool small = true;
  for (int i = threadIdx.x % 32; i < n; i += 32) quotient += x[i] * product_at(n, d, e, x, i);
  quotient = sum_lanes(quotient);
  for (int i = threadIdx.x % 32; i < n; i += 32)
    small = small && fabs(product_at(n, d, e, x, i) - quotient * x[i]) <= 16 * n * f.least;
  return __all_sync(~0u, small);
}

/* Column j of z, from random vector `start`, orthogonal to columns first .. j - 1; false if it did not converge. */
template <class R, class T>
__device__ bool iterate_inverse(const shifted_factors<R> &f, const R *d, const R *e, int first, int j, int start, T *z,
                                int64_t ld, R *x)
{
  const int n = f.n, lane = threadIdx.x % 32;
  const R enough = sqrt(R(0.1) / n), last = fmax(fabs(f.u0[n - 1]), f.least);
  start_vector(n, start, x);
  for (int turn = 0, more = 2; turn < 5 && more >= 0; turn++) {
    multiply_in(n, x, n * last / largest_in(n, x));
    if (lane == 0) f.solve(x);
    __syncwarp();
    remove_columns(n, z, ld, first, j, x);
    more -= largest_in(n, x) >= enough;
  }
  normalise(n, x);
  remove_columns(n, z, ld, first, j, x);
  normalise(n, x);
  for (int i = lane; i < n; i += 32) z[i + j * ld] = make<T>(x[i]);
  __syncwarp();
  return is_eigenvector(f, d, e, x);
}

/* The 1-norm of the matrix. */
template <class R> __device__ R norm_of(int n, const R *d, const R *e)
{
  R norm = 0;
  for (int i = threadIdx.x % 32; i < n; i += 32)
    norm = fmax(norm, fabs(d[i]) + (i > 0 ? fabs(e[i - 1]) : R(0)) + (i < n - 1 ? fabs(e[i]) : R(0)));
  for (int half = 16; half > 0; half /= 2) norm = fmax(norm, shuffle_xor(norm, half));
  return norm > 0 ? norm : R(1);
}

/* The clusters of a matrix, which the warps take in turn; the number of vectors that did not converge. */
template <class T>
__device__ int iterate_clusters(const stein_call<T> &s, int64_t b, int n, int k, real_of<T> scale, const real_of<T> *d,
                                const real_of<T> *e, real_of<T> *work)
{
  using R = real_of<T>;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const R *const w = s.w.at(b);
  const int64_t incw = s.w.increment(b), ld = s.z.leading(b);
  T *const z = s.z.at(b);
  const R norm = norm_of(n, d, e), close = norm * (n < 200 ? R(0.2) / n : R(1e-3));
  const shifted_factors<R> f = {n, work, work + n, work + 2 * n, work + 3 * n, work + 4 * n, norm * eps_of<R> / 2};
  R *const x = work + 5 * n;
  constexpr R shifts[] = {0, 4, 8, -4, -8, 0};
  int failed = 0, first = 0, cluster = -1;
  R before = 0;
  for (int j = 0; j < k; j++) {
    R at = scale * w[j * incw];
    const bool starts = j == 0 || at - before > close;
    if (starts) {
      first = j;
      cluster++;
    }
    if (!starts && at - before < 10 * eps_of<R> * fabs(at)) at = before + 10 * eps_of<R> * fabs(at);
    before = at;
    if (cluster % stein_warps != warp) continue;
    bool good = false;
    for (int attempt = 0; attempt < 6 && !good; attempt++) {
      if (lane == 0) f.factor(d, e, at + shifts[attempt] * eps_of<R> * norm);
      __syncwarp();
      good = iterate_inverse(f, d, e, first, j, attempt < 3 ? j : j + attempt * n, z, ld, x);
    }
    failed += !good;
  }
  return failed;
}

template <class T>
__global__ void __launch_bounds__(32 * stein_warps)
  stein_warp(const __grid_constant__ stein_call<T> s, real_of<T> *scratch, int64_t each)
{
  using R = real_of<T>;
  __shared__ maximum_of<R> parts[stein_warps];
  __shared__ int failures;
  R *const d = scratch + blockIdx.x * each, *const e = d + s.z.m, *const work = e + s.z.m;
  for (int64_t b = blockIdx.x; b < s.z.count; b += gridDim.x) {
    const int n = s.z.rows(b), cols = s.z.cols(b), k = s.found ? min(s.found[b], cols) : cols;
    if (threadIdx.x == 0) failures = 0;
    __syncthreads();
    if (n == 0 || k <= 0) {
      if (threadIdx.x == 0) s.info[b] = 0;
      continue;
    }
    const R *const from = s.d.at(b), *const beside = n > 1 ? s.e.at(b) : nullptr, *const w = s.w.at(b);
    const int64_t incd = s.d.increment(b), ince = n > 1 ? s.e.increment(b) : 1, incw = s.w.increment(b);
    R most = largest_of(n, from, incd, beside, ince, parts);
    bool finite = most - most == 0;
    for (int j = threadIdx.x; j < k; j += blockDim.x) finite = finite && w[j * incw] - w[j * incw] == 0;
    finite = __syncthreads_and(finite);
    const R scale = power_near(finite ? most : R(0));
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      d[i] = scale * from[i * incd];
      if (i < n - 1) e[i] = scale * beside[i * ince];
    }
    __syncthreads();
    if (finite) {
      const int failed = iterate_clusters(s, b, n, k, scale, d, e, work + threadIdx.x / 32 * 6 * (int64_t)s.z.m);
      if (threadIdx.x % 32 == 0) atomicAdd(&failures, failed);
    } else {
      for (int64_t x = threadIdx.x; x < (int64_t)n * k; x += blockDim.x)
        s.z.at(b)[x % n + x / n * s.z.leading(b)] = nan_of<T>();
    }
    __syncthreads();
    if (threadIdx.x == 0) s.info[b] = finite ? failures : n;
  }
}

template <class T> int launch_warp(batched_ctx *ctx, const batched_stein_args &p)
{
  using R = real_of<T>;
  const stein_call<T> s = {view<R>(p.d), view<R>(p.e), view<R>(p.w), view<T>(p.z), p.found, p.info};
  const int64_t each = (int64_t)(2 + 6 * stein_warps) * p.z.m;
  const int64_t blocks = blocks_within(p.z.count, (size_t)each * sizeof(R));
  R *const scratch = static_cast<R *>(batched_scratch_push(ctx, (size_t)(blocks * each + 1) * sizeof(R)));
  if (!scratch) return BATCHED_NO_MEMORY;
  const int status = launch(ctx, stein_warp<T>, blocks, 32 * stein_warps, 0, s, scratch, each);
  batched_scratch_pop(ctx);
  return status;
}

int warp(batched_ctx *ctx, const batched_stein_args &p)
{
  return with_type(p.z.type, [&](auto t) { return launch_warp<decltype(t)>(ctx, p); });
}

} // namespace
} // namespace batched_cuda::tridiagonal

using namespace batched_cuda;
using namespace batched_cuda::tridiagonal;

const batched_variant batched_stein_cuda[] = {
  row<nullptr, nullptr, warp>("cuda.warp"),
  BATCHED_LAST_ROW,
};
