/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.recursive of getrf: LU by halves of the columns (Toledo, SIAM J. Matrix Anal. Appl. 18, 1997), down to what
 * one block factors (tall_panel.cuh); the last 256 columns of real uniform matrices by cuda.shared_tc.
 *
 * [A1 A2]: factor A1; exchange rows of A2; U12 = L11^-1 A12 (trsm); A22 -= L21 U12 (gemm); factor A22; exchange rows of
 * L21.  In double precision with up to 320 rows, A1 is a strip (strip/panel.cuh), and one kernel does all of A2 before
 * it is factored (strip/update.cuh); with more, halves of a large batch go to two streams, and U12 of 256 rows and more
 * is formed on the tensor cores, 128 rows at a time.
 *
 * launches  per level: 2 exchanges (exchange.cuh), a trsm, a gemm; leaves of 128 columns, 64 in z and beyond 4096 rows,
 *           the last one of up to 256
 * takes     all four types, any m and n, uniform and variable
 * reads     a; writes a, ipiv (from 1), info (first pivot that is zero or NaN); no workspace
 * accuracy  |P L U - A| < 30 n eps |A|
 */
#ifndef BATCHED_LU_CUDA_GETRF_RECURSIVE_CUH
#define BATCHED_LU_CUDA_GETRF_RECURSIVE_CUH

#include "batched/cuda/side_stream.cuh"
#include "batched/products/cuda/gemm.cuh"
#include "batched/triangular/cuda/solve.cuh"
#include "batched/lu/cuda/exchange.cuh"
#include "batched/lu/cuda/strip/strip.cuh"
#include "batched/lu/cuda/tall_panel.cuh"
#include "batched/lu/lu.h"

namespace batched_cuda::lu
{

/* getrf_shared_tc.cu: m x n matrices, the trailing blocks of larger ones from row and column `first` on. */
bool shared_tc_fits(int m, int n);
template <class T>
int factor_shared_tc(batched_ctx *ctx, const batch<T> &a, int first, int *ipiv, int npivots, int *info);

template <class T> struct recursive_lu {
  static constexpr int most_shared_tc = 256;
  batched_ctx *ctx;
  batch<T> a;
  int *ipiv, npivots, *info;

  /* Rows i .. i + rows - 1 of columns c .. c + cols - 1, less products with rows j .. j + count - 1 of these. */
  int subtract(int j, int count, int c, int cols, int i, int rows) const
  {
    return products::gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, make<T>(-1), a.block(i, j, rows, count),
                          a.block(j, c, count, cols), make<T>(1), a.block(i, c, rows, cols));
  }
  /* U = L11^-1 A1 in columns c .. c + cols - 1, A1 rows j .. j + count - 1, exchanged. */
  int solve(int j, int count, int c, int cols) const
  {
    if constexpr (std::is_same_v<T, double>)
      if (!a.is_variable() && count >= 2 * LU_ROW_COLUMNS) {
        int status = BATCHED_SUCCESS;
        for (int i = j, end = j + count; i < end && !status; i += LU_ROW_COLUMNS) {
          const int some = end - i < LU_ROW_COLUMNS ? end - i : LU_ROW_COLUMNS, left = end - i - some;
          status = form_row_tc(ctx, a, c, cols, i, some, nullptr, npivots);
          if (!status && left > 0) status = subtract(i, some, c, cols, i + some, left);
        }
        return status;
      }
    return triangular::trsm(ctx, BATCHED_LEFT, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_UNIT, make<T>(1),
                            a.block(j, j, count, count), a.block(j, c, count, cols));
  }
  /* Columns c .. c + cols - 1 after the factorisation of j .. j + count - 1: exchanges, U by trsm, the rest by gemm. */
  int update(int j, int count, int c, int cols) const
  {
    if (cols <= 0) return BATCHED_SUCCESS;
    const int below = j + count, rest = a.m - below;
    if constexpr (std::is_same_v<T, double>)
      if (has_strips() && count <= lu_strip_columns(a.m - j))
        return update_beside(ctx, a.block(j, j, a.m - j, count), a.block(j, c, a.m - j, cols), ipiv, npivots, j);
    int status = launch_exchange(ctx, a, c, cols, j, count, ipiv, npivots);
    if (!status) status = solve(j, count, c, cols);
    return status || rest <= 0 ? status : subtract(j, count, c, cols, below, rest);
  }

