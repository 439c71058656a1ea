/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Leaves of getrf's cuda.recursive: LU with partial pivoting of up to 128 columns of tall matrices, one block each,
 * left-looking by panels of W columns whose rows are in registers.
 *
 * Panel by panel: read it, apply the earlier columns one by one (L from global memory, rows of U through shared
 * memory), then its own columns; each warp offers its best row, one barrier per column. Rows stay where they are in
 * registers and in memory until all panels are done; then one pass moves them to their places.
 *
 * grid      a block per matrix
 * block     a thread per R rows: m <= 1024, R = 1; 2048, R = 2; 4096, R = 4; beyond, getrf_long in memory, 512 threads
 * registers R W elements per thread; W = 16 (complex<double>: 8, 16 up to 512 rows), halved with each doubling of R
 * shared    two candidates per warp, the pivot rows of a panel (static)
 * takes     all four types, any m and n
 * accuracy  as getrf
 */
#ifndef BATCHED_LU_CUDA_TALL_PANEL_CUH
#define BATCHED_LU_CUDA_TALL_PANEL_CUH

#include "batched/lu/cuda/factors.cuh"
#include "batched/cuda/pivot.cuh"
#include "batched/lu/cuda/report_pivot.cuh"
#include "batched/triangular/cuda/triangle.cuh"

namespace batched_cuda::lu
{

/* The best of the warps' keys, in all threads. */
struct chosen_pivot {
  int warp, row;
};
static __device__ __forceinline__ chosen_pivot choose_pivot(const pivot_key *keys)
{
  const int lane = threadIdx.x % 32;
  pivot_key key = {0, 0, INT_MAX};
  if (lane < (int)blockDim.x / 32) key = keys[lane];
  const int warp = best_lane<32>(key);
  return {warp, __shfl_sync(0xffffffffu, key.row, warp)};
}

/* Candidates of each warp for the pivot row, double-buffered by steps; the panel's pivot rows from their pivots on,
 * and their rows in memory. */
template <class T, int W> struct lu_tall_memory {
  shared_row<T, W> candidates[2][32], rows[W];
  pivot_key keys[2][32];
  int origin[W];
};

/* A thread's R rows of a panel of W columns, and where they belong (their places; pivot rows have final ones). */
template <class T, int W, int R> struct lu_tall {
  static constexpr int V = pack<T>::size, STEPS = W < 4 ? 1 : W / 4; /* columns per copy of the code */
  static constexpr int AHEAD = R * W * sizeof(T) < 256 ? 2 : 4;      /* columns of L in flight */

  T *a;
  int64_t ld;
  int m, n, pivots;
  lu_tall_memory<T, W> *shared;
  T x[R][W];
  int place[R]; /* -1: no such row */
  int found = 0;

  __device__ __forceinline__ int row(int r) const
  {
    return threadIdx.x + r * blockDim.x;
  }
  __device__ __forceinline__ void start()
  {
#pragma unroll
    for (int r = 0; r < R; r++) place[r] = row(r) < m ? row(r) : -1;
  }
  __device__ __forceinline__ bool moves(int r) const
  {
    return place[r] >= 0 && place[r] != row(r);
  }
  __device__ __forceinline__ void load(int J, int r, bool wanted)
  {
#pragma unroll
    for (int c = 0; c < W; c++) x[r][c] = wanted && J + c < n ? a[row(r) + (J + c) * ld] : make<T>(0);
  }
  /* Stores row r of panel J as row i. */
  __device__ __forceinline__ void store(int J, int r, int i) const
  {
    T *to = a + i + J * ld;
#pragma unroll
    for (int c = 0; c < W; c++)
      if (J + c < n) to[c * ld] = x[r][c];
  }
  template <int count> static __device__ __forceinline__ void offer(T *line, const T (&x)[W])
  {
#pragma unroll
    for (int c = 0; c < count; c += V) {
      pack<T> p;
#pragma unroll
      for (int v = 0; v < V && c + v < W; v++) p.x[v] = x[c + v];
      *reinterpret_cast<pack<T> *>(line + c) = p;
    }
  }
  /* x[c] = x[c + shift] + l u[c + shift] */
  template <int count, int shift> static __device__ __forceinline__ void subtract(T l, const T *u, T (&x)[W])
  {
#pragma unroll
    for (int c = 0; c < count; c += V) {
      const pack<T> p = *reinterpret_cast<const pack<T> *>(u + c);
#pragma unroll
      for (int v = 0; v < V; v++)
        if (c + v >= shift && c + v < count) x[c + v - shift] = mad(l, p.x[v], x[c + v]);
    }
  }

  /* Reads panel J and applies the columns before it. */
  __device__ __forceinline__ void update(int J)
  {
#pragma unroll
    for (int r = 0; r < R; r++) load(J, r, place[r] >= 0);
    const int end = J < pivots ? J : pivots;
    T next[R][AHEAD];
    fetch(0, end, next);
#pragma unroll 1
    for (int c0 = 0; c0 < end; c0 += AHEAD) {
      T l[R][AHEAD];
#pragma unroll
      for (int r = 0; r < R; r++)
#pragma unroll
        for (int i = 0; i < AHEAD; i++) l[r][i] = next[r][i];
      fetch(c0 + AHEAD, end, next);
#pragma unroll
      for (int i = 0; i < AHEAD; i++) {
        if (c0 + i >= end) continue;
        T *u = shared->candidates[i % 2][0].x;
#pragma unroll
        for (int r = 0; r < R; r++)
          if (place[r] == c0 + i) offer<W>(u, x[r]);
        __syncthreads();
#pragma unroll
        for (int r = 0; r < R; r++)
          if (place[r] > c0 + i) subtract<W, 0>(-l[r][i], u, x[r]);
      }
    }
#pragma unroll
    for (int r = 0; r < R; r++)
      if (place[r] >= 0 && place[r] < end) store(J, r, row(r));
  }
  __device__ __forceinline__ void fetch(int c0, int end, T (&l)[R][AHEAD]) const
  {
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int i = 0; i < AHEAD; i++)
        l[r][i] = place[r] > c0 + i && c0 + i < end ? a[row(r) + (c0 + i) * ld] : make<T>(0);
  }

