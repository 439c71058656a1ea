/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of matrices of any size, right-looking.
 */
#ifndef BATCHED_CUDA_LU_BLOCKED_CUH
#define BATCHED_CUDA_LU_BLOCKED_CUH

#include "gemm.cuh"
#include "lu_shared.cuh"

namespace batched_cuda
{

enum { LU_TALL_THREADS = 512, LU_TALL_PANEL = 64, LU_LIMIT = 128 };

/* The best of the threads' keys, in every thread; `keys` has a place for each of the warps, and one more. */
static __device__ __forceinline__ pivot_key best_of_block(pivot_key key, pivot_key *keys)
{
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, best = best_lane<32>(key);
  if (lane == (best < 0 ? 0 : best)) keys[warp] = key;
  __syncthreads();
  pivot_key all = keys[0];
  for (int w = 1; w < (int)blockDim.x / 32; w++)
    if (comes_first(keys[w], all)) all = keys[w];
  __syncthreads();
  return all;
}

/* Panels too tall for a thread a row: column by column in global memory. */
template <class T>
__global__ void __launch_bounds__(LU_TALL_THREADS)
  getrf_tall(batch<T> a, int first, int *__restrict__ ipiv, int npivots, int *__restrict__ info)
{
  __shared__ pivot_key keys[LU_TALL_THREADS / 32];
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = a.cols(b), t = threadIdx.x;
    int found = 0;
    for (int k = 0; k < m && k < n; k++) {
      const int64_t ld = a.leading(b);
      T *x = a.at(b), *column = x + k * ld;
      pivot_key key = {0, 0, INT_MAX};
      for (int i = k + t; i < m; i += LU_TALL_THREADS) {
        const pivot_key other = key_of(column[i], i, k, true);
        if (comes_first(other, key)) key = other;
      }
      const int p = best_of_block(key, keys).row;
      const T d = column[p];
      if (is_bad_pivot(d) && !found) found = k + 1;
      if (t == 0) ipiv[b * npivots + first + k] = first + p + 1;
      __syncthreads();
      for (int j = t; j < n && p != k; j += LU_TALL_THREADS) {
        const T y = x[k + j * ld];
        x[k + j * ld] = x[p + j * ld];
        x[p + j * ld] = y;
      }
      __syncthreads();
      for (int i = k + 1 + t; i < m; i += LU_TALL_THREADS) {
        T l = column[i];
        if (d != make<T>(0)) l = divide(l, d);
        column[i] = l;
        for (int j = k + 1; j < n; j++) x[i + j * ld] = mad(-l, x[k + j * ld], x[i + j * ld]);
      }
      __syncthreads();
    }
    if (t == 0 && first == 0) info[b] = found;
    if (t == 0 && first > 0 && found && info[b] == 0) info[b] = first + found;
  }
}

/* Exchanges rows first .. first + count - 1 with those that ipiv names, in some columns of each matrix: a thread a
 * column.  `a` are whole matrices, whose columns from c0 on, `cols` of them, are meant. */
template <class T>
__global__ void __launch_bounds__(128)
  exchange_rows(batch<T> a, int c0, int cols, int first, int count, const int *__restrict__ ipiv, int npivots)
{
  const int chunks = (cols + 127) / 128;
  for (int64_t w = blockIdx.x; w < a.count * chunks; w += gridDim.x) {
    const int64_t b = w / chunks;
    const int j = (int)(w % chunks) * 128 + threadIdx.x, m = a.rows(b), n = a.cols(b), k = m < n ? m : n;
    if (j >= cols || c0 + j >= n || k <= first) continue;
    T *x = a.at(b) + (int64_t)(c0 + j) * a.leading(b);
    const int *pivots = ipiv + b * npivots;
    for (int i = first; i < first + count && i < k; i++) {
      const int p = pivots[i] - 1;
      if (p == i) continue;
      const T y = x[i];
      x[i] = x[p];
      x[p] = y;
    }
  }
}

template <class T>
int launch_exchange(batched_ctx *ctx, const batch<T> &a, int c0, int cols, int first, int count, const int *ipiv,
                    int npivots)
{
  if (cols <= 0) return BATCHED_SUCCESS;
  return launch(ctx, exchange_rows<T>, a.count * ceil_div(cols, 128), 128, 0, a, c0, cols, first, count, ipiv, npivots);
}

/* So many blocks shall share a multiprocessor: from times on an H200.  (Double precision has other rows for most.) */
static inline int lu_blocks(batched_type type, int m)
{
  if (type == BATCHED_D) return 1;
  if (m > 160) return 3;
  return type == BATCHED_S || m <= 80 ? 8 : m <= 128 ? 5 : 4;
}

/* How many columns of an m x n matrix one block factors at a time. */
template <class T> int lu_limit(batched_type type, int m, int n)
{
  int limit = LU_LIMIT;
  while (limit > lu_width<T> && !fits_lu_shared<T>(m, n, limit, lu_blocks(type, m))) limit -= lu_width<T>;
  return limit;
}

/* Steps of a few columns each: while columns are too long for one block, panels, exchanges of rows to both sides of
 * them, a triangular solve and a product; then all of it by one block. */
template <class T> int run_getrf_blocked(batched_ctx *ctx, const batched_getrf_args *p)
{
  const batch<T> a = view<T>(p->a);
  const int k = a.m < a.n ? a.m : a.n;
  int status = k == 0 ? launch(ctx, getrf_tall<T>, a.count, 32, 0, a, 0, p->ipiv, k, p->info) : BATCHED_SUCCESS;
  for (int j = 0, nb; j < k && !status; j += nb) {
    const bool is_tall = a.m - j > LU_MOST_ROWS;
    nb = is_tall ? LU_TALL_PANEL : lu_limit<T>(p->a.type, a.m - j, a.n - j);
    if (nb > k - j) nb = k - j;
    const int right = j + nb, below = a.m - right, rest = a.n - right;
    if (!is_tall) {
      status = launch_getrf_shared(ctx, a.block(j, j, a.m - j, a.n - j), nb, j, p->ipiv, k, p->info);
      continue;
    }
    status =
      launch(ctx, getrf_tall<T>, a.count, LU_TALL_THREADS, 0, a.block(j, j, a.m - j, nb), j, p->ipiv, k, p->info);
    if (!status) status = launch_exchange(ctx, a, 0, j, j, nb, p->ipiv, k);
    if (!status) status = launch_exchange(ctx, a, right, rest, j, nb, p->ipiv, k);
    if (!status && rest > 0)
      status = trsm(ctx, BATCHED_LEFT, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_UNIT, make<T>(1), a.block(j, j, nb, nb),
                    a.block(j, right, nb, rest));
    if (!status && rest > 0 && below > 0)
      status = gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, make<T>(-1), a.block(right, j, below, nb),
                    a.block(j, right, nb, rest), make<T>(1), a.block(right, right, below, rest));
  }
  return status;
}

} // namespace batched_cuda

#endif
