/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The fused left-looking Cholesky of Dong et al. and Abdelfattah et al. (MAGMA batched, vbatched): one block takes a
 * panel of a matrix through the update by all columns to its left, the factorisation, and back to memory in one
 * kernel.
 */
#ifndef BATCHED_CUDA_POTRF_FUSED_CUH
#define BATCHED_CUDA_POTRF_FUSED_CUH

#include <algorithm>

#include "batched/cholesky/cuda/column_stages.cuh"

namespace batched_cuda::cholesky
{

/* As many have the registers: 128 a thread, complex numbers 256. */
template <class T> constexpr int most_warps = is_complex<T> ? 8 : 16;

/* What a block takes of the shared memory for itself. */
constexpr int block_shared = 1024;

/* How a matrix is taken: columns of tiles in a panel, stages, threads, bytes of shared memory; width 0 where not even a
 * column of tiles fits. */
struct panel_plan {
  int width, stages, threads;
  size_t bytes;
};

template <class T> size_t panel_bytes(int nt, int width)
{
  return (size_t)tile_panel<T>::elements(nt, width < nt ? width : nt) * sizeof(T);
}

/* The whole triangle in one panel.  One warp or two for a small one: more blocks fit, and there is little to share out;
 * more warps for one that leaves room for no other block, or for just one in double, to fill the time. */
template <class T> panel_plan plan_whole(int n)
{
  const int nt = n < 1 ? 1 : (int)ceil_div(n, tile_edge);
  const size_t bytes = panel_bytes<T>(nt, nt);
  const size_t few = has_tensor_tiles<T> ? most_shared() / 3 - block_shared : half_shared();
  if (bytes > most_shared()) return {0, 0, 0, 0};
  return {nt, 0, bytes > few ? 256 : n <= 48 ? 32 : n <= 64 ? 64 : 128, bytes};
}

/* Several panels, as wide as fits, with as many stages of what is to their left as leave room for other blocks. */
template <class T> panel_plan plan_panels(int n)
{
  const int nt = n < 1 ? 1 : (int)ceil_div(n, tile_edge);
  const size_t room = most_shared();
  for (int width = panel_width; width > 0; width--) {
    const int rest = nt > width ? nt - width : 1, needed = (int)ceil_div(rest, 2 * row_pairs<T>);
    const int warps = std::max(4, std::min(needed, most_warps<T>));
    int most = 0;
    panel_plan best = {0, 0, 0, 0};
    for (int stages = most_stages; stages > 1; stages--) {
      const size_t next = panel_bytes<T>(rest, width) + stages * stage_bytes<T>(rest);
      const size_t bytes = std::max(panel_bytes<T>(nt, width), next);
      const int blocks = std::min((int)((room + block_shared) / (bytes + block_shared)), most_warps<T> / warps);
      if (blocks > most) best = {width, stages, warp_size * warps, bytes};
      most = std::max(most, blocks);
    }
    if (most > 0) return best;
  }
  return {0, 0, 0, 0};
}

/* One panel, from column of tiles `first` on, of at most `width` ones.  info as in tile_panel::factor, of the
 * matrix. */
template <bool whole, class T>
__device__ __forceinline__ int factor_panel(bool lower, T *a, int64_t ld, int n, int first, int width, int stages)
{
  const int nt = (n + tile_edge - 1) / tile_edge - first, start = first * tile_edge;
  width = min(width, nt);
  T *shared = shared_array<T>();
  const tile_panel<T> panel{shared + tile_edge, shared, nt, width};
  T *corner = a + start * (ld + 1);
  panel.load(lower, corner, ld, n - start);
  if (!whole && first > 0) {
    update_from_left(panel, column_stages<T>(shared + panel.elements(nt, width), stages, nt, lower, a, ld, n, first),
                     first);
  } else {
    __pipeline_wait_prior(0);
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
  factor_fused(batched_uplo uplo, batch<T> a, int width, int stages, int *info, int offset)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int n = a.rows(b);
    int bad = 0;
    for (int first = 0; first * tile_edge < n; first += width) {
      const int now = factor_panel<whole>(uplo == BATCHED_LOWER, a.at(b), a.leading(b), n, first, width, stages);
      if (!bad) bad = now;
    }
    report(info + b, offset == 0, offset, bad);
  }
}

template <class T> int launch_whole(const batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, int *info, int offset)
{
  constexpr auto several = factor_fused<T, true, 128, (sizeof(T) > 8 ? 2 : 4)>,
                 few = factor_fused<T, true, 256, (has_tensor_tiles<T> ? 2 : 1)>;
  const panel_plan p = plan_whole<T>(a.m);
  if (p.width == 0) return BATCHED_DOES_NOT_FIT;
  return launch(ctx, p.threads > 128 ? few : several, a.count, p.threads, p.bytes, uplo, a, p.width, 0, info, offset);
}

template <class T> int launch_panels(const batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, int *info)
{
  const panel_plan p = plan_panels<T>(a.m);
  if (p.width == 0) return BATCHED_DOES_NOT_FIT;
  return launch(ctx, factor_fused<T, false, warp_size * most_warps<T>, 1>, a.count, p.threads, p.bytes, uplo, a,
                p.width, p.stages, info, 0);
}

/* Loop-exclusive: panel `step` of `steps`, a launch each.  A smaller matrix of a batch has fewer panels: with greedy
 * scheduling it begins with the others, with lazy scheduling it ends with them, so that those at work are alike. */
template <class T>
static __global__ void __launch_bounds__(warp_size *most_warps<T>, 1)
  factor_step(batched_uplo uplo, batch<T> a, int width, int stages, int step, int steps, bool lazy, int *info)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int n = a.rows(b), panels = (n + width * tile_edge - 1) / (width * tile_edge);
    const int own = lazy ? step - (steps - panels) : step;
    if (own < 0 || own >= panels) {
      if (panels == 0 && step == 0) report(info + b, true, 0, 0);
      continue;
    }
    const int bad = factor_panel<false>(uplo == BATCHED_LOWER, a.at(b), a.leading(b), n, own * width, width, stages);
    report(info + b, own == 0, 0, bad);
  }
}

template <class T> int launch_steps(const batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, bool lazy, int *info)
{
  const int nt = (int)ceil_div(a.m, tile_edge);
  const panel_plan p = plan_panels<T>(a.m);
  if (p.width == 0) return BATCHED_DOES_NOT_FIT;
  const int steps = nt > 0 ? (int)ceil_div(nt, p.width) : 1;
  for (int step = 0; step < steps; step++) {
    /* rows of a matrix that is at its first panel, and of one that is at a later one */
    const int first = std::min((steps - step) * p.width, nt), next = std::min(first, nt - p.width);
    const int warps = std::max(2, std::min((int)ceil_div(first, 2 * row_pairs<T>), most_warps<T>));
    size_t bytes = panel_bytes<T>(first, p.width);
    if (step > 0) bytes = std::max(bytes, panel_bytes<T>(next, p.width) + p.stages * stage_bytes<T>(next));
    const int status = launch(ctx, factor_step<T>, a.count, warp_size * warps, bytes, uplo, a, p.width, p.stages, step,
                              steps, lazy, info);
    if (status) return status;
  }
  return BATCHED_SUCCESS;
}

} // namespace batched_cuda::cholesky

#endif