  /* Columns W - S .. of the panel, one per step; the current column is always x[.][0]. Each warp offers its best
   * row. */
  template <int S> __device__ __forceinline__ void factor(int J, int first, int *ipiv)
  {
    const int begin = J + W - S, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll 1
    for (int k = begin; k < begin + STEPS && k < pivots; k++) {
      shared_row<T, W> *candidates = shared->candidates[k % 2];
      pivot_key key = key_of(x[0][0], place[0], k, place[0] >= 0), *keys = shared->keys[k % 2];
      int mine = 0;
#pragma unroll
      for (int r = 1; r < R; r++) {
        const pivot_key other = key_of(x[r][0], place[r], k, place[r] >= 0);
        if (comes_first(other, key)) key = other, mine = r;
      }
      const int best = best_lane<32>(key);
      if (lane == (best < 0 ? 0 : best)) {
        keys[warp] = key;
#pragma unroll
        for (int r = 0; r < R; r++)
          if (r == mine) offer<S>(candidates[warp].x, x[r]);
        candidates[warp].x[W] = inverse_of(candidates[warp].x[0]);
      }
      __syncthreads();
      const chosen_pivot pivot = choose_pivot(keys);
      const int p = pivot.row;
      const T *u = candidates[pivot.warp].x;
      const diagonal<T> d(u[0], u[W]);
      if (is_bad_pivot(d.d) && !found) found = k + 1;
      if (threadIdx.x == 0) ipiv[k] = first + p + 1;
#pragma unroll
      for (int r = 0; r < R; r++) {
        if (place[r] == p) {
          offer<S>(shared->rows[k - J].x, x[r]);
          shared->origin[k - J] = row(r);
          place[r] = k;
        } else if (place[r] >= k) {
          if (place[r] == k) place[r] = p;
          const T l = d.d == make<T>(0) ? x[r][0] : d.solve(x[r][0]);
          a[row(r) + k * ld] = l;
          subtract<S, 1>(-l, u, x[r]);
        }
      }
    }
    if constexpr (S > STEPS) factor<S - STEPS>(J, first, ipiv);
  }
  /* Stores the panel's rows of U. */
  __device__ __forceinline__ void store_pivots(int J) const
  {
    for (int e = threadIdx.x; e < W * W; e += blockDim.x) {
      const int k = e % W, c = e / W;
      if (c >= k && J + k < pivots && J + c < n) a[shared->origin[k] + (J + c) * ld] = shared->rows[k].x[c - k];
    }
  }

  /* Moves all rows to their places. */
  __device__ __forceinline__ void exchange()
  {
#pragma unroll 1
    for (int J = 0; J < n; J += W) {
#pragma unroll
      for (int r = 0; r < R; r++) load(J, r, moves(r));
      __syncthreads();
#pragma unroll
      for (int r = 0; r < R; r++)
        if (moves(r)) store(J, r, place[r]);
    }
  }
};

