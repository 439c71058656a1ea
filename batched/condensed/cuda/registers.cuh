/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.registers of gebrd, hetrd and gehrd: a block per matrix, which is in the registers of its threads.
 *
 *   algorithm  LAPACK's gebd2, hetd2 and gehd2, on a matrix whose largest element is brought near 1 by a power of two.
 *              Lanes have columns, warps have rows: A v stays within a warp, and A^H u within a lane but for one sum
 *              over warps.  That sum is made of the column that u = inverse (column - beta e) comes from, and is its
 *              squared norm, too: one barrier per step, of all warps, and none for the norm.  hetrd has both triangles,
 *              so that A u = A^H u, and no sum over lanes
 *   grid       a block of W warps per matrix
 *   registers  TR x TC elements: warp w has rows w, w + W, ..., lane l columns l, l + 32, ...
 *   shared     the matrix, where it is loaded and where vectors stay; the warps' parts of a sum, twice, a column, a row
 *   takes      all four types; to 128 rows and columns, z 96
 *   memory     A once from and to global memory
 *   accuracy   as the rows in gebrd.cuh, hetrd.cuh and gehrd.cuh.  A matrix with a vector whose norm is far from that
 *              of the matrix is done again by these
 */
#ifndef BATCHED_CONDENSED_CUDA_REGISTERS_CUH
#define BATCHED_CONDENSED_CUDA_REGISTERS_CUH

#include "batched/condensed/cuda/gebrd.cuh"
#include "batched/condensed/cuda/gehrd.cuh"
#include "batched/condensed/cuda/hetrd.cuh"
#include "batched/condensed/cuda/whole.cuh"

