/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of matrices up to 32 x 32 in registers: a lane holds a row, N lanes a matrix, a warp 32 / N matrices.  Rows do not
 * move: each lane knows where its row belongs (its place), and stores it there in the end, which within a column costs
 * nothing.
 */
#ifndef BATCHED_CUDA_LU_REGISTER_CUH
#define BATCHED_CUDA_LU_REGISTER_CUH

#include "lu_pivot.cuh"

namespace batched_cuda
{

enum { LU_REGISTER_THREADS = 128 };

/* One matrix's part in a warp.  Columns are taken in groups of G: the current group is x[0..G), behind it come the
 * columns not yet reached, then those that are finished; so the code of one group serves all. */
template <class T, int N> struct register_lu {
  static constexpr int G = N < 8 ? N : 8;
  T x[N];
  int m, n, row, place; /* place: the row's position after the exchanges */
  int pivot, info;      /* pivot: entry number `row` of ipiv */

  __device__ __forceinline__ void load(const T *a, int ld)
  {
#pragma unroll
    for (int c = 0; c < N; c++) x[c] = row < m && c < n ? a[row + (int64_t)c * ld] : make<T>(0);
    place = row;
    pivot = info = 0;
  }
  __device__ __forceinline__ void store(T *a, int ld) const
  {
    if (row >= m) return;
#pragma unroll
    for (int c = 0; c < N; c++)
      if (c < n) a[place + (int64_t)c * ld] = x[c];
  }
  /* Step k = k0 + S: choose the pivot, exchange, divide, update what is right of it. */
  template <int S> __device__ __forceinline__ void step(int k0, shared_row<T, N> *rows)
  {
    const int k = k0 + S, lane = threadIdx.x % 32, groups = (N - k0) / G;
    const bool stepping = k < m && k < n;
    const int best = best_lane<N>(key_of(x[S], place, k, stepping && row < m));
    const int from = __shfl_sync(0xffffffffu, place, best < 0 ? lane : best);
    T *u = rows[k % 2].x;
    if (lane == best) {
#pragma unroll
      for (int c = 0; c < N; c++)
        if (c / G < groups) u[c] = x[c];
    }
    __syncwarp();
    if (!stepping) return;
    const T d = u[S];
    const bool bad = is_bad_pivot(d);
    if (row == k) pivot = from + 1;
    if (bad && !info) info = k + 1;
    if (lane == best)
      place = k;
    else if (place == k)
      place = from;
    if (place <= k) return;
    if (d != make<T>(0)) x[S] = divide(x[S], d);
    const T l = -x[S];
#pragma unroll
    for (int q = 0; q < N / G; q++)
      if (q < groups) {
#pragma unroll
        for (int c = q * G; c < (q + 1) * G; c++)
          if (c > S) x[c] = mad(l, u[c], x[c]);
      }
  }
  template <int S> __device__ __forceinline__ void steps(int k0, int last, shared_row<T, N> *rows)
  {
    if constexpr (S < G) {
      if (k0 + S < last) step<S>(k0, rows);
      __syncwarp();
      steps<S + 1>(k0, last, rows);
    }
  }
  __device__ __forceinline__ void factor(shared_row<T, N> *rows)
  {
    const int last = (int)__reduce_max_sync(0xffffffffu, (unsigned)(m < n ? m : n));
#pragma unroll 1
    for (int k0 = 0; k0 < N; k0 += G) {
      steps<0>(k0, last, rows);
      if constexpr (G < N) {
        T done[G];
#pragma unroll
        for (int c = 0; c < G; c++) done[c] = x[c];
#pragma unroll
        for (int c = 0; c < N - G; c++) x[c] = x[c + G];
#pragma unroll
        for (int c = 0; c < G; c++) x[N - G + c] = done[c];
      }
    }
  }
};

template <class T, int N>
__global__ void __launch_bounds__(LU_REGISTER_THREADS)
  getrf_register(batch<T> a, int *__restrict__ ipiv, int npivots, int *__restrict__ info)
{
  constexpr int each = LU_REGISTER_THREADS / N;
  __shared__ shared_row<T, N> rows[2 * each];
  const int group = threadIdx.x / N;
  for (int64_t first = (int64_t)blockIdx.x * each; first < a.count; first += (int64_t)gridDim.x * each) {
    const int64_t b = first + group;
    const bool exists = b < a.count;
    register_lu<T, N> lu;
    lu.row = threadIdx.x % N;
    lu.m = exists ? a.rows(b) : 0;
    lu.n = exists ? a.cols(b) : 0;
    const bool empty = lu.m == 0 || lu.n == 0;
    T *at = empty ? nullptr : a.at(b);
    const int ld = empty ? 0 : a.leading(b);
    if (empty) lu.m = 0;
    lu.load(at, ld);
    lu.factor(rows + 2 * group);
    lu.store(at, ld);
    if (exists && lu.row < lu.m && lu.row < lu.n) ipiv[b * npivots + lu.row] = lu.pivot;
    if (exists && lu.row == 0) info[b] = lu.info;
  }
}

template <class T> int run_getrf_register(batched_ctx *ctx, const batched_getrf_args *p)
{
  const batch<T> a = view<T>(p->a);
  const int most = a.m > a.n ? a.m : a.n, npivots = a.m < a.n ? a.m : a.n;
  const auto go = [&](auto kernel, int each) {
    return launch(ctx, kernel, ceil_div(a.count, each), LU_REGISTER_THREADS, 0, a, p->ipiv, npivots, p->info);
  };
  if (most <= 4) return go(getrf_register<T, 4>, LU_REGISTER_THREADS / 4);
  if (most <= 8) return go(getrf_register<T, 8>, LU_REGISTER_THREADS / 8);
  if (most <= 16) return go(getrf_register<T, 16>, LU_REGISTER_THREADS / 16);
  return go(getrf_register<T, 32>, LU_REGISTER_THREADS / 32);
}

} // namespace batched_cuda

#endif
