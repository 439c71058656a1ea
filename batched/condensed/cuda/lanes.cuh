/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.lanes of gebrd, hetrd and gehrd: matrices up to 32 x 32 in the registers of a warp, a column per lane.
 *
 *   algorithm  LAPACK's gebd2, hetd2 and gehd2.  What a step needs of A^H u is a lane's own; A v is summed over lanes
 *              by exchanging halves (sum_transposed); vectors go to all lanes through shared memory
 *   grid       a warp per matrix, and per block
 *   registers  a column of M = 8, 16 or 32 rows, and as many products
 *   shared     the matrix, where it is scaled, and where the vectors stay; and two vectors
 *   takes      all four types, m, n <= 32
 *   memory     A once from and to global memory
 *   accuracy   as the rows in gebrd.cuh, hetrd.cuh and gehrd.cuh.  A matrix with a vector whose norm is far from that
 *              of the matrix is done again by these
 */
#ifndef BATCHED_CONDENSED_CUDA_LANES_CUH
#define BATCHED_CONDENSED_CUDA_LANES_CUH

#include "batched/condensed/cuda/gebrd.cuh"
#include "batched/condensed/cuda/gehrd.cuh"
#include "batched/condensed/cuda/hetrd.cuh"
#include "batched/condensed/cuda/whole.cuh"