namespace batched_cuda::condensed
{

template <class T> struct alignas(2 * sizeof(T) < 16 ? 2 * sizeof(T) : 16) element_pair {
  T p, q;
};

/* Shared memory of a block.  A step writes parts, row, column and alpha of its parity before its
 * barrier and reads them behind it; what is of a warp alone is written and read by that warp. */
template <int TR, int TC, int W, class T> struct step_memory {
  element_pair<T> old[W][TR]; /* of a warp: the update A -= p alpha^T + q beta^T, by rows */
  T raw[2][W][TR];            /* of a warp: its rows of column i below the head, and of column i + 1 */
  T parts[2][W][32 * TC];
  T row[2][32 * TC], column[2][TR * W];
  T alpha[2];
};

DEVICE constexpr int power_above(int n)
{
  return n <= 1 ? 1 : 2 * power_above((n + 1) / 2);
}

template <int TR, int TC, int W, class T> struct block_registers {
  static constexpr int ROWS = TR, COLUMNS = TC, WARPS = W;
  T a[TR][TC];
  T f[TC], g[TC]; /* factors of the update, conj(alpha) and conj(beta), of this lane's columns; 0 where it is over */
  step_memory<TR, TC, W, T> *s;
  dense_matrix<T> tile;
  int lane, warp;
  bool is_safe; /* are the norms of all vectors within range? */

  __device__ __forceinline__ int row(int k) const
  {
    return k * W + warp;
  }
  __device__ __forceinline__ int column(int t) const
  {
    return 32 * t + lane;
  }
  /* element(i, j) for all i < m, j < n, zero beyond; returns the scale, by which they are multiplied. */
  template <class F> __device__ __forceinline__ real_of<T> read(int m, int n, F element)
  {
    __shared__ maximum_of<real_of<T>> of_warps[W];
    maximum_of<real_of<T>> size;
#pragma unroll
    for (int k = 0; k < TR; k++)
#pragma unroll
      for (int t = 0; t < TC; t++) {
        a[k][t] = row(k) < m && column(t) < n ? element(row(k), column(t)) : make<T>(0);
        size.add(qr::largest_part(a[k][t]));
      }
    const real_of<T> scale = qr::column_scale(merge_block(size, of_warps).result());
#pragma unroll
    for (int k = 0; k < TR; k++)
#pragma unroll
      for (int t = 0; t < TC; t++) a[k][t] = scale * a[k][t];
#pragma unroll
    for (int t = 0; t < TC; t++) f[t] = g[t] = make<T>(0);
    for (int k = lane; k < TR; k += 32) s->old[warp][k] = {make<T>(0), make<T>(0)};
    is_safe = true;
    __syncthreads();
    return scale;
  }
  /* The update, of rows from slot K and columns from slot C on. */
  template <int K, int C> __device__ __forceinline__ void update()
  {
#pragma unroll
    for (int k = K; k < TR; k++) {
      const element_pair<T> x = s->old[warp][k];
#pragma unroll
      for (int t = C; t < TC; t++) a[k][t] = mad(-conj(g[t]), x.q, mad(-conj(f[t]), x.p, a[k][t]));
    }
  }
  /* Puts this warp's elements of column j to raw[at]. */
  template <int K, int C> __device__ __forceinline__ void publish_column(int j, int at) const
  {
#pragma unroll
    for (int t = C; t < TC; t++)
      if (column(t) == j)
#pragma unroll
        for (int k = K; k < TR; k++) s->raw[at][warp][k] = a[k][t];
  }
  /* Row i for all; slots K .. K + N of the warps have it. */
  template <int K, int C, int N> __device__ __forceinline__ void publish_row(int i, int at) const
  {
    if (i % W != warp) return;
#pragma unroll
    for (int t = C; t < TC; t++) {
      T x = a[K][t];
#pragma unroll
      for (int k = K + 1; k < TR && k <= K + N; k++) x = select(k == i / W, a[k][t], x);
      s->row[at][column(t)] = x;
    }
  }
  /* This warp's part of (column c)^H raw[0], of all columns. */
  template <int K, int C> __device__ __forceinline__ void publish_dots(int at) const
  {
    T sum[TC];
#pragma unroll
    for (int t = C; t < TC; t++) sum[t] = make<T>(0);
#pragma unroll
    for (int k = K; k < TR; k++) {
      const T x = s->raw[0][warp][k];
#pragma unroll
      for (int t = C; t < TC; t++) sum[t] = qr::conj_mad(a[k][t], x, sum[t]);
    }
#pragma unroll
    for (int t = C; t < TC; t++) s->parts[at][warp][column(t)] = sum[t];
  }
  /* The sum of the warps' parts. */
  __device__ __forceinline__ T sum_of(int at, int c) const
  {
    T sum = s->parts[at][0][c];
#pragma unroll
    for (int w = 1; w < W; w++) sum += s->parts[at][w][c];
    return sum;
  }
  /* Row slot K + lane % (a power of two) of A x, x the lanes' factors. */
  template <int K, int C> __device__ __forceinline__ T multiply(const T (&x)[TC]) const
  {
    constexpr int N = power_above(TR - K);
    T sum[N];
#pragma unroll
    for (int k = 0; k < N; k++) {
      sum[k] = make<T>(0);
      if (k + K < TR)
#pragma unroll
        for (int t = C; t < TC; t++) sum[k] = mad(a[k + K][t], x[t], sum[k]);
    }
    return sum_transposed<N, 32>(sum);
  }
  /* x of column c, for all lanes. */
  template <int C> __device__ __forceinline__ T of_column(const T (&x)[TC], int c) const
  {
    T y = x[TC - 1];
#pragma unroll
    for (int t = C; t < TC - 1; t++) y = select(t == c / 32, x[t], y);
    return shuffle(y, c % 32);
  }
  __device__ __forceinline__ qr::reflector<T> reflect(T alpha, real_of<T> tail)
  {
    is_safe = is_safe && (condensed::is_safe(tail + square(alpha)) || (tail == 0 && alpha == make<T>(0)));
    return qr::reflect(alpha, tail);
  }
};

/* ------------------------------------------------------------------ the reductions */

/* Columns per stage: behind it the row and column slots that are done are left out. */
template <class Q> constexpr int stage_columns = Q::COLUMNS <= 2 ? 16 : 32;
template <class Q, int stage> constexpr int first_row_slot = stage *stage_columns<Q> / Q::WARPS;
template <class Q, int stage> constexpr int first_column_slot = stage *stage_columns<Q> / 32;

template <int S, int TR, int TC, int W, class T>
static __device__ __forceinline__ void reduce_stage(const gebrd_task<T> &g, int64_t b, block_registers<TR, TC, W, T> &q,
                                                    [[maybe_unused]] real_of<T> back, int from, int last)
{
  using B = block_registers<TR, TC, W, T>;
  using R = real_of<T>;
  const bool turned = g.is_turned(b);
  const int m = turned ? g.a.cols(b) : g.a.rows(b), n = turned ? g.a.rows(b) : g.a.cols(b);
  const int lane = q.lane, warp = q.warp;
  constexpr int K = first_row_slot<B, S>, C = first_column_slot<B, S>;
  for (int i = from; i < last; i++) {
    const int at = i % 2, first = i + 1;
    q.template update<K, C>();
    __syncwarp();
    q.template publish_column<K, C>(i, 0);
    q.template publish_column<K, C>(first, 1);
    q.template publish_row<K, C, stage_columns<B> / W>(i, at);
    __syncwarp();
    const int k = K + lane, r = q.row(k);
    const bool own = k < TR;
    if (own && r <= i) q.s->raw[0][warp][k] = make<T>(0);
    __syncwarp();
    q.template publish_dots<K, C>(at);
    __syncthreads();
    const qr::reflector<T> h = q.reflect(q.s->row[at][i], real(q.sum_of(at, i)));
    T z[TC], y[TC];
    T sums[2] = {make<T>(0), make<T>(0)}; /* |z|^2 behind the first; y^H z */
#pragma unroll
    for (int t = C; t < TC; t++) {
      const int c = q.column(t);
      const T top = conj(q.s->row[at][c]);
      y[t] = c > i ? h.tau * mad(h.inverse, q.sum_of(at, c), top) : make<T>(0);
      z[t] = c > i && c < n ? top - y[t] : make<T>(0);
      if (c > first) sums[0] += make<T>(square(z[t]));
      sums[1] = qr::conj_mad(y[t], z[t], sums[1]);
    }
    const T product = q.template multiply<K, C>(z);
    const T below = q.s->raw[0][warp][own ? k : K], next = q.s->raw[1][warp][own ? k : K];
    const T u = r > i ? h.inverse * below : make<T>(r == i);
    if (own && r >= i && r < m) q.tile(r, i) = r == i ? make<T>(h.beta) : u;
    if (threadIdx.x == 0) {
      put_reflector(g, b, true, i, h.tau);
      put_real(g.d, b, i, back * h.beta);
    }
    if (first == n) break;
    const R tail = sum_lanes(real(sums[0]));
    const T along = sum_lanes(sums[1]);
    const T alpha = q.template of_column<C>(z, first), y_first = q.template of_column<C>(y, first);
    const qr::reflector<T> p = q.reflect(alpha, tail);
    const T beta = make<T>(p.beta), both = along - conj(y_first) * beta;
    const bool writes = i % W == warp;
#pragma unroll
    for (int t = C; t < TC; t++) {
      const int c = q.column(t);
      const T v = c == first ? make<T>(1) : z[t] * p.inverse;
      q.f[t] = y[t];
      q.g[t] = v;
      if (writes && c > i && c < n) q.tile(i, c) = c == first ? beta : conj(v);
    }
    if (own) q.s->old[warp][k] = {u, r > i ? (p.tau * p.inverse) * (product - beta * next - both * u) : make<T>(0)};
    if (threadIdx.x == 0) {
      put_reflector(g, b, false, i, p.tau);
      put_real(g.e, b, i, back * p.beta);
    }
    __syncwarp();
  }
}

template <int S, int TR, int TC, int W, class T>
static __device__ __forceinline__ void reduce_stage(const hetrd_task<T> &h, int64_t b, block_registers<TR, TC, W, T> &q,
                                                    [[maybe_unused]] real_of<T> back, int from, int last)
{
  using B = block_registers<TR, TC, W, T>;
  const int n = h.a.rows(b), lane = q.lane, warp = q.warp;
  constexpr int K = first_row_slot<B, S>, C = first_column_slot<B, S>;
  for (int j = from; j < last; j++) {
    const int at = j % 2, head = j + 1;
    q.template update<K, C>();
    q.template publish_column<K, C>(j, 0);
    __syncwarp();
    const int k = K + lane, i = q.row(k);
    if (k < TR) {
      const T x = q.s->raw[0][warp][k];
      q.s->raw[0][warp][k] = q.s->column[at][i] = i > head ? x : make<T>(0);
      if (i == head) q.s->alpha[at] = x;
      if (i == j) {
        q.tile(j, j) = make<T>(real(x));
        h.put(h.d, b, n, j, back * real(x));
      }
    }
    if (head == n) break;
    q.template publish_row<K, C, stage_columns<B> / W>(head, at);
    __syncwarp();
    q.template publish_dots<K, C>(at);
    __syncthreads();
    const qr::reflector<T> r = q.reflect(q.s->alpha[at], real(q.sum_of(at, j)));
    T p[TC], u[TC], along = make<T>(0);
#pragma unroll
    for (int t = C; t < TC; t++) {
      const int c = q.column(t);
      u[t] = c == head ? make<T>(1) : q.s->column[at][c] * r.inverse;
      p[t] = c > j ? r.tau * mad(r.inverse, q.sum_of(at, c), conj(q.s->row[at][c])) : make<T>(0);
      along = qr::conj_mad(p[t], u[t], along);
    }
    const T half = real_of<T>(0.5) * (r.tau * sum_lanes(along));
    const bool writes = j % W == warp;
#pragma unroll
    for (int t = C; t < TC; t++) {
      const int c = q.column(t);
      const T w = c > j ? mad(-half, u[t], p[t]) : make<T>(0);
      q.f[t] = w;
      q.g[t] = u[t];
      if (lane % W == warp) q.s->old[warp][c / W] = {u[t], w};
      if (writes && c > j && c < n) q.tile(c, j) = c == head ? make<T>(r.beta) : u[t];
    }
    if (threadIdx.x == 0) {
      h.put(h.e, b, n - 1, j, back * r.beta);
      h.put(h.tau, b, n - 1, j, r.tau);
    }
    __syncwarp();
  }
}

template <int S, int TR, int TC, int W, class T>
static __device__ __forceinline__ void reduce_stage(const gehrd_task<T> &g, int64_t b, block_registers<TR, TC, W, T> &q,
                                                    [[maybe_unused]] real_of<T> back, int from, int last)
{
  using B = block_registers<TR, TC, W, T>;
  const int begin = g.ilo - 1, end = min(g.ihi, g.a.rows(b)), lane = q.lane, warp = q.warp;
  constexpr int K = first_row_slot<B, S>, C = first_column_slot<B, S>;
  for (int j = max(from, begin); j < last; j++) {
    const int at = j % 2, head = j + 1;
    q.template update<0, C>();
    q.template publish_column<0, C>(j, 0);
    __syncwarp();
    const int i = q.row(lane);
    if (lane < TR) {
      const T x = q.s->raw[0][warp][lane];
      q.s->raw[0][warp][lane] = q.s->column[at][i] = i > head && i < end ? x : make<T>(0);
      if (i == head) q.s->alpha[at] = x;
      if (i <= j) q.tile(i, j) = x;
    }
    q.template publish_row<K, C, stage_columns<B> / W>(head, at);
    __syncwarp();
    q.template publish_dots<K, C>(at);
    __syncthreads();
    const qr::reflector<T> r = q.reflect(q.s->alpha[at], real(q.sum_of(at, j)));
    T v[TC], dot[TC], along = make<T>(0);
#pragma unroll
    for (int t = C; t < TC; t++) {
      const int c = q.column(t);
      v[t] = c == head ? make<T>(1) : q.s->column[at][c] * r.inverse;
      dot[t] = c > j ? mad(r.inverse, q.sum_of(at, c), conj(q.s->row[at][c])) : make<T>(0);
      along = qr::conj_mad(v[t], dot[t], along);
    }
    const T x = r.tau * q.template multiply<0, C>(v);
    const T both = conj(r.tau) * sum_lanes(along);
    const bool writes = j % W == warp;
#pragma unroll
    for (int t = C; t < TC; t++) {
      const int c = q.column(t);
      q.f[t] = c > j ? r.tau * mad(-both, v[t], dot[t]) : make<T>(0);
      q.g[t] = v[t];
      if (writes && c > j && c < end) q.tile(c, j) = c == head ? make<T>(r.beta) : v[t];
    }
    if (lane < TR) {
      const T own = i == head ? make<T>(1) : q.s->column[at][i] * r.inverse;
      q.s->old[warp][lane] = {own, i < end ? x : make<T>(0)};
    }
    if (threadIdx.x == 0) g.tau.at(b)[(int64_t)j * g.tau.increment(b)] = r.tau;
    __syncwarp();
  }
}

/* Columns from .. last - 1, a stage after the other. */
template <int S = 0, class Task, class B>
static __device__ __forceinline__ void reduce_stages(const Task &g, int64_t b, B &q,
                                                     real_of<typename Task::scalar> back, int last)
{
  constexpr int L = stage_columns<B>;
  if constexpr (S * L < 32 * B::COLUMNS && S * L < B::ROWS * B::WARPS) {
    if (S * L >= last) return;
    reduce_stage<S>(g, b, q, back, S * L, min(last, S * L + L));
    reduce_stages<S + 1>(g, b, q, back, last);
  }
}

template <class B, class T>
static __device__ __forceinline__ void reduce_registers(const gebrd_task<T> &g, int64_t b, B &q, real_of<T> back)
{
  const int n = min(g.a.rows(b), g.a.cols(b));
  reduce_stages(g, b, q, back, n);
  if (threadIdx.x == 0) put_reflector(g, b, false, n - 1, make<T>(0));
}

template <class B, class T>
static __device__ __forceinline__ void reduce_registers(const hetrd_task<T> &h, int64_t b, B &q, real_of<T> back)
{
  reduce_stages(h, b, q, back, h.a.rows(b));
}

template <class B, class T>
static __device__ __forceinline__ void reduce_registers(const gehrd_task<T> &g, int64_t b, B &q, real_of<T> back)
{
  const int n = g.a.rows(b), begin = g.ilo - 1, end = min(g.ihi, n);
  for (int i = threadIdx.x; i < n - 1; i += blockDim.x)
    if (i < begin || i >= end - 1) g.tau.at(b)[(int64_t)i * g.tau.increment(b)] = make<T>(0);
  reduce_stages(g, b, q, back, end - 1);
  q.template update<0, 0>();
#pragma unroll
  for (int t = 0; t < B::COLUMNS; t++) {
    const int c = q.column(t);
    if (c < n && (c < begin || c >= end - 1))
#pragma unroll
      for (int k = 0; k < B::ROWS; k++)
        if (q.row(k) < n) q.tile(q.row(k), c) = q.a[k][t];
  }
}

/* ------------------------------------------------------------------ kernel and rows */

/* Element (i, j) of the copy of a matrix that was loaded; of one that is Hermitian, from the lower triangle; zero where
 * gehrd reads nothing. */
template <class T>
__device__ __forceinline__ T loaded(const gebrd_task<T> &, int64_t, const dense_matrix<T> &from, int i, int j)
{
  return from(i, j);
}
template <class T>
__device__ __forceinline__ T loaded(const hetrd_task<T> &, int64_t, const dense_matrix<T> &from, int i, int j)
{
  return i < j ? conj(from(j, i)) : from(i, j);
}
template <class T>
__device__ __forceinline__ T loaded(const gehrd_task<T> &g, int64_t b, const dense_matrix<T> &from, int i, int j)
{
  return i <= j + 1 || (j >= g.ilo - 1 && i < min(g.ihi, g.a.rows(b))) ? from(i, j) : make<T>(0);
}

template <int TR, int TC, int W, int blocks, class Task>
static __global__ void __launch_bounds__(32 * W, blocks)
  reduce_block(const __grid_constant__ Task g, copies<typename Task::scalar> to)
{
  using T = typename Task::scalar;
  T *const memory = shared_array<T>();
  block_registers<TR, TC, W, T> q;
  q.tile = {memory, to.ld};
  q.s = reinterpret_cast<step_memory<TR, TC, W, T> *>(memory + to.vectors);
  q.lane = threadIdx.x % 32;
  q.warp = threadIdx.x / 32;
  for (int64_t b = blockIdx.x; b < g.a.count; b += gridDim.x) {
    const int m = g.a.rows(b), n = m > 0 ? g.a.cols(b) : 0;
    if (n == 0) continue;
    g.load(b, q.tile, real_of<T>(1));
    __syncthreads();
    const real_of<T> scale = q.read(max(m, n), min(m, n), [&](int i, int j) { return loaded(g, b, q.tile, i, j); });
    const real_of<T> back = qr::inverse_scale(scale);
    reduce_registers(g, b, q, back);
    __syncthreads();
    if (!q.is_safe) {
      g.load(b, q.tile, scale);
      __syncthreads();
      reduce<(TR * W + 31) / 32>(g, b, q.tile, memory + to.vectors, back);
      __syncthreads();
    }
    g.store(b, q.tile, back);
    __syncthreads();
  }
}

/* f(rows per thread, columns per thread, warps, blocks per multiprocessor) as constants for the tile that takes g. */
template <class Task, class F> auto with_tile(const Task &g, F f)
{
  using T = typename Task::scalar;
  const auto go = [&](auto r, auto c, auto w, auto blocks) { return f(r, c, w, blocks); };
  using std::integral_constant;
  if constexpr (sizeof(T) == 16) {
    if (g.most_rows() <= 64)
      return go(integral_constant<int, 8>(), integral_constant<int, 2>(), integral_constant<int, 8>(),
                integral_constant<int, 2>());
    return go(integral_constant<int, 12>(), integral_constant<int, 3>(), integral_constant<int, 8>(),
              integral_constant<int, 1>());
  } else {
    if (g.most_rows() <= 64)
      return go(integral_constant<int, 16>(), integral_constant<int, 2>(), integral_constant<int, 4>(),
                integral_constant<int, 4>());
    if (g.most_rows() <= 96)
      return go(integral_constant<int, 12>(), integral_constant<int, 3>(), integral_constant<int, 8>(),
                integral_constant<int, 2>());
    return go(integral_constant<int, 16>(), integral_constant<int, 4>(), integral_constant<int, 8>(),
              integral_constant<int, 1>());
  }
}

template <class Task> copies<typename Task::scalar> register_copies_of(const Task &g)
{
  using T = typename Task::scalar;
  return with_tile(g, [&](auto r, auto c, auto w, auto) {
    copies<T> to = copies_of(g, w);
    to.vectors = (to.vectors + 1) / 2 * 2;
    const int64_t others = g.vector_elements(w), steps = sizeof(step_memory<r, c, w, T>) / sizeof(T);
    to.elements = to.vectors + (others > steps ? others : steps);
    return to;
  });
}

template <class Task> constexpr int most_in_registers = sizeof(typename Task::scalar) == 16 ? 96 : 128;

template <class Task> bool fits_in_registers(const Task &g)
{
  return g.most_rows() <= most_in_registers<Task> &&
         (size_t)register_copies_of(g).elements * sizeof(typename Task::scalar) + 1024 <= most_shared();
}

template <class Task> int run_in_registers(batched_ctx *ctx, const Task &g)
{
  const auto to = register_copies_of(g);
  const size_t bytes = (size_t)to.elements * sizeof(typename Task::scalar);
  return with_tile(g, [&](auto r, auto c, auto w, auto blocks) {
    return launch(ctx, reduce_block<r, c, w, blocks, Task>, g.a.count, 32 * w, bytes, g, to);
  });
}

} // namespace batched_cuda::condensed

#endif
