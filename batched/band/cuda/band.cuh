/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bands and tridiagonal matrices as kernels see them, one of a batch at a time, and the choice of a pivot in a column.
 */
#ifndef BATCHED_BAND_CUDA_BAND_CUH
#define BATCHED_BAND_CUDA_BAND_CUH

#include "batched/band/band.h"
#include "batched/cuda/access.cuh"
#include "batched/cuda/fast_math.cuh"
#include "batched/cuda/launch.cuh"
#include "batched/cuda/pivot.cuh"

namespace batched_cuda::band
{

/* A number of each matrix, read on the device. */
struct extent {
  int bound;
  const int *each;

  extent(batched_extent x) : bound(x.bound), each(x.each)
  {
  }
  DEVICE int at(int64_t b) const
  {
    return each ? each[b] : bound;
  }
};

/* Pivots of matrix b, `each` of them a matrix, none between shared ones. */
template <class I> struct pivot_sets {
  I *ipiv;
  int64_t each;

  DEVICE I *at(int64_t b) const
  {
    return ipiv + b * each;
  }
};

static inline pivot_sets<const int> pivots_of_factors(const batched_matrix &a, const int *ipiv, int each)
{
  return {ipiv, batched_is_shared(&a) ? 0 : each};
}

/* An m x n matrix in a band: element (i, j), where kl >= i - j and j - i <= kv, is at[i + j * col]. */
template <class T> struct band_matrix {
  T *at;
  int64_t col;
  int m, n, kl, kv;

  __device__ __forceinline__ T &operator()(int i, int j) const
  {
    return at[i + j * col];
  }
};

/* ab as gbtrf's: row kl + ku + i - j holds A(i, j). */
template <class T>
__device__ __forceinline__ band_matrix<T> factors_of(const batch<T> &ab, int64_t b, int m, int kl, int ku)
{
  const int n = ab.cols(b);
  if (m == 0 || n == 0) return {nullptr, 0, 0, 0, kl, kl + ku};
  return {ab.at(b) + kl + ku, ab.leading(b) - (int64_t)1, m, n, kl, kl + ku};
}

/* A triangle in a band: E(i, j) = at[i * row + j * col], as the host's batched_triangle_of_band. */
template <class T> struct band_triangle {
  const T *at;
  int64_t row, col;
  int n, kd;
  bool lower, unit, conj;
};

template <class T>
__device__ __forceinline__ band_triangle<T> triangle_of(const batch<T> &ab, int64_t b, int n, int kd, bool upper,
                                                        bool transposed)
{
  const T *at = ab.at(b) + (upper ? kd : 0);
  const int64_t col = ab.leading(b) - (int64_t)1;
  return {at, transposed ? col : 1, transposed ? 1 : col, n, kd, upper == transposed, false, false};
}

/* The row of column k that is the pivot: the largest |re| + |im| of rows k to below - 1, the first of equals.  All
 * lanes of a warp take part, and get it. */
template <class T> __device__ __forceinline__ int pivot_row(const T *column, int k, int below)
{
  const int lane = threadIdx.x % 32;
  pivot_key best = {0, 0, INT_MAX};
  for (int i = k + lane; i < below; i += 32) {
    const pivot_key key = key_of(column[i], i, k, true);
    if (comes_first(key, best)) best = key;
  }
  const int from = best_lane<32>(best);
  return from < 0 ? k : __shfl_sync(all_lanes, best.row, from);
}

/* gbtrs (NO_TRANS) and pbtrs of the matrices whose info is 0, by the row that suits. */
int solve_factors(batched_ctx *ctx, const batched_gbtrs_args &p, const int *info);
int solve_factors(batched_ctx *ctx, const batched_pbtrs_args &p, const int *info);

} // namespace batched_cuda::band

#endif
