/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.native of getrf: LU of large matrices, each by as many blocks of threads as there is work for.  A second
 * stream factors a block of columns, on multiprocessors of its own, while the context's updates the matrix behind the
 * block before (look-ahead).  Blocks are factored by a cluster (cluster/panel.cuh); where that has too many rows for so
 * many columns, by halves as in getrf_recursive.cuh.  In double precision those with up to 512 rows are factored in
 * strips, by one block of threads (strip/panel.cuh).
 *
 * launches  per block a cluster; the block row (block_row.cuh) and one or two gemm, of the next block and of the rest;
 *           exchanges on the left (exchange.cuh).  The last 256 columns of real matrices: cuda.shared_tc
 * takes     all four types, m <= 65536, any n, uniform
 * reads     a; writes a, ipiv (from 1), info (first pivot that is zero or NaN); no workspace
 * accuracy  |P L U - A| < 30 n eps |A|
 */
#ifndef BATCHED_LU_CUDA_GETRF_NATIVE_CUH
#define BATCHED_LU_CUDA_GETRF_NATIVE_CUH

#include "batched/cuda/side_stream.cuh"
#include "batched/lu/cuda/block_row.cuh"
#include "batched/lu/cuda/cluster/steps.cuh"
#include "batched/lu/cuda/getrf_recursive.cuh"
#include "batched/lu/cuda/strip/strip.cuh"

