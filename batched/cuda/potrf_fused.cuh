/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The fused left-looking Cholesky of Dong et al. and Abdelfattah et al. (MAGMA batched, vbatched): one block takes a
 * panel of a matrix through the update by all columns to its left, the factorisation, and back to memory in one
 * kernel.
 */
#ifndef BATCHED_CUDA_POTRF_FUSED_CUH
#define BATCHED_CUDA_POTRF_FUSED_CUH

#include "potrf_tiles.cuh"

namespace batched_cuda
{

/* Most columns of tiles in a panel of which something lies to the left. */
constexpr int panel_width = 4;

template <class T> size_t panel_bytes(int nt, int width)
{
  return (size_t)tile_panel<T>::elements(nt, width < nt ? width : nt) * sizeof(T);
}

/* Columns of tiles in a panel of matrices of order n: all, or as many as fit; 0 if not even one does. */
template <class T> int panel_columns(int n)
{
  const int nt = (int)ceil_div(n, tile_edge);
  if (panel_bytes<T>(nt, nt) <= most_shared()) return nt < 1 ? 1 : nt;
  for (int width = panel_width; width > 0; width--)
    if (panel_bytes<T>(nt, width) <= (width > 2 ? half_shared() : most_shared())) return width;
  return 0;
}

/* Columns first .. first + panel.width of L, less the products of all columns before; a: the whole matrix. */
template <class T>
__device__ __forceinline__ void update_from_left(const tile_panel<T> &panel, const T *a, int64_t row, int64_t col,
                                                 int n, int first)
{
  const int warp = threadIdx.x / warp_size, warps = blockDim.x / warp_size;
  const auto tile = [&](int i, int k) {
    return global_tile<T>{a + (int64_t)(first + i) * tile_edge * row + (int64_t)k * tile_edge * col, row, col,
                          n - (first + i) * tile_edge};
  };
  for (int i0 = 2 * warp; i0 < panel.nt; i0 += 2 * warps) {
    const int i1 = min(i0 + 1, panel.nt - 1);
    tile_part<T> c[panel_width][2];
#pragma unroll 2
    for (int k = 0; k < first; k++) {
#pragma unroll
      for (int j = 0; j < panel_width; j++)
        if (j < panel.width) multiply(c[j][0], c[j][1], tile(i0, k), tile(i1, k), tile(j, k));
    }
#pragma unroll
    for (int j = 0; j < panel_width; j++) {
      if (j >= panel.width) break;
      if (j <= i0) panel.subtract(i0, j, c[j][0]);
      if (j <= i1 && i1 != i0) panel.subtract(i1, j, c[j][1]);
    }
  }
}

/* One panel, from column of tiles `first` on, of at most `width` ones.  info as in tile_panel::factor, of the
 * matrix. */
template <bool whole, class T>
__device__ __forceinline__ int factor_panel(bool lower, T *a, int64_t ld, int n, int first, int width)
{
  const int nt = (n + tile_edge - 1) / tile_edge - first, start = first * tile_edge;
  width = min(width, nt);
  T *shared = shared_array<T>();
  const tile_panel<T> panel{shared + tile_edge, shared, nt, width};
  T *corner = a + start * (ld + 1);
  panel.load(lower, corner, ld, n - start);
  __pipeline_wait_prior(0);
  __syncthreads();
  if (!whole && first > 0) {
    update_from_left(panel, a, lower ? 1 : ld, lower ? ld : 1, n, first);
    __syncthreads();
  }
  const int info = panel.factor();
  panel.store(lower, corner, ld, n - start);
  __syncthreads();
  return info ? start + info : 0;
}

/* Keep the first failure; the first panel finds whatever was there before. */
static __device__ __forceinline__ void report(int *info, bool is_first, int offset, int bad)
{
  if (threadIdx.x != 0) return;
  if (is_first)
    *info = bad ? offset + bad : 0;
  else if (bad && *info == 0)
    *info = offset + bad;
}

/* Loop-inclusive: all panels of a matrix, or the one that is the `whole` of it.  offset: order of what was factored
 * before, by other kernels. */
template <class T, bool whole, int threads, int blocks>
static __global__ void __launch_bounds__(threads, blocks)
  factor_fused(batched_uplo uplo, batch<T> a, int width, int *info, int offset)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int n = a.rows(b);
    int bad = 0;
    for (int first = 0; first * tile_edge < n; first += width) {
      const int now = factor_panel<whole>(uplo == BATCHED_LOWER, a.at(b), a.leading(b), n, first, width);
      if (!bad) bad = now;
    }
    report(info + b, offset == 0, offset, bad);
  }
}

/* One warp or two for a small triangle: more blocks fit, and there is little to share out. */
static inline int whole_threads(int n)
{
  return n <= 48 ? 32 : n <= 64 ? 64 : 128;
}

/* A triangle that fills the shared memory gets more warps, for there is no other block to fill the time. */
template <class T> int launch_fused(const batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, int *info, int offset)
{
  constexpr int blocks = sizeof(T) > 8 ? 2 : 4;
  constexpr auto whole = factor_fused<T, true, 128, blocks>, alone = factor_fused<T, true, 256, 1>,
                 panels = factor_fused<T, false, 256, 1>;
  const int width = panel_columns<T>(a.m), nt = (int)ceil_div(a.m, tile_edge);
  if (width == 0) return BATCHED_DOES_NOT_FIT;
  const size_t bytes = panel_bytes<T>(nt, width);
  const bool several = width >= nt && bytes <= half_shared();
  return launch(ctx,
                several       ? whole
                : width >= nt ? alone
                              : panels,
                a.count, several ? whole_threads(a.m) : 256, bytes, uplo, a, width, info, offset);
}

/* Loop-exclusive: panel `step` of `steps`, a launch each.  A smaller matrix of a batch has fewer panels: with greedy
 * scheduling it begins with the others, with lazy scheduling it ends with them, so that those at work are alike. */
template <class T>
static __global__ void __launch_bounds__(256, sizeof(T) > 8 ? 1 : 2)
  factor_step(batched_uplo uplo, batch<T> a, int width, int step, int steps, bool lazy, int *info)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int n = a.rows(b), panels = (n + width * tile_edge - 1) / (width * tile_edge);
    const int own = lazy ? step - (steps - panels) : step;
    if (own < 0 || own >= panels) {
      if (panels == 0 && step == 0) report(info + b, true, 0, 0);
      continue;
    }
    const int bad = factor_panel<false>(uplo == BATCHED_LOWER, a.at(b), a.leading(b), n, own * width, width);
    report(info + b, own == 0, 0, bad);
  }
}

template <class T> int launch_steps(const batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, bool lazy, int *info)
{
  const int nt = (int)ceil_div(a.m, tile_edge);
  int width = panel_columns<T>(a.m);
  if (width == 0) return BATCHED_DOES_NOT_FIT;
  if (width > panel_width) width = panel_width;
  const int steps = nt > 0 ? (int)ceil_div(nt, width) : 1;
  for (int step = 0; step < steps; step++) {
    const int rows = (steps - step) * width;
    const int status = launch(ctx, factor_step<T>, a.count,
                              rows * tile_edge <= 64    ? 64
                              : rows * tile_edge <= 256 ? 128
                                                        : 256,
                              panel_bytes<T>(rows, width), uplo, a, width, step, steps, lazy, info);
    if (status) return status;
  }
  return BATCHED_SUCCESS;
}

} // namespace batched_cuda

#endif
