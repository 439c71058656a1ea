/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of a matrix by one block, whose warps have a tile of 8 columns each, all rows of it, in shared memory.
 *
 * Blocks of columns are brought up to date one after the other by the L of earlier blocks, which passes through shared
 * memory 16 columns at a time, and is applied to tiles in registers.  Within a block of columns the warps factor their
 * tiles in turn, in registers; those to the right apply each.
 */
#ifndef BATCHED_LU_CUDA_GETRF_PANELS_TC_CUH
#define BATCHED_LU_CUDA_GETRF_PANELS_TC_CUH

#include "batched/lu/cuda/tiles_update.cuh"

namespace batched_cuda::lu
{

/* R: rows of a lane. */
template <int R> struct lu_tiles : lu_tiles_update {
  int *const ipiv;

  __device__ __forceinline__ lu_tiles(const lu_tiles_layout &at, double *a, int64_t lda, int m, int n, int *ipiv)
      : lu_tiles_update(at, a, lda, m, n), ipiv(ipiv)
  {
  }
  __device__ __forceinline__ void factor(int p, int r0)
  {
    lu_line *lines = reinterpret_cast<lu_line *>(memory() + at.lines) + 2 * p;
    const int rows = m - r0, count = min(k - r0, W);
    int bad;
    if (rows <= 16 * R)
      bad = lu_warp<R / 2>::factor(tile(p), at.ld, r0, m, count, lane, lines, moves(p), ipiv);
    else
      bad = lu_warp<R>::factor(tile(p), at.ld, r0, m, count, lane, lines, moves(p), ipiv);
    if (bad && lane == 0 && *info() == 0) *info() = bad;
    __syncwarp();
    exchange(tile(p), moves(p));
    invert(tile(p), r0, inverse(r0 / W));
  }
  __device__ __forceinline__ void factor_block(int J)
  {
    const int c0 = start(J), first = max(0, -c0 / W), panels = min((k - c0 + W - 1) / W, at.warps);
#pragma unroll 1
    for (int p = first; p < panels; p++) {
      const int r0 = c0 + W * p;
      if (warp == p) factor(p, r0);
      __syncthreads();
      if (warp <= p) continue;
      exchange(tile(warp), moves(p));
      apply(tile(warp), tile(p), inverse(r0 / W), r0);
    }
#pragma unroll 1
    for (int p = max(warp, first) + 1; p < panels; p++) exchange(tile(warp), moves(p));
    reorder(J, first, panels);
#pragma unroll 1
    for (int i = threadIdx.x; i < m; i += blockDim.x) order(J)[i] = (unsigned char)i;
  }
  /* Puts the rows of L to their last places. */
  __device__ __forceinline__ void finish(int blocks)
  {
    find_rows(blocks - 1);
#pragma unroll 1
    for (int K = 0; K + 1 < blocks; K++) {
      const int from = start(K + 1);
      fetch_tile(start(K) + W * warp, from, where(K));
      copy_wait<0>();
      __syncwarp();
      store(start(K), from);
    }
  }
  __device__ __forceinline__ int factor_matrix()
  {
    const int blocks = (k + missing + width - 1) / width;
    begin();
#pragma unroll 1
    for (int J = 0; start(J) < n; J++) {
      if (J > 0) find_rows(min(J, blocks));
      this->template update<R>(J);
      prefetch(start(J + 1));
      if (J < blocks) factor_block(J);
      store(start(J), 0);
    }
    finish(blocks);
    return *info();
  }
};

template <int R>
__global__ void __launch_bounds__(32 * LU_TILES_WARPS, 32 * R == LU_TILES_FEW_ROWS ? LU_TILES_BLOCKS : 2)
  getrf_tiles(const __grid_constant__ lu_tiles_layout layout, batch<double> a, int *__restrict__ ipiv, int npivots,
              int *__restrict__ info)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = a.cols(b);
    int found = 0;
    if (m > 0 && n > 0) {
      lu_tiles<R> lu(layout, a.at(b), a.leading(b), m, n, ipiv + b * npivots);
      found = lu.factor_matrix();
      __syncthreads();
    }
    if (threadIdx.x == 0) info[b] = found;
  }
}

} // namespace batched_cuda::lu

#endif
