/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.block of geqp3: QR with column pivoting (Businger, Golub, Numer. Math. 7, 1965), a block per matrix, in
 * place; norms of the columns are downdated, and computed anew where that loses digits (Drmac, Bujanovic, ACM TOMS 35,
 * 2008), as LAPACK's laqp2.  Each step: the longest column, its reflector by the block, and a warp for each column
 * behind it.
 *
 * grid      a block per matrix, or as many as have scratch memory for norms at a time
 * block     256 threads
 * shared    what reductions need
 * takes     all four types, any m and n, uniform and variable
 * reads     a; writes a, jpvt, tau; 2 passes over what is left of the matrix per step
 * accuracy  |A P - Q R| and orthogonality < 30 max(m, n) eps
 */
#include "batched/cuda/reduce.cuh"
#include "batched/qr/cuda/householder.cuh"
#include "batched/qr/qr.h"

namespace batched_cuda::qr
{
namespace
{

constexpr int pivoting_threads = 256, pivoting_warps = pivoting_threads / 32;

/* The largest number and its place, the first of several. */
template <class R> struct largest_place {
  R value = -1;
  int place = INT_MAX;

  __device__ __forceinline__ void take(R x, int at)
  {
    if (x > value || (x == value && at < place)) {
      value = x;
      place = at;
    }
  }
  __device__ __forceinline__ void merge(const largest_place &a)
  {
    take(a.value, a.place);
  }
  __device__ __forceinline__ largest_place shuffled(int lanes, int width) const
  {
    largest_place a;
    a.value = shuffle_xor(value, lanes, width);
    a.place = __shfl_xor_sync(all_lanes, place, lanes, width);
    return a;
  }
};

template <class T> __device__ real_of<T> warp_norm(int n, const T *x)
{
  scaled_norm<T> sum;
  for (int i = threadIdx.x % 32; i < n; i += 32) sum.add(x[i]);
  return merge_lanes(sum).result();
}

/* The reflector of the `len` elements at x, which become (beta, v); tau.  All threads of the block. */
template <class T> __device__ T make_reflector(int len, T *x)
{
  using R = real_of<T>;
  __shared__ maximum_of<R> sizes[pivoting_warps];
  __shared__ sum_of<R> sums[pivoting_warps];
  maximum_of<R> size;
  for (int i = threadIdx.x; i < len; i += blockDim.x) size.add(largest_part(x[i]));
  const R scale = column_scale(merge_block(size, sizes).result());
  sum_of<R> tail;
  for (int i = 1 + threadIdx.x; i < len; i += blockDim.x) tail.add(square(scale * x[i]));
  const reflector<T> r = reflect(scale * x[0], merge_block(tail, sums).result());
  __syncthreads();
  for (int i = 1 + threadIdx.x; i < len && !(r.tau == make<T>(0)); i += blockDim.x) x[i] = r.inverse * (scale * x[i]);
  if (threadIdx.x == 0) x[0] = make<T>(r.beta * inverse_scale(scale));
  __syncthreads();
  return r.tau;
}

/* A warp: c = (I - conj(tau) v v^H) c, and the norm of what is below its first element. */
template <class T> __device__ void reflect_column(int len, const T *v, T tau, T *c, real_of<T> *norm, real_of<T> *exact)
{
  using R = real_of<T>;
  const int lane = threadIdx.x % 32;
  T dot = make<T>(0);
  for (int i = lane; i < len; i += 32) dot = mad(i == 0 ? make<T>(1) : conj(v[i]), c[i], dot);
  dot = conj(tau) * sum_lanes(dot);
  for (int i = lane; i < len; i += 32) c[i] -= i == 0 ? dot : v[i] * dot;
  __syncwarp();
  const R before = *norm, whole = *exact;
  if (before == 0) return;
  const R part = abs(c[0]) / before, left = part < 1 ? (1 - part) * (1 + part) : R(0), ratio = before / whole;
  const bool kept = left * ratio * ratio > sqrt(eps_of<R>);
  const R now = kept ? before * sqrt(left) : warp_norm(len - 1, c + 1);
  __syncwarp();
  if (lane == 0) {
    *norm = now;
    if (!kept) *exact = now;
  }
}

template <class T>
__global__ void __launch_bounds__(pivoting_threads)
  geqp3_block(batch<T> a, batch<T> tau, int *jpvt, real_of<T> *scratch)
{
  using R = real_of<T>;
  __shared__ largest_place<R> places[pivoting_warps];
  const int warp = threadIdx.x / 32;
  R *const norms = scratch + blockIdx.x * 2 * (int64_t)a.n, *const exact = norms + a.n;
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = a.cols(b), k = min(m, n);
    const int64_t ld = a.leading(b);
    T *const x = k > 0 ? a.at(b) : nullptr;
    int *const numbers = jpvt + b * a.n;
    for (int j = threadIdx.x; j < n; j += blockDim.x) numbers[j] = j + 1;
    for (int j = warp; j < n && k > 0; j += pivoting_warps) {
      const R norm = warp_norm(m, x + j * ld);
      if (threadIdx.x % 32 == 0) norms[j] = exact[j] = norm;
    }
    __syncthreads();
    for (int i = 0; i < k; i++) {
      largest_place<R> longest;
      for (int j = i + threadIdx.x; j < n; j += blockDim.x) longest.take(norms[j], j);
      longest = merge_block(longest, places);
      const int p = longest.place == INT_MAX ? i : longest.place; /* nothing but NaNs */
      __syncthreads();
      for (int r = threadIdx.x; p != i && r < m; r += blockDim.x) {
        const T t = x[r + i * ld];
        x[r + i * ld] = x[r + p * ld];
        x[r + p * ld] = t;
      }
      if (threadIdx.x == 0) {
        const int number = numbers[p];
        numbers[p] = numbers[i];
        numbers[i] = number;
        norms[p] = norms[i];
        exact[p] = exact[i];
      }
      __syncthreads();
      T *const v = x + i + i * ld;
      const T t = make_reflector(m - i, v);
      if (threadIdx.x == 0) tau.at(b)[i * (int64_t)tau.increment(b)] = t;
      for (int j = i + 1 + warp; j < n; j += pivoting_warps)
        reflect_column(m - i, v, t, x + i + j * ld, norms + j, exact + j);
      __syncthreads();
    }
  }
}

template <class T> int launch_geqp3(batched_ctx *ctx, const batched_geqp3_args &g)
{
  using R = real_of<T>;
  constexpr size_t most = (size_t)1 << 28;
  const size_t each = 2 * (size_t)g.a.n * sizeof(R);
  int64_t blocks = (int64_t)(most / each);
  blocks = blocks < 1 ? 1 : blocks < g.a.count ? blocks : g.a.count;
  R *const scratch = static_cast<R *>(batched_scratch_push(ctx, (size_t)blocks * each));
  if (!scratch) return BATCHED_NO_MEMORY;
  const int status =
    launch(ctx, geqp3_block<T>, blocks, pivoting_threads, 0, view<T>(g.a), view<T>(g.tau), g.jpvt, scratch);
  batched_scratch_pop(ctx);
  return status;
}

int block(batched_ctx *ctx, const batched_geqp3_args &g)
{
  return with_type(g.a.type, [&](auto t) { return launch_geqp3<decltype(t)>(ctx, g); });
}

} // namespace
} // namespace batched_cuda::qr

using namespace batched_cuda;
using namespace batched_cuda::qr;

const batched_variant batched_geqp3_cuda[] = {
  row<nullptr, nullptr, block>("cuda.block"),
  BATCHED_LAST_ROW,
};
