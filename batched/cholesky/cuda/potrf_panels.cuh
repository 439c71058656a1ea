/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.panels, cuda.panels_greedy and cuda.panels_lazy of potrf: the fused left-looking Cholesky of MAGMA batched
 * (T. Dong, A. Haidar, S. Tomov, J. Dongarra, "A fast batched Cholesky factorization on a GPU"; A. Abdelfattah, A.
 * Haidar, S. Tomov, J. Dongarra, "Performance tuning and optimization techniques of fixed and variable size batched
 * Cholesky").  A block per matrix takes a panel of up to four columns of tiles through the update by all columns to its
 * left, the factorisation, and back to memory, in one kernel.  The columns to the left stream through shared memory,
 * two or three stages ahead of the products.
 *
 * Sections: the columns to the left; one panel after the other; how a matrix is cut; all panels per launch
 * (cuda.panels); a launch per panel (greedy and lazy).
 */
#ifndef BATCHED_CHOLESKY_CUDA_POTRF_PANELS_CUH
#define BATCHED_CHOLESKY_CUDA_POTRF_PANELS_CUH

#include <algorithm>
#include <cstdint>

#include "batched/cholesky/cuda/shared.cuh"

namespace batched_cuda::cholesky
{

/* ------------------------------------------------------------------ the columns to the left of a panel */

/* Most columns of tiles in a panel. */
constexpr int panel_width = 4;

/* Pairs of rows of tiles that a warp accumulates in registers. */
template <class T> constexpr int row_pairs = sizeof(T) > 8 ? 1 : 2;

/* Most stages in shared memory. */
constexpr int most_stages = 4;

/* Leading dimension of a stage: 2 modulo 16, so that neither the tensor cores' operands nor the rows of U that arrive
 * have bank conflicts. */
static DEVICE constexpr int stage_ld(int nt)
{
  return (nt * tile_edge + 15) / 16 * 16 + 2;
}
template <class T> constexpr size_t stage_bytes(int nt)
{
  return (size_t)tile_edge * stage_ld(nt) * sizeof(T);
}

/* A tile of a stage as an operand. */
template <class T> struct staged_tile {
  const T *at;
  int ld;

  __device__ __forceinline__ pair<T> operator()(int i, int p) const
  {
    return {at[i + 2 * p * ld], at[i + (2 * p + 1) * ld]};
  }
};

/* A lane's part of a tile in registers, as an operand. */
template <class T> struct held_tile {
  pair<T> v;

  __device__ __forceinline__ pair<T> operator()(int, int) const
  {
    return v;
  }
};

/* The columns of L to the left of a panel, eight at a time through a ring of stages in shared memory.  A warp copies
 * tile by tile: 16 bytes per lane where columns are so aligned, else two elements, lanes along the contiguous
 * direction. */
template <class T> struct column_stages {
  T *at;          /* the ring, in shared memory */
  int stages, nt; /* nt: tiles in a column of a stage */
  const T *from;  /* row 0 of the panel in column 0 of L */
  int64_t ld;
  int rows; /* of the matrix from there on; further ones are zero */
  bool lower, wide;

  __device__ __forceinline__ column_stages(T *at, int stages, int nt, bool lower, const T *a, int64_t ld, int n,
                                           int first)
      : at(at), stages(stages), nt(nt), from(a + first * tile_edge * (lower ? 1 : ld)), ld(ld),
        rows(n - first * tile_edge), lower(lower),
        wide(lower && sizeof(T) == 8 && (reinterpret_cast<uintptr_t>(a) | (ld * sizeof(T))) % 16 == 0)
  {
  }

  __device__ __forceinline__ T *stage(int place) const
  {
    return at + place * tile_edge * stage_ld(nt);
  }

  /* Zeros the rows that no copy touches; a copy of 16 bytes pads an odd number of rows by a zero. */
  __device__ __forceinline__ void clear_rest() const
  {
    const int begin = wide ? rows + rows % 2 : rows, rest = nt * tile_edge - begin;
    for (int e = threadIdx.x; e < rest * tile_edge * stages; e += blockDim.x)
      at[e / rest * stage_ld(nt) + begin + e % rest] = make<T>(0);
  }

  /* Starts to copy columns 8k .. 8k + 7 to a place in the ring, if k < count. */
  __device__ __forceinline__ void start(int k, int place, int count) const
  {
    if (k < count) {
      const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size, warps = blockDim.x / warp_size;
      const int fast = lane % tile_edge, slow = lane / tile_edge, to_ld = stage_ld(nt);
      const int r = wide ? 2 * (lane % 4) : lower ? fast : slow, c = wide ? lane / 4 : lower ? slow : fast;
      const int64_t right = lower ? ld : 1, down = lower ? 1 : ld;
      const T *source = from + (k * tile_edge + c) * right + (warp * tile_edge + r) * down;
      T *to = stage(place) + c * to_ld;
      for (int i = warp * tile_edge + r; i < rows; i += warps * tile_edge) {
        if (wide) {
          __pipeline_memcpy_async(to + i, source, 2 * sizeof(T), i + 1 < rows ? 0 : sizeof(T));
        } else {
          __pipeline_memcpy_async(to + i, source, sizeof(T));
          if (lower || i + 4 < rows)
            __pipeline_memcpy_async(to + i + (lower ? 4 * to_ld : 4), source + 4 * ld, sizeof(T));
        }
        source += warps * tile_edge * down;
      }
    }
    __pipeline_commit();
  }

  /* Waits for stage k, and starts the copy that takes the place of stage k - 1. */
  __device__ __forceinline__ const T *next(int k, int place, int count) const
  {
    if (stages == 4)
      __pipeline_wait_prior(2);
    else if (stages == 3)
      __pipeline_wait_prior(1);
    else
      __pipeline_wait_prior(0);
    __syncthreads();
    start(k + stages - 1, place == 0 ? stages - 1 : place - 1, count);
    return stage(place);
  }
};

/* c += A_i B_j^H for this warp's rows of tiles i and the panel's first `width` rows j, s being a stage.  full: width ==
 * panel_width, so that no branch separates the mma instructions. */
template <bool full, class T>
__device__ __forceinline__ void multiply_staged(tile_part<T> (&c)[row_pairs<T>][panel_width][2], const T *s, int ld,
                                                int width, int nt, int begin, int step)
{
  const int lane = threadIdx.x % warp_size, g = lane / 4, t = lane % 4;
  const auto tile = [&](int i) { return staged_tile<T>{s + i * tile_edge, ld}; };
  held_tile<T> b[panel_width];
  if constexpr (has_tensor_tiles<T>)
#pragma unroll
    for (int j = 0; j < panel_width; j++)
      if (full || j < width) b[j].v = tile(j)(g, t);
#pragma unroll
  for (int q = 0; q < row_pairs<T>; q++) {
    const int i0 = begin + q * step, i1 = min(i0 + 1, nt - 1);
    if (i0 >= nt) break;
    if constexpr (has_tensor_tiles<T>) {
      const held_tile<T> a0{tile(i0)(g, t)}, a1{tile(i1)(g, t)};
#pragma unroll
      for (int j = 0; j < panel_width; j++)
        if (full || j < width) multiply(c[q][j][0], c[q][j][1], a0, a1, b[j]);
    } else {
#pragma unroll
      for (int j = 0; j < panel_width; j++)
        if (full || j < width) multiply(c[q][j][0], c[q][j][1], tile(i0), tile(i1), tile(j));
    }
  }
}

/* panel -= L(panel rows, :) L(panel columns, :)^H over the `first` columns of tiles to its left. */
template <class T>
__device__ __forceinline__ void update_from_left(const tile_panel<T> &panel, const column_stages<T> &left, int first)
{
  const int warp = threadIdx.x / warp_size, step = 2 * (blockDim.x / warp_size), nt = panel.nt, ld = stage_ld(nt);
  left.clear_rest();
  for (int base = 0; base < nt; base += step * row_pairs<T>) {
    tile_part<T> c[row_pairs<T>][panel_width][2];
    for (int k = 0; k + 1 < left.stages; k++) left.start(k, k, first);
    for (int k = 0, place = 0; k < first; k++) {
      const T *s = left.next(k, place, first);
      if (has_tensor_tiles<T> && panel.width == panel_width)
        multiply_staged<true>(c, s, ld, panel_width, nt, base + 2 * warp, step);
      else
        multiply_staged<false>(c, s, ld, panel.width, nt, base + 2 * warp, step);
      place = place + 1 < left.stages ? place + 1 : 0;
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < row_pairs<T>; q++) {
      const int i0 = base + 2 * warp + q * step;
#pragma unroll
      for (int j = 0; j < panel_width; j++) {
        if (j < panel.width && j <= i0 && i0 < nt) panel.subtract(i0, j, c[q][j][0]);
        if (j < panel.width && j <= i0 + 1 && i0 + 1 < nt) panel.subtract(i0 + 1, j, c[q][j][1]);
      }
    }
  }
  __syncthreads();
}

/* ------------------------------------------------------------------ one panel after the other */

/* One panel: at most `width` columns of tiles, from column `first` on.  Returns info of the matrix. */
template <class T>
__device__ __forceinline__ int factor_panel(bool lower, T *a, int64_t ld, int n, int first, int width, int stages)
{
  const int nt = (n + tile_edge - 1) / tile_edge - first, start = first * tile_edge;
  width = min(width, nt);
  T *shared = shared_array<T>();
  const tile_panel<T> panel{shared + tile_edge, shared, nt, width};
  T *corner = a + start * (ld + 1);
  panel.load(lower, corner, ld, n - start);
  if (first > 0) {
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

/* ------------------------------------------------------------------ how a matrix is cut */

/* Most warps per block that fit the register file, at 128 registers a thread (256 for complex types). */
template <class T> constexpr int most_warps = is_complex<T> ? 8 : 16;

/* Shared memory that the system takes per block. */
constexpr int block_shared = 1024;

/* Columns of tiles in a panel, stages, threads and bytes of shared memory per block; width 0: not even a column of
 * tiles fits. */
struct panel_plan {
  int width, stages, threads;
  size_t bytes;
};

/* Panels as wide as fit, with as many stages as leave room for the most resident blocks. */
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

/* ------------------------------------------------------------------ cuda.panels */

/* A = L L^H or U^H U in place, all panels of a matrix in one launch ("loop-inclusive").
 *   algorithm  left-looking by panels of `width` columns of tiles
 *   grid       a block of 128 to 512 threads per matrix
 *   registers  128 per thread, complex numbers 256
 *   shared     the panel's tiles, or those below it and `stages` stages of 8 columns
 *   takes      any n of which a column of tiles fits, all types, uniform and variable
 *   memory     the triangle once, and the columns to the left of each panel again (from L2), n^3 / (6 * 8 width)
 *              elements; written once; info
 *   accuracy   of potf2: pivots and their inverses to an ulp */
template <class T, int threads, int blocks>
static __global__ void __launch_bounds__(threads, blocks)
  factor_panels(batched_uplo uplo, batch<T> a, int width, int stages, int *info)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int n = a.rows(b);
    int bad = 0;
    for (int first = 0; first * tile_edge < n; first += width) {
      const int now = factor_panel(uplo == BATCHED_LOWER, a.at(b), a.leading(b), n, first, width, stages);
      if (!bad) bad = now;
    }
    report(info + b, true, 0, bad);
  }
}

template <class T> static int factor_by_panels(const batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, int *info)
{
  const panel_plan p = plan_panels<T>(a.m);
  if (p.width == 0) return BATCHED_DOES_NOT_FIT;
  return launch(ctx, factor_panels<T, warp_size * most_warps<T>, 1>, a.count, p.threads, p.bytes, uplo, a, p.width,
                p.stages, info);
}

/* ------------------------------------------------------------------ cuda.panels_greedy, cuda.panels_lazy */

/* The same, a launch per panel ("loop-exclusive"): panel `step` of `steps`.  A smaller matrix of a variable batch has
 * fewer panels: greedily, all matrices begin with the first launch; lazily, all end with the last one, so that the
 * panels of a launch are alike.  Blocks of matrices that have no panel in a launch exit at once. */
template <class T>
static __global__ void __launch_bounds__(warp_size *most_warps<T>, 1)
  factor_one_panel(batched_uplo uplo, batch<T> a, int width, int stages, int step, int steps, bool lazy, int *info)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int n = a.rows(b), panels = (n + width * tile_edge - 1) / (width * tile_edge);
    const int own = lazy ? step - (steps - panels) : step;
    if (own < 0 || own >= panels) {
      if (panels == 0 && step == 0) report(info + b, true, 0, 0);
      continue;
    }
    const int bad = factor_panel(uplo == BATCHED_LOWER, a.at(b), a.leading(b), n, own * width, width, stages);
    report(info + b, own == 0, 0, bad);
  }
}

template <class T>
int factor_by_launches(const batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, bool lazy, int *info)
{
  const int nt = (int)ceil_div(a.m, tile_edge);
  const panel_plan p = plan_panels<T>(a.m);
  if (p.width == 0) return BATCHED_DOES_NOT_FIT;
  const int steps = nt > 0 ? (int)ceil_div(nt, p.width) : 1;
  for (int step = 0; step < steps; step++) {
    /* tiles in the first column: of a matrix that is at its first panel, and of one at a later panel */
    const int first = std::min((steps - step) * p.width, nt), next = std::min(first, nt - p.width);
    const int warps = std::max(2, std::min((int)ceil_div(first, 2 * row_pairs<T>), most_warps<T>));
    size_t bytes = panel_bytes<T>(first, p.width);
    if (step > 0) bytes = std::max(bytes, panel_bytes<T>(next, p.width) + p.stages * stage_bytes<T>(next));
    const int status = launch(ctx, factor_one_panel<T>, a.count, warp_size * warps, bytes, uplo, a, p.width, p.stages,
                              step, steps, lazy, info);
    if (status) return status;
  }
  return BATCHED_SUCCESS;
}

} // namespace batched_cuda::cholesky

#endif