/* A matrix's columns, any number of them; rows and columns of the caller's matrix start at `first`. */
template <class T, int W, int R, int THREADS>
__global__ void __launch_bounds__(THREADS)
  getrf_tall(batch<T> a, int first, int *__restrict__ ipiv, int npivots, int *__restrict__ info)
{
  __shared__ lu_tall_memory<T, W> shared;
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    lu_tall<T, W, R> lu;
    lu.m = a.rows(b);
    lu.n = a.cols(b);
    lu.ld = a.leading(b);
    lu.pivots = lu.m < lu.n ? lu.m : lu.n;
    lu.a = lu.pivots > 0 ? a.at(b) : nullptr;
    lu.shared = &shared;
    lu.start();
#pragma unroll 1
    for (int J = 0; J < lu.n && lu.pivots > 0; J += W) {
      lu.update(J);
      lu.template factor<W>(J, first, ipiv + b * npivots + first);
      __syncthreads();
      lu.store_pivots(J);
    }
    __syncthreads();
    if (lu.pivots > 0) lu.exchange();
    if (threadIdx.x == 0) report_pivot(lu.found, first, &info[b]);
    __syncthreads();
  }
}

/* Columns too long for registers, one at a time in global memory. */
enum { LU_LONG_THREADS = 512 };
template <class T>
__global__ void __launch_bounds__(LU_LONG_THREADS)
  getrf_long(batch<T> a, int first, int *__restrict__ ipiv, int npivots, int *__restrict__ info)
{
  __shared__ pivot_key keys[LU_LONG_THREADS / 32];
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = a.cols(b), t = threadIdx.x;
    int found = 0;
    for (int k = 0; k < m && k < n; k++) {
      const int64_t ld = a.leading(b);
      T *x = a.at(b), *column = x + k * ld;
      pivot_key key = {0, 0, INT_MAX};
      for (int i = k + t; i < m; i += LU_LONG_THREADS) {
        const pivot_key other = key_of(column[i], i, k, true);
        if (comes_first(other, key)) key = other;
      }
      const int best = best_lane<32>(key);
      if (t % 32 == (best < 0 ? 0 : best)) keys[t / 32] = key;
      __syncthreads();
      const int p = choose_pivot(keys).row;
      const T d = column[p];
      if (is_bad_pivot(d) && !found) found = k + 1;
      if (t == 0) ipiv[b * npivots + first + k] = first + p + 1;
      __syncthreads();
      for (int j = t; j < n && p != k; j += LU_LONG_THREADS) {
        const T y = x[k + j * ld];
        x[k + j * ld] = x[p + j * ld];
        x[p + j * ld] = y;
      }
      __syncthreads();
      for (int i = k + 1 + t; i < m; i += LU_LONG_THREADS) {
        T l = column[i];
        if (d != make<T>(0)) l = divide(l, d);
        column[i] = l;
        for (int j = k + 1; j < n; j++) x[i + j * ld] = mad(-l, x[k + j * ld], x[i + j * ld]);
      }
      __syncthreads();
    }
    if (t == 0) report_pivot(found, first, &info[b]);
  }
}

/* Columns that a block factors at once. */
template <class T> int tall_columns(int m)
{
  return m <= 4096 && sizeof(T) < 16 ? 128 : 64;
}

/* Picks the kernel by the number of rows: a block's registers hold 16 columns of 1024 rows (complex<double>: 8),
 * half as many of twice the rows. */
template <class T>
int launch_getrf_tall(batched_ctx *ctx, const batch<T> &a, int first, int *ipiv, int npivots, int *info)
{
  constexpr int W = sizeof(T) == 16 ? 8 : 16;
  const auto run = [&](auto kernel, int rows) {
    const int warps = a.m > 0 ? (int)ceil_div(a.m, 32 * rows) : 1;
    return launch(ctx, kernel, a.count, 32 * warps, 0, a, first, ipiv, npivots, info);
  };
  if constexpr (W < 16)
    if (a.m <= 512) return run(getrf_tall<T, 16, 1, 512>, 1);
  if (a.m <= 1024) return run(getrf_tall<T, W, 1, 1024>, 1);
  if (a.m <= 2048) return run(getrf_tall<T, W / 2, 2, 1024>, 2);
  if (a.m <= 4096) return run(getrf_tall<T, W / 4, 4, 1024>, 4);
  return launch(ctx, getrf_long<T>, a.count, LU_LONG_THREADS, 0, a, first, ipiv, npivots, info);
}

} // namespace batched_cuda::lu

#endif
