/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sweeps of native.cuh over a block's own columns of A: A^H u, and the block's part of A times what follows from it, in
 * one pass over a column that the registers of the block hold, else in two. The parts are posted.
 */
#ifndef BATCHED_CONDENSED_CUDA_NATIVE_SWEEP_CUH
#define BATCHED_CONDENSED_CUDA_NATIVE_SWEEP_CUH

#include "batched/condensed/cuda/native/reflector.cuh"

namespace batched_cuda::condensed
{

/* A sweep over the block's own columns, which are only read. */
template <bool LOWER, bool WITH_ROW, class T> struct native_sweep {
  native_block<T> &g;
  int i, first_row;
  T tau;
  native_reflector<T> u;

  __device__ __forceinline__ int low(int c) const
  {
    return LOWER ? c + g.shift : first_row;
  }
  /* The column's factor, given (column at place k)^H u. */
  __device__ __forceinline__ T factor(int k, T dot) const
  {
    if constexpr (WITH_ROW) return g.row[k] - tau * (g.sum[k] + dot);
    return g.row[k];
  }
  __device__ __forceinline__ void put(int k, T dot) const
  {
    const T s = g.sum[k] + dot;
    if constexpr (WITH_ROW) g.own_y[k * g.pitch + i] = tau * s;
    g.z[k] = WITH_ROW ? g.row[k] - tau * s : s;
  }
};

/* As read_columns, with rows threadIdx + 512 k in a thread; returns the thread's share of u^H (parts). */
template <int R, bool LOWER, bool WITH_ROW, class T>
static __device__ T read_own_columns(const native_sweep<LOWER, WITH_ROW, T> &s)
{
  constexpr int G = R * sizeof(T) <= 32 ? 4 : R * sizeof(T) <= 64 ? 2 : 1, sums = G * native_warps;
  const native_block<T> &g = s.g;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, places = g.cols.count;
  constexpr bool stores = native_stores<T>(R);
  T held[stores ? 1 : R], sum[R], x[G][R];
  const auto u = [&](int k) -> T & { return stores ? g.u[threadIdx.x + native_threads * k] : held[stores ? 0 : k]; };
  const auto is_left = [&](int place) {
    const int c = g.cols.index(place);
    return c > s.i && c < g.n;
  };
#pragma unroll
  for (int k = 0; k < R; k += 4) {
    T column[4];
    g.await_column(column, s.first_row, k);
#pragma unroll
    for (int t = 0; t < 4; t++) {
      const int r = threadIdx.x + native_threads * (k + t);
      u(k + t) = r < g.m ? s.u.element(r, column[t]) : make<T>(0);
      sum[k + t] = make<T>(0);
    }
  }
  for (int k0 = 0, turn = 0; k0 < places; k0 += G, turn ^= 1) {
#pragma unroll
    for (int t = 0; t < G; t++) {
      const int c = g.cols.index(k0 + t), low = is_left(k0 + t) ? s.low(c) : g.m;
#pragma unroll
      for (int k = 0; k < R; k++) {
        const int r = threadIdx.x + native_threads * k;
        x[t][k] = r >= low && r < g.m ? g.a(r, c) : make<T>(0);
      }
    }
    T dot[G];
#pragma unroll
    for (int t = 0; t < G; t++) {
      dot[t] = make<T>(0);
#pragma unroll
      for (int k = 0; k < R; k++) {
        const bool is_diagonal = LOWER && threadIdx.x + native_threads * k == s.low(g.cols.index(k0 + t));
        if (is_diagonal) x[t][k] = make<T>(real(x[t][k]));
        if (!is_diagonal) dot[t] = qr::conj_mad(x[t][k], u(k), dot[t]);
      }
    }
    const T mine = sum_transposed<G, 32>(dot);
    T *const shared = g.sweep_shared[turn];
    if (lane < G) shared[warp * G + lane] = mine;
    __syncthreads();
    T total = shared[lane % sums];
    if constexpr (sums > 32) total += shared[lane + 32];
#pragma unroll
    for (int lanes = G; lanes < 32 && lanes < sums; lanes *= 2) total += shuffle_xor(total, lanes);
    const int place = k0 + lane % G;
    const bool in = is_left(place);
    if (warp == 0 && lane < G && in) s.put(place, total);
    const T mine_f = in ? s.factor(place, total) : make<T>(0);
#pragma unroll
    for (int t = 0; t < G; t++) {
      const T f = shuffle(mine_f, t);
#pragma unroll
      for (int k = 0; k < R; k++) sum[k] = mad(x[t][k], f, sum[k]);
    }
  }
  T both = make<T>(0);
  s.g.parts_tag = g.sums.tag + 1;
#pragma unroll
  for (int k = 0; k < R; k++)
    if (const int r = threadIdx.x + native_threads * k; r < g.m) {
      g.post_part(r, sum[k]);
      both = qr::conj_mad(u(k), sum[k], both);
    }
  return both;
}

/* The parts alone, once z (gebrd) or v is there. */
template <bool LOWER, bool WITH_ROW, class T>
static __device__ T add_own_columns(const native_sweep<LOWER, WITH_ROW, T> &s)
{
  const native_block<T> &g = s.g;
  T both = make<T>(0);
  s.g.parts_tag = g.sums.tag + 1;
  for (int r = threadIdx.x; r < g.m; r += native_threads) {
    T sum = make<T>(0);
    g.cols.for_each(0, 1, s.i + 1, [&](int k, int c) {
      if (r < s.low(c)) return;
      const T x = LOWER && s.low(c) == r ? make<T>(real(g.a(r, c))) : g.a(r, c);
      sum = mad(x, WITH_ROW ? g.z[k] : g.row[k], sum);
    });
    g.post_part(r, sum);
    both = qr::conj_mad(s.u.element(r, g.element_of_column(r)), sum, both);
  }
  return both;
}

/* The same as read_own_columns for any height: a warp per column, then a thread per row. */
template <bool LOWER, bool WITH_ROW, class T>
static __device__ T read_own_columns_twice(const native_sweep<LOWER, WITH_ROW, T> &s)
{
  const native_block<T> &g = s.g;
  const int lane = threadIdx.x % 32;
  for (int k = 0; k * native_threads < g.m; k++) {
    T x[1];
    g.await_column(x, s.first_row, k);
  }
  __syncthreads();
  g.cols.each_warp(s.i + 1, [&](int k, int c) {
    T dot = make<T>(0);
    for (int r = s.low(c) + (LOWER ? 1 : 0) + lane; r < g.m; r += 32)
      dot = qr::conj_mad(g.a(r, c), s.u.element(r, g.element_of_column(r)), dot);
    dot = sum_lanes(dot);
    if (lane == 0) s.put(k, dot);
  });
  __syncthreads();
  return add_own_columns(s);
}

} // namespace batched_cuda::condensed

#endif
