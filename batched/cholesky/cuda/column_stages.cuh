/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What lies to the left of a panel, on its way through shared memory: columns of L, eight at a time, as they are in the
 * matrix, while the tensor cores multiply those that came before.
 */
#ifndef BATCHED_CUDA_POTRF_STAGE_CUH
#define BATCHED_CUDA_POTRF_STAGE_CUH

#include <cstdint>

#include "batched/cholesky/cuda/shared_tiles.cuh"

namespace batched_cuda::cholesky
{

/* Most columns of tiles in a panel of which something lies to the left. */
constexpr int panel_width = 4;

/* Pairs of rows of tiles that a warp has in its registers. */
template <class T> constexpr int row_pairs = sizeof(T) > 8 ? 1 : 2;

/* Most stages in shared memory. */
constexpr int most_stages = 4;

/* Distance of two columns: a bank's width more than full turns, so that neither the fragments of the tensor cores nor
 * the rows of U as they arrive meet in a bank. */
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

/* The lane's part of a tile in registers. */
template <class T> struct held_tile {
  pair<T> v;

  __device__ __forceinline__ pair<T> operator()(int, int) const
  {
    return v;
  }
};

/* Columns of L to the left of a panel, as a ring of stages.  A warp copies tile by tile: 16 bytes a lane where columns
 * start at such places, or two elements, with the lanes along what is contiguous. */
template <class T> struct column_stages {
  T *at;          /* of shared memory */
  int stages, nt; /* tiles in a column of a stage */
  const T *from;  /* row 0 of the panel in column 0 of L */
  int64_t ld;
  int rows; /* that the matrix has from there on; the others are zero */
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

  /* Rows that no copy touches; one of 16 bytes writes a zero behind an odd number of rows. */
  __device__ __forceinline__ void clear_rest() const
  {
    const int begin = wide ? rows + rows % 2 : rows, rest = nt * tile_edge - begin;
    for (int e = threadIdx.x; e < rest * tile_edge * stages; e += blockDim.x)
      at[e / rest * stage_ld(nt) + begin + e % rest] = make<T>(0);
  }

  /* Starts to copy columns 8k .. 8k + 7 to a place in the ring. */
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

  /* Waits for stage k; a later one takes the place of the one before it. */
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

/* The lane's part of the products of the warp's rows of tiles with those of the panel's diagonal, `width` of them, or
 * as many as there are at most: then without a condition between the instructions of the tensor cores. */
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

/* The panel less the products of the `first` columns of tiles before it. */
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

} // namespace batched_cuda::cholesky

#endif
