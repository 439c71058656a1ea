/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Strips of getrf: LU with partial pivoting of few columns of a tall matrix by one block, which holds all of them in
 * shared memory; left-looking by panels of W columns whose rows are in registers.
 *
 * A panel: for each panel K before it U(K,J) = L(K,K)^-1 A(K,J), by the inverse of the unit triangle, and
 * A(i,J) -= L(i,K) U(K,J); then its own columns (strip/columns.cuh).  Rows stay where they are until all is stored, in
 * their final order: memory is read and written once, whole columns at a time.
 *
 * grid      a block per matrix
 * block     a thread per R rows
 * registers R W elements per thread
 * shared    the columns; two candidates per warp, pivot rows of a panel, inverses (static)
 * takes     all four types, m <= R THREADS, n <= lu_strip_columns, uniform and variable
 * reads     a; writes a, ipiv (from 1), info (first pivot that is zero or NaN; nothing is divided by a zero)
 * accuracy  as getrf; inverses of unit triangles cost digits where nearly all of L is near -1
 */
#ifndef BATCHED_LU_CUDA_STRIP_PANEL_CUH
#define BATCHED_LU_CUDA_STRIP_PANEL_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/lu/cuda/strip/columns.cuh"
#include "batched/lu/cuda/strip/strip.cuh"

namespace batched_cuda::lu
{

template <class T, int W, int WARPS> using lu_strip_memory = lu_columns_memory<T, W, WARPS, LU_STRIP_COLUMNS / W>;

/* Leading dimension in shared memory. */
DEVICE constexpr int lu_strip_ld(int m)
{
  return (m + 1) / 2 * 2;
}
/* Bytes for n columns and the order of the rows. */
template <class T, int W> DEVICE constexpr int64_t lu_strip_bytes(int m, int n)
{
  return (int64_t)lu_strip_ld(m) * ((n + W - 1) / W * W) * (int64_t)sizeof(T) + lu_strip_ld(m) * (int64_t)sizeof(short);
}

template <class T, int W, int R, int WARPS> struct lu_strip : lu_columns<T, W, R, int, lu_strip_memory<T, W, WARPS>> {
  using base = lu_columns<T, W, R, int, lu_strip_memory<T, W, WARPS>>;
  using base::columns, base::give, base::ld, base::m, base::n, base::pivots, base::place, base::row, base::shared;
  using base::solve, base::V, base::x;
  T *a;
  int64_t lda;

  /* Starts to copy this thread's rows of panel J to shared memory, if there is one. */
  __device__ __forceinline__ void start_to_load(int J) const
  {
#pragma unroll 1
    for (int c = J; c < min(J + W, n); c++)
#pragma unroll
      for (int r = 0; r < R; r++)
        if (place[r] >= 0) start_copy(columns + c * ld + row(r), a + row(r) + c * lda);
    copy_commit();
  }
  /* Takes panel J and applies the panels before it. */
  __device__ __forceinline__ void update(int J)
  {
#pragma unroll
    for (int c = 0; c < W; c++)
#pragma unroll
      for (int r = 0; r < R; r++) x[r][c] = place[r] >= 0 && J + c < n ? columns[(J + c) * ld + row(r)] : make<T>(0);
    const int end = J < pivots ? J : pivots;
#pragma unroll 1
    for (int K = 0; K < end; K += W) {
      give(K);
      __syncthreads();
      solve(J, K, end);
      __syncthreads();
      const T *l = columns + K * ld;
#pragma unroll 2
      for (int i = 0; i < W; i++, l += ld) {
        T factor[R];
#pragma unroll
        for (int r = 0; r < R; r++) factor[r] = place[r] >= K + W ? -l[row(r)] : make<T>(0);
#pragma unroll
        for (int c = 0; c < W; c += V) {
          const pack<T> u = *reinterpret_cast<const pack<T> *>(&shared->upper[i][c]);
#pragma unroll
          for (int v = 0; v < V; v++)
#pragma unroll
            for (int r = 0; r < R; r++) x[r][c + v] = mad(factor[r], u.x[v], x[r][c + v]);
        }
      }
    }
  }
  /* Stores all columns, rows in their final order. */
  __device__ __forceinline__ void store(short *order) const
  {
#pragma unroll
    for (int r = 0; r < R; r++)
      if (place[r] >= 0) order[place[r]] = (short)row(r);
    __syncthreads();
    int from[R];
#pragma unroll
    for (int r = 0; r < R; r++) from[r] = row(r) < m ? order[row(r)] : 0;
#pragma unroll 4
    for (int c = 0; c < n; c++)
#pragma unroll
      for (int r = 0; r < R; r++)
        if (row(r) < m) a[row(r) + c * lda] = columns[c * ld + from[r]];
  }
};

/* A matrix's columns; rows and columns of the caller's matrix start at `first`. */
template <class T, int W, int R, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
  getrf_strip(batch<T> a, int first, int *__restrict__ ipiv, int npivots, int *__restrict__ info)
{
  __shared__ lu_strip_memory<T, W, THREADS / 32> shared;
  lu_strip<T, W, R, THREADS / 32> lu;
  lu.shared = &shared;
  lu.columns = shared_array<T>();
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    lu.m = a.rows(b);
    lu.n = a.cols(b);
    lu.ld = lu_strip_ld(a.m);
    lu.lda = a.leading(b);
    lu.pivots = min(lu.m, lu.n);
    lu.start();
    if (lu.pivots > 0) {
      lu.a = a.at(b);
      lu.start_to_load(0);
      lu.start_to_load(W);
#pragma unroll 1
      for (int J = 0; J < lu.n; J += W) {
        copy_wait<1>(); /* each thread's own rows */
        lu.update(J);
        lu.start_to_load(J + 2 * W);
        lu.factor(J, first, ipiv + b * npivots + first);
        __syncthreads();
        lu.keep(J);
        __syncthreads();
      }
      lu.store(reinterpret_cast<short *>(lu.columns + lu.ld * ((a.n + W - 1) / W * W)));
    }
    if (threadIdx.x == 0) report_pivot(lu.found, first, &info[b]);
    __syncthreads();
  }
}

} // namespace batched_cuda::lu

#endif
