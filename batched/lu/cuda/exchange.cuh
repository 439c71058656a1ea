/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row exchanges of LU (LAPACK's laswp) in the columns beside those being factored.
 */
#ifndef BATCHED_LU_CUDA_EXCHANGE_CUH
#define BATCHED_LU_CUDA_EXCHANGE_CUH

#include "batched/cuda/launch.cuh"

namespace batched_cuda::lu
{

/* Most exchanges per launch; warps per block; columns per block, where these fill the GPU, and where not. */
enum { LU_EXCHANGES = 256, LU_EXCHANGE_WARPS = 4, LU_EXCHANGE_COLUMNS = 64, LU_EXCHANGE_FEW = 8 };

struct row_move {
  int from, to; /* equal: the row stays */
};

/* Exchanges row i with row ipiv[i], i = first .. first + count - 1 in this order, in columns c0 .. c0 + cols - 1.
 *
 * Traces each affected row back through the exchanges to its origin: at most 2 count rows, or all from `first` on
 * (`all`, where most cache lines change anyway). Then a warp moves a column at a time through shared memory.
 *
 * grid      a block per `each` columns of a matrix, 64 or 8
 * block     128 threads
 * shared    the pivots (static), the moves, and a column per warp */
template <class T, bool all>
__global__ void __launch_bounds__(32 * LU_EXCHANGE_WARPS)
  exchange_rows(batch<T> a, int c0, int cols, int each, int first, int count, int room, const int *__restrict__ ipiv,
                int npivots)
{
  __shared__ int pivots[LU_EXCHANGES];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  const int chunks = (cols + each - 1) / each;
  T *values = shared_array<T>() + room * warp;
  row_move *moves = reinterpret_cast<row_move *>(shared_array<T>() + room * LU_EXCHANGE_WARPS);
  for (int64_t unit = blockIdx.x; unit < a.count * chunks; unit += gridDim.x) {
    const int64_t b = unit / chunks, ld = a.leading(b);
    const int m = a.rows(b), n = a.cols(b), start = c0 + (int)(unit - b * chunks) * each;
    const int end = min(min(start + each, c0 + cols), n), steps = min(count, min(m, n) - first);
    if (steps <= 0 || start >= end) continue;
    const int rows = all ? m - first : 2 * steps;
    for (int e = t; e < steps; e += blockDim.x) pivots[e] = ipiv[b * npivots + first + e] - 1;
    __syncthreads();
    for (int e = t; e < rows; e += blockDim.x) {
      const int to = all || e < steps ? first + e : pivots[e - steps];
      int from = to;
      if (all || e < steps || to >= first + steps) /* otherwise it is among the first `steps` rows */
#pragma unroll 8
        for (int i = steps - 1; i >= 0; i--) {
          const int p = pivots[i];
          from = from == p ? first + i : from == first + i ? p : from;
        }
      moves[e] = {from, to};
    }
    __syncthreads();
    for (int j = start + warp; j < end; j += LU_EXCHANGE_WARPS) {
      T *x = a.at(b) + j * ld;
#pragma unroll 16
      for (int e = lane; e < rows; e += 32) values[e] = x[all ? first + e : moves[e].from];
      __syncwarp();
#pragma unroll 4
      for (int e = lane; e < rows; e += 32)
        if (moves[e].from != moves[e].to) x[moves[e].to] = values[all ? moves[e].from - first : e];
      __syncwarp();
    }
    __syncthreads();
  }
}

template <class T>
int launch_exchange(batched_ctx *ctx, const batch<T> &a, int c0, int cols, int first, int count, const int *ipiv,
                    int npivots)
{
  const bool fill = a.count * ceil_div(cols, LU_EXCHANGE_COLUMNS) >= 4 * multiprocessors();
  const int each = fill ? LU_EXCHANGE_COLUMNS : LU_EXCHANGE_FEW;
  int status = BATCHED_SUCCESS;
  for (int done = 0; done < count && !status; done += LU_EXCHANGES) {
    const int some = count - done < LU_EXCHANGES ? count - done : LU_EXCHANGES;
    const bool all = a.m - first - done <= 4 * some; /* most rows share a cache line with one that moves */
    const int room = all ? a.m - first - done : 2 * some;
    status =
      launch(ctx, all ? exchange_rows<T, true> : exchange_rows<T, false>, cols > 0 ? a.count * ceil_div(cols, each) : 0,
             32 * LU_EXCHANGE_WARPS, room * (sizeof(row_move) + LU_EXCHANGE_WARPS * sizeof(T)), a, c0, cols, each,
             first + done, some, room, ipiv, npivots);
  }
  return status;
}

/* From so many pivots on exchanges on the left wait until all is factored; columns of a group, and of a block. */
enum { LU_LEFT_ORDER = 8192, LU_LEFT_COLUMNS = 1024, LU_LEFT_EACH = 64, LU_LEFT_THREADS = 1024 };

/* Exchanges rows in columns 0 .. cols - 1, whole groups of LU_LEFT_COLUMNS, by all pivots behind a column's group.  A
 * thread follows the rows through the exchanges; then all move a column at a time through shared memory, once, in place
 * of as often as there are blocks of columns behind it.
 *
 * grid      a block per 64 columns of a matrix
 * shared    where rows come from, 16 bits each; a column */
template <class T>
__global__ void __launch_bounds__(LU_LEFT_THREADS, 1)
  order_left(batch<T> a, int cols, const int *__restrict__ ipiv, int npivots)
{
  T *const column = shared_array<T>();
  unsigned short *const from = reinterpret_cast<unsigned short *>(column + a.m);
  const int t = threadIdx.x, chunks = cols / LU_LEFT_EACH;
  for (int64_t unit = blockIdx.x; unit < a.count * chunks; unit += gridDim.x) {
    const int64_t b = unit / chunks, ld = a.leading(b);
    const int start = (int)(unit - b * chunks) * LU_LEFT_EACH, above = (start / LU_LEFT_COLUMNS + 1) * LU_LEFT_COLUMNS,
              rows = a.m - above;
    const int *const pivots = ipiv + b * npivots;
    __syncthreads();
    for (int i = t; i < rows; i += LU_LEFT_THREADS) from[i] = (unsigned short)i;
    __syncthreads();
    if (t == 0) {
#pragma unroll 16
      for (int i = above; i < npivots; i++) {
        const int p = pivots[i] - 1 - above;
        const unsigned short x = from[i - above], y = from[p];
        from[i - above] = y;
        from[p] = x;
      }
    }
    __syncthreads();
    for (int j = start; j < start + LU_LEFT_EACH; j++) {
      T *const x = a.at(b) + above + j * ld;
#pragma unroll 8
      for (int i = t; i < rows; i += LU_LEFT_THREADS) column[i] = x[i];
      __syncthreads();
#pragma unroll 8
      for (int i = t; i < rows; i += LU_LEFT_THREADS) x[i] = column[from[i]];
      __syncthreads();
    }
  }
}

template <class T> size_t order_left_bytes(int m)
{
  return (size_t)m * (sizeof(T) + sizeof(short));
}
template <class T> bool can_order_left(int m)
{
  return m <= USHRT_MAX && order_left_bytes<T>(m) <= most_shared();
}
template <class T> int launch_order_left(batched_ctx *ctx, const batch<T> &a, int cols, const int *ipiv, int npivots)
{
  return launch(ctx, order_left<T>, a.count * (cols / LU_LEFT_EACH), LU_LEFT_THREADS, order_left_bytes<T>(a.m), a, cols,
                ipiv, npivots);
}

} // namespace batched_cuda::lu

#endif