namespace batched_cuda::condensed
{

/* A matrix in the registers of a warp: lane c has rows 0 .. M - 1 of column c; zero beyond the matrix. */
template <int M, class T> struct lane_columns {
  T a[M];
  dense_matrix<T> tile;
  T *vector; /* M elements that all lanes read */
  int lane;
  bool is_safe; /* are the norms of all vectors within range? */

  /* The matrix of m x n in the tile; of one that is Hermitian, the lower triangle. */
  __device__ __forceinline__ void read(int m, int n, bool hermitian)
  {
#pragma unroll
    for (int r = 0; r < M; r++) {
      a[r] = make<T>(0);
      if (r >= m || lane >= n) continue;
      a[r] = hermitian && r < lane ? conj(tile(lane, r)) : tile(r, lane);
    }
    is_safe = true;
    __syncwarp();
  }
  /* Writes column j from row `first` on, of m rows, to the tile. */
  __device__ __forceinline__ void publish(int j, int first, int m)
  {
    if (lane == j)
#pragma unroll
      for (int r = 0; r < M; r++)
        if (r >= first && r < m) tile(r, j) = a[r];
    __syncwarp();
  }
  /* vector = element of this lane, for all. */
  __device__ __forceinline__ void share(T x)
  {
    __syncwarp();
    if (lane < M) vector[lane] = x;
    __syncwarp();
  }
  /* Row `lane` of A v, where v is the lanes' factor. */
  __device__ __forceinline__ T multiply(T v) const
  {
    T products[M];
#pragma unroll
    for (int r = 0; r < M; r++) products[r] = a[r] * v;
    return sum_transposed<M, 32>(products);
  }
  /* (this lane's column)^H u, with u in `vector`. */
  __device__ __forceinline__ T dot() const
  {
    T sum[2] = {make<T>(0), make<T>(0)};
#pragma unroll
    for (int r = 0; r < M; r++) sum[r % 2] = qr::conj_mad(a[r], vector[r], sum[r % 2]);
    return sum[0] + sum[1];
  }
  /* a -= vector f */
  __device__ __forceinline__ void subtract(T f)
  {
#pragma unroll
    for (int r = 0; r < M; r++) a[r] = mad(-f, vector[r], a[r]);
  }
  /* The reflector of the lanes' elements x from lane `head` on; its vector in the lanes, 1 and zeros included. */
  __device__ __forceinline__ qr::reflector<T> reflect_lanes(T x, int head, T &v)
  {
    const T alpha = shuffle(x, head);
    const real_of<T> tail = sum_lanes(lane > head ? square(x) : real_of<T>(0));
    is_safe = is_safe && (condensed::is_safe(tail + square(alpha)) || (tail == 0 && alpha == make<T>(0)));
    const qr::reflector<T> h = qr::reflect(alpha, tail);
    v = lane < head ? make<T>(0) : lane == head ? make<T>(1) : x * h.inverse;
    return h;
  }
};

/* ------------------------------------------------------------------ the reductions */

template <int M, class T>
static __device__ void reduce_in_lanes(const gebrd_task<T> &g, int64_t b, lane_columns<M, T> &q, real_of<T> back)
{
  const bool turned = g.is_turned(b);
  const int m = turned ? g.a.cols(b) : g.a.rows(b), n = turned ? g.a.rows(b) : g.a.cols(b), lane = q.lane;
  for (int i = 0; i < n; i++) {
    T u, v;
    q.publish(i, i, m);
    const qr::reflector<T> h = q.reflect_lanes(lane < m ? q.tile(lane, i) : make<T>(0), i, u);
    if (lane >= i && lane < m) q.tile(lane, i) = lane == i ? make<T>(h.beta) : u;
    if (lane == 0) {
      put_reflector(g, b, true, i, h.tau);
      put_real(g.d, b, i, back * h.beta);
      if (i + 1 == n) put_reflector(g, b, false, i, make<T>(0));
    }
    if (i + 1 == n) break;
    q.share(u);
    const T y = h.tau * q.dot();
    q.subtract(conj(y));
    T row = make<T>(0);
#pragma unroll
    for (int r = 0; r < M; r++) row = select(r == i, q.a[r], row);
    const qr::reflector<T> p = q.reflect_lanes(lane < n ? conj(row) : make<T>(0), i + 1, v);
    if (lane > i && lane < n) q.tile(i, lane) = lane == i + 1 ? make<T>(p.beta) : conj(v);
    if (lane == 0) {
      put_reflector(g, b, false, i, p.tau);
      put_real(g.e, b, i, back * p.beta);
    }
    q.share(p.tau * q.multiply(v));
    q.subtract(conj(v));
  }
}

template <int M, class T>
static __device__ void reduce_in_lanes(const hetrd_task<T> &h, int64_t b, lane_columns<M, T> &q, real_of<T> back)
{
  const int n = h.a.rows(b), lane = q.lane;
  for (int j = 0; j < n; j++) {
    T u;
    q.publish(j, j, n);
    if (lane == 0) h.put(h.d, b, n, j, back * real(q.tile(j, j)));
    if (j + 1 == n) break;
    const qr::reflector<T> r = q.reflect_lanes(lane < n ? q.tile(lane, j) : make<T>(0), j + 1, u);
    if (lane > j && lane < n) q.tile(lane, j) = lane == j + 1 ? make<T>(r.beta) : u;
    if (lane == 0) {
      h.put(h.e, b, n - 1, j, back * r.beta);
      h.put(h.tau, b, n - 1, j, r.tau);
    }
    q.share(u);
    const T p = r.tau * q.dot();
    const T half = real_of<T>(0.5) * (r.tau * sum_lanes(conj(p) * u)), w = lane > j ? mad(-half, u, p) : make<T>(0);
    q.subtract(conj(w));
    q.share(w);
    q.subtract(conj(u));
  }
}

template <int M, class T>
static __device__ void reduce_in_lanes(const gehrd_task<T> &g, int64_t b, lane_columns<M, T> &q, real_of<T>)
{
  const int n = g.a.rows(b), first = g.ilo - 1, end = min(g.ihi, n), lane = q.lane;
  if (lane < n - 1 && (lane < first || lane >= end - 1)) g.tau.at(b)[(int64_t)lane * g.tau.increment(b)] = make<T>(0);
  for (int j = 0; j < n; j++) {
    q.publish(j, 0, n);
    if (j < first || j >= end - 1) continue;
    T v;
    const qr::reflector<T> h = q.reflect_lanes(lane < end ? q.tile(lane, j) : make<T>(0), j + 1, v);
    if (lane > j && lane < end) q.tile(lane, j) = lane == j + 1 ? make<T>(h.beta) : v;
    if (lane == 0) g.tau.at(b)[(int64_t)j * g.tau.increment(b)] = h.tau;
    const T product = q.multiply(v), x = lane < end ? h.tau * product : make<T>(0);
    q.share(v);
    const T dot = q.dot(), both = sum_lanes(conj(x) * v), y = lane > j ? h.tau * mad(-both, v, dot) : make<T>(0);
    q.subtract(conj(y));
    q.share(x);
    q.subtract(conj(v));
  }
}

/* ------------------------------------------------------------------ kernel and rows */

template <class Task> constexpr bool is_hermitian = false;
template <class T> constexpr bool is_hermitian<hetrd_task<T>> = true;

/* Elements outside of ilo .. ihi, which gehrd does not read, count as zero. */
template <class T> __device__ __forceinline__ void clear_gaps(const gehrd_task<T> &g, int n, const dense_matrix<T> &to)
{
  for (int j = 0; j < n && (g.ilo > 1 || g.ihi < n); j++)
    if (threadIdx.x < n) to(threadIdx.x, j) = make<T>(0);
  __syncwarp();
}
template <class Task>
__device__ __forceinline__ void clear_gaps(const Task &, int, const dense_matrix<typename Task::scalar> &)
{
}

template <int M, class Task>
static __global__ void __launch_bounds__(32)
  reduce_lanes(const __grid_constant__ Task g, copies<typename Task::scalar> to)
{
  using T = typename Task::scalar;
  T *const memory = shared_array<T>();
  lane_columns<M, T> q;
  q.tile = {memory, to.ld};
  q.vector = memory + to.vectors;
  q.lane = threadIdx.x;
  for (int64_t b = blockIdx.x; b < g.a.count; b += gridDim.x) {
    const int m = g.a.rows(b), n = m > 0 ? g.a.cols(b) : 0;
    if (n == 0) continue;
    const real_of<T> scale = scale_of(g, b), back = qr::inverse_scale(scale);
    clear_gaps(g, n, q.tile);
    g.load(b, q.tile, scale);
    __syncwarp();
    q.read(max(m, n), min(m, n), is_hermitian<Task>);
    reduce_in_lanes(g, b, q, back);
    __syncwarp();
    if (!q.is_safe) {
      g.load(b, q.tile, scale);
      __syncwarp();
      reduce<1>(g, b, q.tile, memory + to.vectors, back);
      __syncwarp();
    }
    g.store(b, q.tile, back);
    __syncwarp();
  }
}

template <class Task> int run_in_lanes(batched_ctx *ctx, const Task &g)
{
  using T = typename Task::scalar;
  copies<T> to = copies_of(g, 1);
  to.elements += 32;
  const size_t bytes = (size_t)to.elements * sizeof(T);
  const auto go = [&](auto kernel) { return launch(ctx, kernel, g.a.count, 32, bytes, g, to); };
  if (g.most_rows() <= 8) return go(reduce_lanes<8, Task>);
  if constexpr (most_in_lanes < T >> 16)
    if (g.most_rows() > 16) return go(reduce_lanes<32, Task>);
  return go(reduce_lanes<16, Task>);
}

} // namespace batched_cuda::condensed

#endif
