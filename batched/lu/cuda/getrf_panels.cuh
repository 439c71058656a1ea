/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of a matrix by one block with L in shared memory: the kernel.
 */
#ifndef BATCHED_LU_CUDA_GETRF_PANELS_CUH
#define BATCHED_LU_CUDA_GETRF_PANELS_CUH

#include "batched/lu/cuda/update.cuh"

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

/* Pivots and info count rows of the caller's matrix, in which these blocks start at row and column `shift`; rows are
 * exchanged in the columns before, too. */
template <class T>
__global__ void __launch_bounds__(LU_THREADS)
  getrf_shared(const __grid_constant__ lu_layout<T> layout, batch<T> a, int limit, int shift, int *__restrict__ ipiv,
               int npivots, int *__restrict__ info)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const lu_size<lu_width<T>> size = {a.rows(b), a.cols(b), limit};
    int found = 0;
    if (size.pivots() > 0) {
      found = factor_matrix(layout, size, a.at(b), a.leading(b), shift, ipiv + b * npivots + shift);
      __syncthreads();
    }
    if (threadIdx.x != blockDim.x - 1) continue; /* its warp takes part in all panels */
    if (shift == 0)
      info[b] = found;
    else if (found && info[b] == 0)
      info[b] = shift + found;
  }
}

/* Is there memory on a multiprocessor for so many blocks?  Each takes 1 KB besides its own. */
template <class T> bool fits_lu_shared(int m, int n, int limit, int blocks)
{
  return m <= LU_MOST_ROWS && ((size_t)lu_layout<T>(m, n, limit).bytes + 1024) * blocks <= most_shared() + 1024;
}

template <class T>
int launch_getrf_shared(batched_ctx *ctx, const batch<T> &a, int limit, int shift, int *ipiv, int npivots, int *info)
{
  const lu_layout<T> layout(a.m, a.n, limit);
  return launch(ctx, getrf_shared<T>, a.count, 32 * layout.warps, (size_t)layout.bytes, layout, a, limit, shift, ipiv,
                npivots, info);
}

} // namespace batched_cuda::lu

#endif
