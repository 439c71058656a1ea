/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What potrf_native.cuh works on: the shape of a tile of the matrix in shared memory and among warps, and the order in
 * which blocks claim tiles.
 */
#ifndef BATCHED_CHOLESKY_CUDA_NATIVE_ORDER_CUH
#define BATCHED_CHOLESKY_CUDA_NATIVE_ORDER_CUH

#include "batched/cholesky/cuda/tile.cuh"

namespace batched_cuda::cholesky
{

/* Sums, and L(j, j) in shared memory, are in double precision: its tensor cores are as fast as single precision. */
template <class T> using native_sum = std::conditional_t<is_complex<T>, complex<double>, double>;

/* B: edge of a tile of the matrix, in elements; edge: in 8 x 8 tiles.  A warp accumulates rows x columns of these. */
template <class T, int B> struct native_shape {
  using sum = native_sum<T>;
  static constexpr int threads = 2 * B, warps = threads / warp_size, edge = B / tile_edge;
  static constexpr int rows = B / 16, columns = 4, warps_m = edge / rows;
  static constexpr bool by_columns =
    std::is_same_v<T, double>; /* so slices lie, `height` elements apart, else in tiles */
  static constexpr int height = by_columns ? B + 4 : B;
  static constexpr int depth = sizeof(T) == 16 ? 8 : 16, stages = B == 64 ? 3 : 4;
  static constexpr int part = height * depth, slice = 2 * part, ring = stages * slice, tile = B * B;
  static constexpr int triangle = edge * (edge + 1) / 2 * tile_size;
  static constexpr int packed = triangle + B * tile_edge; /* L(j, j), and its inverted triangles */
  static constexpr size_t before = (ring > tile ? ring : tile) * sizeof(T), shared = before + packed * sizeof(sum);
  static constexpr int resident = B > 64 ? 1 : sizeof(sum) < 16 ? 3 : 2;
};

struct native_order {
  unsigned long long *claimed; /* tiles so far */
  int *done;                   /* [count][tiles] */
  int tiles;                   /* rows of tiles of the largest matrix */
  int columns;                 /* of tiles, from the first one on, that are factored */
  int first;                   /* the first row of A, in that of which this is a trailing part */
  int64_t group;               /* matrices that advance side by side */
  int64_t slots;               /* matrices whose L(j, j) the workspace holds */
};

struct native_task {
  int64_t b;
  int i, j;
};

/* Task `index`: matrices in groups, in a group column by column.  The first diagonal tile, then the tiles below (j, j)
 * with diagonal tile j + 1 as the third of these, so that it finds what it waits for. */
static __device__ __forceinline__ native_task task_of(const native_order &o, int64_t count, int64_t index)
{
  const int64_t n = o.tiles, triangle = n * (n + 1) / 2, g = index / (o.group * triangle);
  const int64_t rest = index - g * o.group * triangle, members = min(o.group, count - g * o.group);
  const int64_t at = rest / members - 1, b = g * o.group + rest % members;
  if (at < 0) return {b, 0, 0};
  const double s = 2.0 * (double)n + 1;
  int64_t j = (int64_t)((s - sqrt(s * s - 8.0 * (double)at)) / 2);
  while (j > 0 && j * n - j * (j - 1) / 2 > at) j--;
  while ((j + 1) * n - (j + 1) * j / 2 <= at) j++;
  const int64_t place = at - (j * n - j * (j - 1) / 2), next = min((int64_t)2, n - j - 1);
  if (place == next) return {b, (int)j + 1, (int)j + 1};
  return {b, (int)(j + 1 + place - (place > next)), (int)j};
}

/* How many there are; with fewer columns than rows, the last diagonal one is beyond them. */
static __host__ __device__ __forceinline__ int64_t native_tasks(const native_order &o, int64_t count)
{
  const int64_t n = o.tiles, c = o.columns;
  return count * (c * n - c * (c - 1) / 2 + (c < n));
}

} // namespace batched_cuda::cholesky

#endif