  /* True where the columns before the last 256, or all of them, are a strip. */
  bool has_strips() const
  {
    return !a.is_variable() && a.m > most_shared_tc && a.m <= LU_BESIDE_ROWS &&
           (a.n > most_shared_tc || a.n <= LU_STRIP_COLUMNS) && shared_tc_fits(most_shared_tc, 1);
  }
  /* Where to cut columns j .. j + count - 1: so that the right part is cuda.shared_tc's, or else in halves. */
  int cut(int j, int count) const
  {
    const int left = a.m - j - most_shared_tc;
    if (!is_complex<T> && !a.is_variable() && left > 0 && left < count && shared_tc_fits(a.m - j - left, count - left))
      return left;
    int half = tall_columns<T>(a.m - j);
    while (2 * half < count) half *= 2;
    return half;
  }

  /* Factors columns j .. j + count - 1 from row j on. */
  int factor(int j, int count) const
  {
    const int rows = a.m - j;
    const batch<T> block = a.block(j, j, rows, count);
    if constexpr (!is_complex<T>)
      if (!a.is_variable() && shared_tc_fits(rows, count)) return factor_shared_tc(ctx, block, j, ipiv, npivots, info);
    if constexpr (std::is_same_v<T, double>)
      if (has_strips() && count <= lu_strip_columns(rows)) return factor_strip(ctx, block, j, ipiv, npivots, info);
    const int left = cut(j, count);
    if (count <= left) return launch_getrf_tall(ctx, block, j, ipiv, npivots, info);
    const int middle = j + left, right = count - left;
    int status = factor(j, left);
    if (!status) status = update(j, left, middle, right);
    if (!status) status = factor(middle, right);
    return status ? status : launch_exchange(ctx, a, j, left, middle, right, ipiv, npivots);
  }
};

template <class T>
int factor_recursive(batched_ctx *ctx, const batch<T> &a, int64_t begin, int64_t end, int *ipiv, int *info)
{
  const int k = a.m < a.n ? a.m : a.n;
  batch<T> some = a;
  some.count = end - begin;
  if (a.array)
    some.array += begin;
  else
    some.data += begin * a.stride;
  const recursive_lu<T> lu = {ctx, some, ipiv + begin * k, k, info + begin};
  const int status = lu.factor(0, k);
  return status ? status : lu.update(0, k, k, a.n - k);
}

/* Does half of the batch go to the side stream, so that multiprocessors which a kernel's last blocks leave idle have
 * the other half's? */
template <class T> bool goes_by_halves(const batch<T> &a)
{
  return std::is_same_v<T, double> && !a.is_variable() && a.m > LU_BESIDE_ROWS &&
         a.n > recursive_lu<T>::most_shared_tc && a.count >= 2 * multiprocessors();
}

template <class T> int run_getrf_recursive(batched_ctx *ctx, const batched_getrf_args &p)
{
  const batch<T> a = view<T>(p.a);
  if (!goes_by_halves(a)) return factor_recursive(ctx, a, 0, a.count, p.ipiv, p.info);
  const int64_t round = multiprocessors(), half = (a.count / 2 + round / 2) / round * round;
  side_stream side(ctx);
  int status = side.open();
  if (!status) status = side.fork();
  if (status) return status;
  status = factor_recursive(ctx, a, 0, half, p.ipiv, p.info);
  if (!status) status = side.run([&] { return factor_recursive(ctx, a, half, a.count, p.ipiv, p.info); });
  const int joined = side.join();
  return status ? status : joined;
}

} // namespace batched_cuda::lu

#endif