namespace batched_cuda::lu
{

/* Rows of a product with few columns; columns between updates where one block of threads factors them. */
enum { LU_PRODUCT_ROWS = 64, LU_STRIP_OUTER = 48 };

template <class T> struct native_lu {
  recursive_lu<T> lu;

  /* Columns that are factored while those behind are updated; k are left. */
  int outer(int k) const
  {
    if (k >= 10240) return std::is_same_v<T, double> ? 512 : 256;
    if (strip_columns(lu.a.m - lu.npivots + k) > 0) return LU_STRIP_OUTER;
    return k >= 2560 ? 128 : is_complex<T> ? 32 : 64;
  }

  /* Wide ones in double precision by the tensor cores. */
  int block_row(int j, int count, int c, int cols, const int *ipiv) const
  {
    if constexpr (std::is_same_v<T, double>)
      if (cols > LU_ROW_FEW) return form_row_tc(lu.ctx, lu.a, c, cols, j, count, ipiv, lu.npivots);
    return launch_block_row(lu.ctx, lu.a, c, cols, j, count, ipiv, lu.npivots);
  }
  /* Columns c .. c + cols - 1 after the factorisation of j .. j + count - 1: their rows j .. j + count - 1, */
  int form_row(int j, int count, int c, int cols) const
  {
    if (cols <= 0) return BATCHED_SUCCESS;
    if (count <= LU_ROW_PIVOTS) return block_row(j, count, c, cols, lu.ipiv);
    int status = launch_exchange(lu.ctx, lu.a, c, cols, j, count, lu.ipiv, lu.npivots);
    for (int i = j, end = j + count, some; i < end && !status; i += some) {
      some = end - i < LU_ROW_PIVOTS ? end - i : LU_ROW_PIVOTS;
      status = block_row(i, some, c, cols, nullptr);
      if (!status) status = subtract(i, some, c, cols, end);
    }
    return status;
  }
  /* and what is below these, to row `end`; few columns of one matrix by 64 rows at a time, so that there are enough
   * products for all multiprocessors. */
  int subtract(int j, int count, int c, int cols, int end) const
  {
    const int below = j + count, rows = end - below, whole = rows / LU_PRODUCT_ROWS;
    if (cols <= 0 || rows <= 0) return BATCHED_SUCCESS;
    if (cols > LU_ROW_PIVOTS || lu.a.count > 1 || lu.a.array || whole < 2)
      return multiply(j, count, c, cols, below, rows, 1);
    const int status = multiply(j, count, c, cols, below, LU_PRODUCT_ROWS, whole), done = whole * LU_PRODUCT_ROWS;
    return status || done == rows ? status : multiply(j, count, c, cols, below + done, rows - done, 1);
  }
  /* `parts` times `rows` rows, from row i on. */
  int multiply(int j, int count, int c, int cols, int i, int rows, int parts) const
  {
    batch<T> l = lu.a.block(i, j, rows, count), u = lu.a.block(j, c, count, cols), x = lu.a.block(i, c, rows, cols);
    if (parts > 1) {
      l.count = u.count = x.count = parts;
      l.stride = x.stride = rows;
      u.stride = 0;
    }
    return products::gemm(lu.ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, make<T>(-1), l, u, make<T>(1), x);
  }
  int update(int j, int count, int c, int cols) const
  {
    const int status = form_row(j, count, c, cols);
    return status ? status : subtract(j, count, c, cols, lu.a.m);
  }

  /* True where so many columns from j on are the last of a larger matrix, which one block of cuda.shared_tc factors. */
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

  /* By one block of threads. */
  static int strip_columns(int rows)
  {
    const bool wins = std::is_same_v<T, double> && rows > recursive_lu<T>::most_shared_tc && rows <= LU_STRIP_ROWS;
    return wins ? lu_strip_columns(rows) : 0;
  }
  int factor_columns(int j, int count) const
  {
    if constexpr (std::is_same_v<T, double>)
      return factor_strip(lu.ctx, lu.a.block(j, j, lu.a.m - j, count), j, lu.ipiv, lu.npivots, lu.info);
    return BATCHED_DOES_NOT_FIT;
  }

  /* Where to cut `count` columns: in strips of about the same width, of up to `strip` columns, */
  static int even_part(int count, int strip)
  {
    const int strips = (int)ceil_div(count, strip), width = (int)ceil_div(ceil_div(count, strips), 8) * 8;
    return (strips + 1) / 2 * width;
  }
  /* or in blocks of `width` and what is left. */
  static int whole_part(int count, int width)
  {
    while (2 * width < count) width *= 2;
    return width;
  }
  int factor(int j, int count) const
  {
    if (is_last(j, count)) return factor_last(j, count);
    const int strip = strip_columns(lu.a.m - j), width = strip > 0 ? strip : lu_cluster_columns<T>(lu.a.m - j);
    if (count <= width) return strip > 0 ? factor_columns(j, count) : factor_block(j, count);
    const int left = strip > 0 ? even_part(count, strip) : whole_part(count, width);
    const int middle = j + left, right = count - left;
    int status = factor(j, left);
    if (!status) status = update(j, left, middle, right);
    if (!status) status = factor(middle, right);
    return status ? status : launch_exchange(lu.ctx, lu.a, j, left, middle, right, lu.ipiv, lu.npivots);
  }
};

/* Multiprocessors for the clusters of all matrices, which the products behind leave to them. */
template <class T> int multiprocessors_of_clusters(const batch<T> &a)
{
  const int64_t blocks = a.count * lu_cluster_blocks(a.m), most = multiprocessors() / 4;
  return (int)(blocks < most ? blocks : most);
}

/* Columns from j on that products with `rows` rows reach while a block of columns is factored: 2.4 us per column, 44
 * Tflop/s (H200), and a third more, for then all multiprocessors are theirs. */
static inline int columns_beside(int rows)
{
  return (70 << 20) / rows;
}

/* All of it: the side stream brings the next block of columns up to date and factors it, while the context's updates
 * what is behind.  That starts when the next block is up to date: then the cluster that factors it has its
 * multiprocessors, and the products, whose blocks stay to their end, the others. */
template <class T> int factor_ahead(const native_lu<T> &native, int k, side_stream &side)
{
  const recursive_lu<T> &lu = native.lu;
  const int m = lu.a.m, n = lu.a.n, reserved = multiprocessors_of_clusters(lu.a);
  const auto count = [&](int j) {
    const int width = native.outer(k - j);
    return j + width < k && !native.is_last(j, k - j) ? width : k - j;
  };
  int status = side.open();
  if (!status) status = side.fork();
  if (!status) status = side.run([&] { return native.factor(0, count(0)); });
  const bool waits = k >= LU_LEFT_ORDER && can_order_left<T>(m);
  int group = 0; /* columns on the left of it wait for their exchanges */
  for (int j = 0, here; j < k && !status; j += here) {
    here = count(j);
    if (waits) group = j / LU_LEFT_COLUMNS * LU_LEFT_COLUMNS;
    const int next = j + here, ahead = next < k ? count(next) : 0, behind = next + ahead, rest = n - behind;
    status = side.run([&] { return native.update(j, here, next, ahead); });
    if (!status) status = side.join();
    if (!status && ahead > 0) status = side.run([&] { return native.factor(next, ahead); });
    if (!status) status = native.form_row(j, here, behind, rest);
    const int beside = ahead > 0 && columns_beside(m - j) < rest ? columns_beside(m - j) : rest;
    side.reserve(ahead > 0 ? reserved : 0);
    if (!status) status = native.subtract(j, here, behind, beside, m);
    side.reserve(0);
    if (!status) status = native.subtract(j, here, behind + beside, rest - beside, m);
    if (!status && ahead > 0) status = side.fork(); /* which does not wait for these: */
    if (!status) status = launch_exchange(lu.ctx, lu.a, group, j - group, j, here, lu.ipiv, lu.npivots);
  }
  if (!status && group > 0) status = launch_order_left(lu.ctx, lu.a, group, lu.ipiv, lu.npivots);
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
