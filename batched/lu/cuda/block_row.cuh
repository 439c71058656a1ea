/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The block row of getrf's cuda.native: row exchanges of up to 128 pivots and U = L^-1 A, at once, in columns beside
 * the block that has been factored.  A warp has C columns in registers, rows 32 q + lane, and subtracts row after
 * row of U; L is in shared memory.  C is 4, or 1 where there are few columns, and time passes from row to row.
 *
 * grid      a block per 8 C columns of a matrix
 * block     256 threads
 * registers 4 C elements per thread, and as many on their way
 * shared    the moves, L below its diagonal: up to 8128 elements
 * takes     all four types, uniform
 * reads     rows that move, L; writes the same rows
 * accuracy  as getrf
 */
#ifndef BATCHED_LU_CUDA_BLOCK_ROW_CUH
#define BATCHED_LU_CUDA_BLOCK_ROW_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/lu/cuda/exchange.cuh"

namespace batched_cuda::lu
{

enum { LU_ROW_PIVOTS = 128, LU_ROW_THREADS = 256, LU_ROW_FEW = 256 };

template <class T, int C>
__global__ void __launch_bounds__(LU_ROW_THREADS)
  form_block_row(batch<T> a, int c0, int cols, int first, int count, const int *__restrict__ ipiv, int npivots)
{
  constexpr int N = LU_ROW_PIVOTS, Q = N / 32, each = C * LU_ROW_THREADS / 32;
  __shared__ int pivots[N];
  __shared__ row_move moves[2 * N];
  T *const lower = shared_array<T>(); /* column k from row k + 1 on */
  const auto column = [count](int k) { return k * count - k * (k + 1) / 2 - k - 1; };
  const int t = threadIdx.x, warp = t / 32, lane = t % 32, chunks = (cols + each - 1) / each;
  for (int64_t unit = blockIdx.x; unit < a.count * chunks; unit += gridDim.x) {
    const int64_t b = unit / chunks, ld = a.leading(b);
    T *const x = a.at(b) + first;
    __syncthreads();
    for (int k = t / N; k < count; k += LU_ROW_THREADS / N)
      if (t % N > k && t % N < count)
        copy_async(shared_address(lower + column(k) + t % N), x + t % N + (first + k) * ld, true);
    copy_commit();
    if (t < count) pivots[t] = ipiv ? ipiv[b * npivots + first + t] - 1 - first : t;
    __syncthreads();
    for (int e = t; e < 2 * N; e += LU_ROW_THREADS) {
      const int own = e % N, to = own >= count ? 0 : e < N ? own : pivots[own];
      int from = to;
      if (own < count && (e < N || to >= count))
#pragma unroll 4
        for (int i = count - 1; i >= 0; i--) {
          const int p = pivots[i];
          from = from == p ? i : from == i ? p : from;
        }
      moves[e] = {from, to};
    }
    copy_wait<0>();
    __syncthreads();
    const int j0 = (int)(unit - b * chunks) * each + warp * C, here = min(C, cols - j0);
    if (here <= 0) continue;
    T *const y = x + (c0 + j0) * ld;
    T v[Q][C], moved[Q][C];
#pragma unroll
    for (int q = 0; q < Q; q++) {
      const int e = q * 32 + lane;
      const row_move up = moves[e], down = moves[N + e];
#pragma unroll
      for (int c = 0; c < C; c++) {
        v[q][c] = e < count && c < here ? y[up.from + c * ld] : make<T>(0);
        moved[q][c] = down.from != down.to && c < here ? y[down.from + c * ld] : make<T>(0);
      }
    }
    __syncwarp();
#pragma unroll
    for (int q = 0; q < Q; q++) {
      const row_move down = moves[N + q * 32 + lane];
#pragma unroll
      for (int c = 0; c < C; c++)
        if (down.from != down.to && c < here) y[down.to + c * ld] = moved[q][c];
    }
#pragma unroll
    for (int p = 0; p < Q; p++) {
      const int end = min(32, count - p * 32);
#pragma unroll 4
      for (int i = 0; i < end; i++) {
        const int k = p * 32 + i;
        T u[C];
#pragma unroll
        for (int c = 0; c < C; c++) u[c] = shuffle(v[p][c], i);
#pragma unroll
        for (int q = p; q < Q; q++) {
          const int e = q * 32 + lane;
          if (e <= k || e >= count) continue;
          const T l = lower[column(k) + e];
#pragma unroll
          for (int c = 0; c < C; c++) v[q][c] = mad(-l, u[c], v[q][c]);
        }
      }
    }
#pragma unroll
    for (int q = 0; q < Q; q++)
#pragma unroll
      for (int c = 0; c < C; c++)
        if (q * 32 + lane < count && c < here) y[q * 32 + lane + c * ld] = v[q][c];
  }
}

/* Columns c0 .. c0 + cols - 1, by the pivots (ipiv NULL: no row moves) and L of columns first .. first + count - 1. */
template <class T>
int launch_block_row(batched_ctx *ctx, const batch<T> &a, int c0, int cols, int first, int count, const int *ipiv,
                     int npivots)
{
  const auto call = [&](auto kernel, int C) {
    return launch(ctx, kernel, cols > 0 ? a.count * ceil_div(cols, C * LU_ROW_THREADS / 32) : 0, LU_ROW_THREADS,
                  (size_t)count * (count - 1) / 2 * sizeof(T), a, c0, cols, first, count, ipiv, npivots);
  };
  return cols <= LU_ROW_FEW ? call(form_block_row<T, 1>, 1) : call(form_block_row<T, 4>, 4);
}

} // namespace batched_cuda::lu

#endif
