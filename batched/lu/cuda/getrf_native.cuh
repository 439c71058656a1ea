/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.native of getrf: LU of large matrices, each by as many blocks of threads as there is work for.  Halves of the
 * columns as in getrf_recursive.cuh, down to blocks of columns made of strips that a cluster factors
 * (cluster_panel.cuh), which exchanges rows of the block's other columns, too, and forms their rows of U; the rest of
 * the block follows by a product.
 *
 * launches  per strip the cluster and a gemm; per half 2 exchanges (exchange.cuh), a trsm, a gemm
 * takes     all four types, m <= 65536, any n, uniform
 * reads     a; writes a, ipiv (from 1), info (first pivot that is zero or NaN); no workspace
 * accuracy  |P L U - A| < 30 n eps |A|
 */
#ifndef BATCHED_LU_CUDA_GETRF_NATIVE_CUH
#define BATCHED_LU_CUDA_GETRF_NATIVE_CUH

#include "batched/cuda/side_stream.cuh"
#include "batched/lu/cuda/cluster_panel.cuh"
#include "batched/lu/cuda/getrf_recursive.cuh"

namespace batched_cuda::lu
{

/* Columns of a block. */
enum { LU_NATIVE_BLOCK = 128 };

template <class T> struct native_lu {
  recursive_lu<T> lu;

  /* Columns that are factored while those behind are updated. */
  int outer(int k) const
  {
    return k < 4096 ? 128 : 256;
  }

  /* Columns j .. j + count - 1 from row j on, strip by strip. */
  int factor_block(int j, int count) const
  {
    const batch<T> &a = lu.a;
    int status = BATCHED_SUCCESS;
    for (int s = 0, w = 0; s < count && !status; s += w) {
      const int k = j + s, rows = a.m - k;
      status = with_lu_cluster<T>(rows, [&](auto kernel, int width, int blocks, int each, int threads) {
        w = count - s < width ? count - s : width;
        return launch_clusters(lu.ctx, kernel, a.count, blocks, threads, 0, a.block(k, j, rows, count), s, w, k, lu.ipiv,
                               lu.npivots, lu.info, blocks, each);
      });
      const int rest = count - s - w, below = rows - w;
      if (!status && rest > 0 && below > 0)
        status = products::gemm(lu.ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, make<T>(-1), a.block(k + w, k, below, w),
                                a.block(k, k + w, w, rest), make<T>(1), a.block(k + w, k + w, below, rest));
    }
    return status;
  }

  int factor(int j, int count) const
  {
    if (count <= LU_NATIVE_BLOCK) return factor_block(j, count);
    int left = LU_NATIVE_BLOCK;
    while (2 * left < count) left *= 2;
    const int middle = j + left, right = count - left;
    int status = factor(j, left);
    if (!status) status = lu.update(j, left, middle, right);
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
  const auto count = [&](int j) { return j + width < k ? width : k - j; };
  int status = side.fork();
  if (!status) status = side.run([&] { return native.factor(0, count(0)); });
  for (int j = 0; j < k && !status; j += width) {
    const int here = count(j), next = j + here, ahead = next < k ? count(next) : 0;
    status = side.join(); /* columns j .. are factored, */
    if (!status) status = side.fork(); /* those behind updated by the blocks before */
    if (!status && ahead > 0) status = side.run([&] { return lu.update(j, here, next, ahead); });
    if (!status) status = lu.update(j, here, next + ahead, n - next - ahead);
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
  return status ? status : lu.lu.update(0, k, k, a.n - k);
}

} // namespace batched_cuda::lu

#endif
