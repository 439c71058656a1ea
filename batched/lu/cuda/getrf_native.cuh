/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.native of getrf: LU of large matrices, each by as many blocks of threads as there is work for.  A second
 * stream factors a block of columns, while the context's updates the matrix behind the block before (look-ahead).
 * Blocks are factored by a cluster (cluster_panel.cuh); where that has too many rows for so many columns, by halves as
 * in getrf_recursive.cuh.
 *
 * launches  per block a cluster; twice the block row (block_row.cuh) and a gemm, of the next block and of the rest;
 *           exchanges on the left (exchange.cuh).  The last 256 columns of real matrices: cuda.shared_tc
 * takes     all four types, m <= 65536, any n, uniform
 * reads     a; writes a, ipiv (from 1), info (first pivot that is zero or NaN); no workspace
 * accuracy  |P L U - A| < 30 n eps |A|
 */
#ifndef BATCHED_LU_CUDA_GETRF_NATIVE_CUH
#define BATCHED_LU_CUDA_GETRF_NATIVE_CUH

#include "batched/cuda/side_stream.cuh"
#include "batched/lu/cuda/block_row.cuh"
#include "batched/lu/cuda/cluster_panel.cuh"
#include "batched/lu/cuda/getrf_recursive.cuh"

namespace batched_cuda::lu
{

template <class T> struct native_lu {
  recursive_lu<T> lu;

  /* Columns that are factored while those behind are updated. */
  int outer(int k) const
  {
    return k < 16384 ? 128 : 256;
  }

  /* Columns c .. c + cols - 1 after the factorisation of j .. j + count - 1. */
  int update(int j, int count, int c, int cols) const
  {
    if (count > LU_ROW_PIVOTS) return lu.update(j, count, c, cols);
    if (cols <= 0) return BATCHED_SUCCESS;
    const batch<T> &a = lu.a;
    const int below = j + count, rest = a.m - below;
    const int status = launch_block_row(lu.ctx, a, c, cols, j, count, lu.ipiv, lu.npivots);
    return status || rest <= 0
             ? status
             : products::gemm(lu.ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, make<T>(-1), a.block(below, j, rest, count),
                              a.block(j, c, count, cols), make<T>(1), a.block(below, c, rest, cols));
  }

  /* Are so many columns from j on the last ones of a larger matrix, which one block of cuda.shared_tc factors? */
  bool is_last(int j, int count) const
  {
    if constexpr (is_complex<T>) return false;
    return lu.a.m > lu.most_shared_tc && shared_tc_fits(lu.a.m - j, count);
  }
  int factor_last(int j, int count) const
  {
    if constexpr (!is_complex<T>)
      return factor_shared_tc(lu.ctx, lu.a.block(j, j, lu.a.m - j, count), j, lu.ipiv, lu.npivots, lu.info);
    return BATCHED_DOES_NOT_FIT;
  }

  /* Columns j .. j + count - 1 from row j on, by a cluster. */
  int factor_block(int j, int count) const
  {
    const int rows = lu.a.m - j;
    return with_lu_cluster<T>(rows, [&](auto kernel, int width, int blocks, int each, int threads) {
      const size_t upper = count > width ? (size_t)width * (count - width + 7) * sizeof(T) : 0;
      const int status = allow_shared(reinterpret_cast<const void *>(kernel), upper); /* beside what is static */
      if (status) return status;
      return launch_clusters(lu.ctx, kernel, lu.a.count, blocks, threads, upper, lu.a.block(j, j, rows, count), j,
                             lu.ipiv, lu.npivots, lu.info, blocks, each);
    });
  }

  int factor(int j, int count) const
  {
    if (is_last(j, count)) return factor_last(j, count);
    int left = lu_cluster_columns<T>(lu.a.m - j);
    if (count <= left) return factor_block(j, count);
    while (2 * left < count) left *= 2;
    const int middle = j + left, right = count - left;
    int status = factor(j, left);
    if (!status) status = update(j, left, middle, right);
    if (!status) status = factor(middle, right);
    return status ? status : launch_exchange(lu.ctx, lu.a, j, left, middle, right, lu.ipiv, lu.npivots);
  }
};

/* All of it: while the context's stream updates the matrix behind a block of columns, another one updates the next
 * block's, and factors it. */
template <class T> int factor_ahead(const native_lu<T> &native, int k, side_stream &side)
{
  const recursive_lu<T> &lu = native.lu;
  const int n = lu.a.n, width = native.outer(k);
  const auto count = [&](int j) { return j + width < k && !native.is_last(j, k - j) ? width : k - j; };
  int status = side.open();
  if (!status) status = side.fork();
  if (!status) status = side.run([&] { return native.factor(0, count(0)); });
  for (int j = 0, here; j < k && !status; j += here) {
    here = count(j);
    const int next = j + here, ahead = next < k ? count(next) : 0;
    status = side.join();              /* columns j .. are factored, */
    if (!status) status = side.fork(); /* those behind updated by the blocks before */
    if (!status && ahead > 0) status = side.run([&] { return native.update(j, here, next, ahead); });
    if (!status) status = native.update(j, here, next + ahead, n - next - ahead);
    if (!status && ahead > 0) status = side.run([&] { return native.factor(next, ahead); });
    if (!status) status = launch_exchange(lu.ctx, lu.a, 0, j, j, here, lu.ipiv, lu.npivots);
  }
  return status;
}

template <class T> int run_getrf_native(batched_ctx *ctx, const batched_getrf_args &p)
{
  const batch<T> a = view<T>(p.a);
  const int k = a.m < a.n ? a.m : a.n;
  const native_lu<T> lu = {{ctx, a, p.ipiv, k, p.info}};
  if (a.n > lu.outer(k)) {
    side_stream side(ctx);
    return factor_ahead(lu, k, side);
  }
  const int status = lu.factor(0, k);
  return status ? status : lu.update(0, k, k, a.n - k);
}

} // namespace batched_cuda::lu

#endif
