/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of matrices up to 32 x 32 in registers: a lane holds a row of N columns, P lanes a matrix, a warp 32 / P matrices.
 * Rows do not move: each lane knows where its row belongs (its place), and stores it there in the end, which within a column
 * costs nothing.
 */
#ifndef BATCHED_CUDA_LU_REGISTER_CUH
#define BATCHED_CUDA_LU_REGISTER_CUH

#include "lu.cuh"
#include "lu_pivot.cuh"
#include "triangle.cuh"

namespace batched_cuda
{

enum { LU_REGISTER_THREADS = 128 };

/* Lanes of a matrix with N columns. */
template <int N> constexpr int lu_lanes = N > 16 ? 32 : N;

/* Blocks that fit on a multiprocessor by the registers of their rows. */
template <class T, int N>
constexpr int register_blocks = N * sizeof(T) > 256   ? 2
                                : N * sizeof(T) > 128 ? (sizeof(T) == 16 ? 3 : 4)
                                                      : 6;

/* One matrix's part in a warp. */
template <class T, int N> struct register_lu {
  static constexpr int P = lu_lanes<N>, V = pack<T>::size;
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
  __device__ __forceinline__ pack<T> packed(int c) const
  {
    pack<T> p;
#pragma unroll
    for (int v = 0; v < V; v++) p.x[v] = x[c + v];
    return p;
  }
  /* Step k: choose the pivot, exchange, divide, update what is right of it. */
  template <int k> __device__ __forceinline__ void step(shared_row<T, N> *rows)
  {
    const int lane = threadIdx.x % 32;
    const bool stepping = k < m && k < n;
    const int candidate[1] = {stepping && row < m ? place : -1};
    int own;
    const T column[1] = {x[k]};
    const int best = pivot_lane<P, 1>(column, candidate, k, &own);
    const int from = __shfl_sync(0xffffffffu, place, best < 0 ? lane : best);
    T *u = rows[k % 2].x;
    if (lane == best) {
#pragma unroll
      for (int c = k / V * V; c < N; c += V) *reinterpret_cast<pack<T> *>(u + c) = packed(c);
    }
    __syncwarp();
    if (!stepping) return;
    const diagonal<T> d(u[k]);
    if (row == k) pivot = from + 1;
    if (is_bad_pivot(d.d) && !info) info = k + 1;
    if (lane == best)
      place = k;
    else if (place == k)
      place = from;
    if (place <= k || row >= m) return;
    if (d.d != make<T>(0)) x[k] = d.solve(x[k]);
    const T l = -x[k];
#pragma unroll
    for (int c = (k + 1) / V * V; c < N; c += V) {
      const pack<T> p = *reinterpret_cast<const pack<T> *>(u + c);
#pragma unroll
      for (int v = 0; v < V; v++)
        if (c + v > k) x[c + v] = mad(l, p.x[v], x[c + v]);
    }
  }
  template <int k> __device__ __forceinline__ void steps(int last, shared_row<T, N> *rows)
  {
    if constexpr (k < N) {
      if (k >= last) return;
      step<k>(rows);
      __syncwarp();
      steps<k + 1>(last, rows);
    }
  }
  __device__ __forceinline__ void factor(shared_row<T, N> *rows)
  {
    steps<0>((int)__reduce_max_sync(0xffffffffu, (unsigned)(m < n ? m : n)), rows);
  }
};

template <class T, int N>
__global__ void __launch_bounds__(LU_REGISTER_THREADS, register_blocks<T, N>)
  getrf_register(batch<T> a, int *__restrict__ ipiv, int npivots, int *__restrict__ info)
{
  constexpr int P = lu_lanes<N>, each = LU_REGISTER_THREADS / P;
  __shared__ shared_row<T, N> rows[2 * each];
  const int group = threadIdx.x / P;
  for (int64_t first = (int64_t)blockIdx.x * each; first < a.count; first += (int64_t)gridDim.x * each) {
    const int64_t b = first + group;
    const bool exists = b < a.count;
    register_lu<T, N> lu;
    lu.row = threadIdx.x % P;
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
  const auto go = [&](auto kernel, int lanes) {
    return launch(ctx, kernel, ceil_div(a.count, LU_REGISTER_THREADS / lanes), LU_REGISTER_THREADS, 0, a, p->ipiv,
                  npivots, p->info);
  };
  if (most <= 4) return go(getrf_register<T, 4>, 4);
  if (most <= 8) return go(getrf_register<T, 8>, 8);
  if (most <= 16) return go(getrf_register<T, 16>, 16);
  if (a.n <= 24) return go(getrf_register<T, 24>, 32);
  return go(getrf_register<T, 32>, 32);
}

} // namespace batched_cuda

#endif
