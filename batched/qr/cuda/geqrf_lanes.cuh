/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.lanes of geqrf: Householder QR of matrices up to M x M in registers, M = 4, 8, 16, 24, 32, several per warp.
 *
 * Right-looking. A lane holds one to three columns, every lanes-th; the column of each step goes to the other lanes
 * through a tile in shared memory, which also buffers the matrix between global memory and registers. The norm of a
 * column is the product with itself, which its lane computes beside all others. What bounds larger M is shared memory,
 * where a broadcast of 16 bytes takes 4 cycles: hence several columns per lane and several matrices per warp. A matrix
 * with a column whose norm is far from 1 is done again with scaling (factor_scaled).
 *
 * grid      a block per warps x per_warp matrices
 * block     2 warps for M > 16, else 4
 * shared    a tile per matrix (register_shape)
 * takes     all four types, m, n <= 32, uniform and variable
 * reads     a; writes a, tau
 * accuracy  |A - Q R| < 30 m eps |A| column by column; columns of any scale
 */
#ifndef BATCHED_QR_CUDA_GEQRF_LANES_CUH
#define BATCHED_QR_CUDA_GEQRF_LANES_CUH

#include "batched/cuda/compiler.cuh"
#include "batched/qr/cuda/householder.cuh"

namespace batched_cuda::qr
{

/* Steps come in stages of `steps`, each with so many rows less. Element (i, j) of the tile is at first + i + j ld,
 * with room for two values above each column; columns are aligned to 16 bytes, and rows of a matrix, or the matrices
 * of a warp, fall into different banks. */
template <int M, class T> struct register_shape {
  static constexpr int columns = M == 4 || sizeof(T) == 16 ? 1 : M == 24 ? 3 : 2;
  static constexpr int lanes = M == 24 && columns == 1 ? 32 : M / columns, per_warp = 32 / lanes;
  static constexpr int steps = M <= 8 ? 1 : 4, ld = M + 3, first = 3;
  static constexpr int line = 128 / sizeof(T), used = first + lanes * columns * ld;
  static constexpr int elements = (used + line - 1) / line * line + line / per_warp;
  static constexpr int warps = M > 16 ? 2 : 4, per_block = warps * per_warp;
  /* Blocks per SM, by shared memory. */
  static constexpr int blocks = M == 4 ? 8 : columns == 1 ? 1 : is_complex<T> ? 4 : M == 8 ? 7 : M == 32 ? 6 : 5;
  static constexpr size_t bytes = per_block * elements * sizeof(T);
};

template <int M, class T> struct register_qr {
  using shape = register_shape<M, T>;
  using R = real_of<T>;
  static constexpr int V = pack<T>::size, lanes = shape::lanes, columns = shape::columns;
  static constexpr int chains = columns == 1 ? 4 : 2; /* independent sums in a dot product */
  T a[columns][M]; /* rows j .. of this lane's columns in step j; zero beyond the matrix */
  T *tile;
  int lane;
  bool is_moderate; /* are all columns moderate in size? */

  __device__ __forceinline__ T &at(int i, int j)
  {
    return tile[shape::first + i + j * shape::ld];
  }
  /* Values of step j, where the last rows of column j - 1 were, which are dead by then. */
  __device__ __forceinline__ T &inverse(int j)
  {
    return at(-3, j);
  }
  __device__ __forceinline__ T &tau(int j)
  {
    return at(-2, j);
  }
  /* First of a lane's columns that is still active in the stage with S rows. */
  template <int S> static constexpr int from = (M - S) / lanes;

  /* Reads the columns from the tile, and notes the sizes of those that have no step. */
  __device__ __forceinline__ void read(int m, int n)
  {
    bool is_far = false;
#pragma unroll
    for (int c = 0; c < columns; c++) {
      const int j = lane + c * lanes;
#pragma unroll
      for (int i = 0; i < M; i++) a[c][i] = i < m && j < n ? at(i, j) : make<T>(0);
      if (j < m || j >= n) continue;
      R squares = 0;
#pragma unroll
      for (int i = 0; i < M; i++) squares += square(a[c][i]);
      is_far |= !batched_cuda::qr::is_moderate<T>(squares);
    }
    const unsigned group = (lanes == 32 ? ~0u : (1u << lanes % 32) - 1) << (threadIdx.x % 32 / lanes * lanes);
    is_moderate = (__ballot_sync(all_lanes, is_far) & group) == 0;
  }

  /* Writes column j from row j on to the tile. */
  template <int S> __device__ __forceinline__ void publish(int j)
  {
    const T *const x = a[from<S>];
    T *to = &at(j, j);
    to[0] = x[0];
#pragma unroll
    for (int i = 1; i < S; i += V) {
      if (i + V <= S) {
        pack<T> p;
#pragma unroll
        for (int v = 0; v < V; v++) p.x[v] = x[i + v];
        *reinterpret_cast<pack<T> *>(to + i) = p;
      } else {
#pragma unroll
        for (int v = i; v < S; v++) to[v] = x[v];
      }
    }
  }

  /* d = x^H a for this lane's columns a; x: the step's column below its diagonal. */
  template <int S> __device__ __forceinline__ void dot(int j, T d[columns])
  {
    const T *x = &at(j, j);
    T sum[columns][chains] = {};
#pragma unroll
    for (int i = 1; i < S; i += V) {
      const pack<T> p = *reinterpret_cast<const pack<T> *>(x + i);
#pragma unroll
      for (int c = from<S>; c < columns; c++)
#pragma unroll
        for (int v = 0; v < V && i + v < S; v++)
          sum[c][(i + v) % chains] = conj_mad(p.x[v], a[c][i + v], sum[c][(i + v) % chains]);
    }
#pragma unroll
    for (int c = from<S>; c < columns; c++) {
      d[c] = sum[c][0] + sum[c][1];
      if constexpr (chains == 4) d[c] += sum[c][2] + sum[c][3];
    }
  }

  /* a(i) = a(i + 1) - f x(i + 1): the update, moved up by a row. */
  template <int S> __device__ __forceinline__ void update(int j, const T f[columns])
  {
    const T *x = &at(j, j);
    compiler_fence();
#pragma unroll
    for (int i = 1; i < S; i += V) {
      const pack<T> p = *reinterpret_cast<const pack<T> *>(x + i);
#pragma unroll
      for (int c = from<S>; c < columns; c++)
#pragma unroll
        for (int v = 0; v < V && i + v < S; v++) a[c][i + v - 1] = mad(-f[c], p.x[v], a[c][i + v]);
    }
#pragma unroll
    for (int c = from<S>; c < columns; c++) a[c][S - 1] = make<T>(0);
  }

  template <int S> __device__ __forceinline__ void step(int j, int k)
  {
    constexpr int now = from<S>;
    const int owner = j - now * lanes;
    T d[columns], f[columns];
    if (lane == owner) publish<S>(j);
    __syncwarp();
    dot<S>(j, d);
    const R tail = shuffle(real(d[now]), owner, lanes);
    const T alpha = shuffle(a[now][0], owner, lanes);
    is_moderate = is_moderate && (j >= k || batched_cuda::qr::is_moderate<T>(tail + square(alpha)));
    const reflector<T> h = reflect(alpha, tail);
#pragma unroll
    for (int c = now; c < columns; c++) {
      const T w = conj(h.tau) * (a[c][0] + conj(h.inverse) * d[c]);
      if (c > now || lane > owner) at(j, lane + c * lanes) = a[c][0] - w;
      f[c] = w * h.inverse;
    }
    if (lane == owner) {
      tau(j) = h.tau;
      inverse(j) = h.inverse;
      at(j, j) = make<T>(h.beta);
    }
    update<S>(j, f);
  }

  template <int S> __device__ __forceinline__ void stages(int k, int most)
  {
    if constexpr (S > 0) {
      if (M - S >= most) return;
#pragma unroll 1
      for (int t = 0; t < shape::steps; t++) step<S>(M - S + t, k);
      stages<S - shape::steps>(k, most);
    }
  }
};

/* Matrix b of the batch for a lane that has its rows lane, lane + lanes, ...; empty past the batch. */
template <class T> struct register_matrix {
  T *at;
  int64_t ld;
  int m, n;

  __device__ __forceinline__ register_matrix(const batch<T> &a, int64_t b, int lane)
  {
    m = b < a.count ? a.rows(b) : 0;
    n = m > 0 ? a.cols(b) : 0;
    ld = n > 0 ? a.leading(b) : 0;
    at = n > 0 ? a.at(b) + lane : nullptr;
  }
};

/* Copies the matrix to the tile. */
template <int M, class T>
static __device__ __forceinline__ void fetch(register_qr<M, T> &q, const register_matrix<T> &x)
{
#pragma unroll(M <= 8 ? M : 4)
  for (int j = 0; j < x.n; j++)
#pragma unroll
    for (int i = 0; i < M; i += q.lanes)
      if (i + q.lane < x.m) start_copy(&q.at(i + q.lane, j), x.at + i + j * x.ld);
  wait_copies();
}

/* Stores the tile, with v = inverse x below the diagonal. */
template <int M, class T>
static __device__ __forceinline__ void store(register_qr<M, T> &q, const register_matrix<T> &to)
{
#pragma unroll(M <= 8 ? M : 4)
  for (int j = 0; j < to.n; j++) {
    const T inverse = q.inverse(j);
#pragma unroll
    for (int first = 0; first < M; first += q.lanes) {
      const int i = first + q.lane;
      if (i >= to.m) continue;
      const T x = q.at(i, j);
      to.at[first + j * to.ld] = i > j ? x * inverse : x;
    }
  }
}

/* Factors in the tile, a row per lane of the whole warp, each column scaled to about 1 first: for the few matrices
 * that need it. */
template <int M, class T> static __device__ __noinline__ void factor_scaled(T *tile, int m, int n)
{
  using R = real_of<T>;
  using shape = register_shape<M, T>;
  const int i = threadIdx.x % 32;
  register_qr<M, T> q;
  q.tile = tile;
  for (int j = 0; j < min(m, n); j++) {
    T x = j <= i && i < m ? q.at(i, j) : make<T>(0);
    R size = largest_part(x);
    for (int half = 16; half > 0; half /= 2) size = fmax(size, shuffle_xor(size, half));
    const R scale = column_scale(size);
    x = scale * x;
    const reflector<T> h = reflect(shuffle(x, j), sum_lanes(i > j ? square(x) : R(0)));
    const T v = i == j ? make<T>(1) : x * h.inverse;
    for (int c = j + 1; c < n; c++) {
      const T y = j <= i && i < m ? q.at(i, c) : make<T>(0), w = sum_lanes(conj_mad(v, y, make<T>(0)));
      if (j <= i && i < m) q.at(i, c) = mad(-(conj(h.tau) * w), v, y);
    }
    if (j <= i && i < m) q.at(i, j) = i == j ? make<T>(h.beta * inverse_scale(scale)) : v;
    if (i == j) {
      q.tau(j) = h.tau;
      q.inverse(j) = make<T>(1);
    }
    __syncwarp();
  }
}

/* Does the matrices of this warp again that have columns of immoderate size. */
template <int M, class T>
static __device__ __forceinline__ void repair(register_qr<M, T> &q, const register_matrix<T> &x)
{
  using shape = register_shape<M, T>;
  if (!q.is_moderate) fetch(q, x);
  __syncwarp();
  for (int own = 0; own < shape::per_warp; own++) {
    const int m = shuffle(x.m, own * shape::lanes), n = shuffle(x.n, own * shape::lanes);
    if (!shuffle((int)q.is_moderate, own * shape::lanes))
      factor_scaled<M>(shared_array<T>() + (threadIdx.x / 32 * shape::per_warp + own) * shape::elements, m, n);
  }
}

template <int M, class T>
static __global__ void __launch_bounds__(32 * register_shape<M, T>::warps, register_shape<M, T>::blocks)
  geqrf_lanes(batch<T> a, batch<T> tau)
{
  using shape = register_shape<M, T>;
  const int own = threadIdx.x / shape::lanes;
  register_qr<M, T> q;
  q.lane = threadIdx.x % shape::lanes;
  q.tile = shared_array<T>() + own * shape::elements;
  for (int64_t first = (int64_t)blockIdx.x * shape::per_block; first < a.count;
       first += (int64_t)gridDim.x * shape::per_block) {
    {
      const register_matrix<T> from(a, first + own, q.lane);
      fetch(q, from);
      __syncwarp();
      q.read(from.m, from.n);
      __syncwarp();
      q.template stages<M>(min(from.m, from.n), min(a.m, a.n));
      __syncwarp();
    }
    recompute(first);
    const int64_t b = first + own;
    const register_matrix<T> to(a, b, q.lane);
    if (!__all_sync(all_lanes, q.is_moderate)) repair(q, to);
    store(q, to);
    for (int j = q.lane; j < min(to.m, to.n); j += shape::lanes) tau.at(b)[(int64_t)j * tau.increment(b)] = q.tau(j);
    __syncwarp();
  }
}

template <class T> int launch_geqrf_lanes(batched_ctx *ctx, const batch<T> &a, const batch<T> &tau)
{
  const auto go = [&](auto kernel, auto shape) {
    return launch(ctx, kernel, ceil_div(a.count, shape.per_block), 32 * shape.warps, shape.bytes, a, tau);
  };
  const int most = a.m > a.n ? a.m : a.n;
  if (most <= 4) return go(geqrf_lanes<4, T>, register_shape<4, T>());
  if (most <= 8) return go(geqrf_lanes<8, T>, register_shape<8, T>());
  if (most <= 16) return go(geqrf_lanes<16, T>, register_shape<16, T>());
  if (most <= 24) return go(geqrf_lanes<24, T>, register_shape<24, T>());
  return go(geqrf_lanes<32, T>, register_shape<32, T>());
}

} // namespace batched_cuda::qr

#endif
