/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Leaves of getrf's cuda.recursive: LU with partial pivoting of up to 128 columns of tall matrices, one block each,
 * left-looking by panels of W columns whose rows are in registers.
 *
 * Panel by panel: read it; for each panel K before it U(K,J) = L(K,K)^-1 A(K,J) through shared memory, by the inverse
 * of the unit triangle, and A(i,J) -= L(i,K) U(K,J), with L from global memory; then its own columns
 * (strip/columns.cuh).  Rows stay where they are in registers and in memory until all panels are done; then one pass
 * moves them to their places.
 *
 * grid      a block per matrix
 * block     a thread per R rows: m <= 1024, R = 2; 2048, R = 4; 4096, R = 8; beyond, getrf_long in memory, 512 threads
 * registers R W elements per thread; W = 16 (complex<double>: 8), halved with each doubling of R
 * shared    two candidates per warp, pivot rows of a panel, the inverses (static, up to 40 KB)
 * takes     all four types, any m; n <= tall_columns
 * accuracy  as getrf; inverses of unit triangles cost digits where nearly all of L is near -1
 */
#ifndef BATCHED_LU_CUDA_TALL_PANEL_CUH
#define BATCHED_LU_CUDA_TALL_PANEL_CUH

#include "batched/lu/cuda/strip/columns.cuh"
#include "batched/triangular/cuda/triangle.cuh"

namespace batched_cuda::lu
{

/* The row of the best of the warps' keys, in all threads. */
static __device__ __forceinline__ int choose_pivot(const pivot_key *keys)
{
  const int lane = threadIdx.x % 32;
  pivot_key key = {0, 0, INT_MAX};
  if (lane < (int)blockDim.x / 32) key = keys[lane];
  return __shfl_sync(all_lanes, key.row, best_lane<32>(key));
}

/* Columns that a block factors at once. */
template <class T> DEVICE constexpr int tall_columns(int m)
{
  return m <= 4096 && sizeof(T) < 16 ? 128 : 64;
}

template <class T, int W, int WARPS> using lu_tall_memory = lu_columns_memory<T, W, WARPS, tall_columns<T>(0) / W>;

/* Rows are in registers panel by panel, and in memory. */
template <class T, int W, int R, int WARPS> struct lu_tall : lu_columns<T, W, R, int64_t, lu_tall_memory<T, W, WARPS>> {
  using base = lu_columns<T, W, R, int64_t, lu_tall_memory<T, W, WARPS>>;
  using base::columns, base::give, base::ld, base::n, base::pivots, base::place, base::row, base::shared, base::solve;
  using base::V, base::x;
  static constexpr int AHEAD = R * W * sizeof(T) > 256 || W < 4 ? 2 : 4; /* columns of L in flight */

  __device__ __forceinline__ bool moves(int r) const
  {
    return place[r] >= 0 && place[r] != row(r);
  }
  __device__ __forceinline__ void load(int J, int r, bool wanted)
  {
#pragma unroll
    for (int c = 0; c < W; c++) x[r][c] = wanted && J + c < n ? columns[row(r) + (J + c) * ld] : make<T>(0);
  }
  /* Stores row r of panel J as row i. */
  __device__ __forceinline__ void store(int J, int r, int i) const
  {
    T *to = columns + i + J * ld;
#pragma unroll
    for (int c = 0; c < W; c++)
      if (J + c < n) to[c * ld] = x[r][c];
  }

  /* Reads panel J and applies the panels before it. */
  __device__ __forceinline__ void update(int J)
  {
#pragma unroll
    for (int r = 0; r < R; r++) load(J, r, place[r] >= 0);
    const int end = J < pivots ? J : pivots;
#pragma unroll 1
    for (int K = 0; K < end; K += W) {
      T next[R][AHEAD];
      fetch(K, K, next);
      give(K);
      __syncthreads();
      solve(J, K, end);
      __syncthreads();
#pragma unroll
      for (int c0 = 0; c0 < W; c0 += AHEAD) {
        T l[R][AHEAD];
#pragma unroll
        for (int r = 0; r < R; r++)
#pragma unroll
          for (int i = 0; i < AHEAD; i++) l[r][i] = next[r][i];
        if (c0 + AHEAD < W) fetch(K, K + c0 + AHEAD, next);
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
#pragma unroll
          for (int c = 0; c < W; c += V) {
            const pack<T> u = *reinterpret_cast<const pack<T> *>(&shared->upper[c0 + i][c]);
#pragma unroll
            for (int v = 0; v < V; v++)
#pragma unroll
              for (int r = 0; r < R; r++) x[r][c + v] = mad(-l[r][i], u.x[v], x[r][c + v]);
          }
      }
    }
  }
  /* L of rows below panel K, columns c .. ; zero elsewhere. */
  __device__ __forceinline__ void fetch(int K, int c, T (&l)[R][AHEAD]) const
  {
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int i = 0; i < AHEAD; i++) l[r][i] = place[r] >= K + W ? columns[row(r) + (c + i) * ld] : make<T>(0);
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

/* A matrix's columns; rows and columns of the caller's matrix start at `first`. */
template <class T, int W, int R, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
  getrf_tall(batch<T> a, int first, int *__restrict__ ipiv, int npivots, int *__restrict__ info)
{
  __shared__ lu_tall_memory<T, W, THREADS / 32> shared;
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    lu_tall<T, W, R, THREADS / 32> lu;
    lu.m = a.rows(b);
    lu.n = a.cols(b);
    lu.ld = a.leading(b);
    lu.pivots = lu.m < lu.n ? lu.m : lu.n;
    lu.columns = lu.pivots > 0 ? a.at(b) : nullptr;
    lu.shared = &shared;
    lu.start();
#pragma unroll 1
    for (int J = 0; J < lu.n && lu.pivots > 0; J += W) {
      lu.update(J);
      lu.factor(J, first, ipiv + b * npivots + first);
      __syncthreads();
      lu.keep(J);
      __syncthreads();
    }
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
      const int p = choose_pivot(keys);
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

/* Picks the kernel by the number of rows: a block's registers hold 16 columns of 1024 rows (complex<double>: 8), half
 * as many of twice the rows. */
template <class T>
int launch_getrf_tall(batched_ctx *ctx, const batch<T> &a, int first, int *ipiv, int npivots, int *info)
{
  constexpr int W = sizeof(T) == 16 ? 8 : 16, blocks = sizeof(T) == 4 ? 4 : 2;
  const auto run = [&](auto kernel, int rows) {
    const int warps = a.m > 0 ? (int)ceil_div(a.m, 32 * rows) : 1;
    return launch(ctx, kernel, a.count, 32 * warps, 0, a, first, ipiv, npivots, info);
  };
  if (a.m <= 512) return run(getrf_tall<T, W, 2, 256, blocks>, 2);
  if (a.m <= 1024) return run(getrf_tall<T, W, 2, 512, blocks / 2>, 2);
  if (a.m <= 2048) return run(getrf_tall<T, W / 2, 4, 512, 1>, 4);
  if (a.m <= 4096) return run(getrf_tall<T, W / 4, 8, 512, 1>, 8);
  return launch(ctx, getrf_long<T>, a.count, LU_LONG_THREADS, 0, a, first, ipiv, npivots, info);
}

} // namespace batched_cuda::lu

#endif
