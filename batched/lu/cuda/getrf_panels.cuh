/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.panels and cuda.blocked of getrf: LU with partial pivoting of one matrix per block, left-looking by panels
 * of W = 16 columns (W = 8 in complex<double>), L kept in shared memory.
 *
 * For each panel J: read its columns in the current order of rows; for each earlier panel K, U(K,J) = L(K,K)^-1 A(K,J)
 * by the inverse of the unit triangle, A(i,J) -= L(i,K) U(K,J); then the W columns in registers, two rows per thread,
 * one barrier per column (left-looking LU: Golub and Van Loan, Matrix Computations, 4th ed., 3.2 and 3.4). A is read
 * and written once. Rows never move inside a panel: a thread knows where its rows belong (their places). In double
 * precision the products run on the tensor cores.
 *
 * grid      a block per matrix (grid-stride over the batch)
 * block     a warp per 64 rows, at most 256 threads
 * shared    L of all panels but the last (their histories), inverses of the unit triangles, buffers: lu_layout
 * takes     all four types, m <= 512, any n, uniform and variable; with `limit` the first columns alone (cuda.blocked)
 * reads     a; writes a, ipiv (from 1), info (first pivot that is zero or NaN; nothing is divided by a zero)
 * accuracy  |P L U - A| < 30 n eps |A|; inverses of unit triangles cost digits where nearly all of L is near -1
 *
 * Classes in panels/, each of which adds to the one before:
 *   memory.cuh    lu_layout, lu_memory   what lies where in shared memory, and where rows and columns are
 *   columns.cuh   lu_panel               the panel in registers: pivots, exchanges, elimination
 *   history.cuh   lu_history             L and inverses of unit triangles, kept for later panels
 *   update.cuh    lu_update              A(:,J) -= L(:,K) U(K,J), in double precision on tensor cores
 */
#ifndef BATCHED_LU_CUDA_GETRF_PANELS_CUH
#define BATCHED_LU_CUDA_GETRF_PANELS_CUH

#include "batched/lu/cuda/panels/update.cuh"

namespace batched_cuda::lu
{

template <class T>
__device__ __forceinline__ int factor_matrix(const lu_layout<T> &layout, lu_size<lu_width<T>> size, T *a, int64_t ld,
                                             int shift, int *ipiv)
{
  constexpr int W = lu_width<T>;
  lu_update<T> lu(layout, size, a, ld);
  for (int r = 0; r < LU_ROWS; r++)
    if (lu.row(r) < size.m) lu.order()[lu.row(r)] = (unsigned short)lu.row(r);
#pragma unroll 1
  for (int J = 0; J * W < size.n; J++) {
    const int first = lu.owner(J);
    lu.forget();
    lu.update(J);
    if (J >= size.panels()) {
      if (size.pivots() < size.m) {
        lu.begin(J);
        lu.store_rest(J);
      }
    } else if (lu.warp >= first) {
      lu.begin(J);
      lu.prefetch(J + 1);
      lu.factor(J, first, shift, ipiv);
      lu.forget();
      lu.keep(J, first);
    }
    __syncthreads();
  }
  lu.store_history();
  lu.exchange_before(shift);
  return lu.info;
}

/* Factors `limit` columns of the blocks of A at row and column `shift`, and exchanges rows in the columns left of
 * them. ipiv and info count from the caller's row 1. */
template <class T>
__global__ void __launch_bounds__(LU_THREADS)
  getrf_panels(const __grid_constant__ lu_layout<T> layout, batch<T> a, int limit, int shift, int *__restrict__ ipiv,
               int npivots, int *__restrict__ info)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const lu_size<lu_width<T>> size = {a.rows(b), a.cols(b), limit};
    int found = 0;
    if (size.pivots() > 0) {
      found = factor_matrix(layout, size, a.at(b), a.leading(b), shift, ipiv + b * npivots + shift);
      __syncthreads();
    }
    if (threadIdx.x != blockDim.x - 1)
      continue; /* this thread's warp takes part in all panels, so that it knows
                                                  * info */
    if (shift == 0)
      info[b] = found;
    else if (found && info[b] == 0)
      info[b] = shift + found;
  }
}

/* True where `blocks` blocks fit on an SM: each occupies 1 KB beyond its own shared memory. */
template <class T> bool panels_fit(int m, int n, int limit, int blocks)
{
  return m <= LU_MOST_ROWS && ((size_t)lu_layout<T>(m, n, limit).bytes + 1024) * blocks <= most_shared() + 1024;
}

template <class T>
int launch_getrf_panels(batched_ctx *ctx, const batch<T> &a, int limit, int shift, int *ipiv, int npivots, int *info)
{
  const lu_layout<T> layout(a.m, a.n, limit);
  return launch(ctx, getrf_panels<T>, a.count, 32 * layout.warps, (size_t)layout.bytes, layout, a, limit, shift, ipiv,
                npivots, info);
}

} // namespace batched_cuda::lu

#endif
