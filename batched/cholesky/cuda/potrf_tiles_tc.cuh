/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.tiles_tc of potrf: a block per matrix, which goes through its tiles of 64 x 64 elements by columns,
 * left-looking, with the tiles' arithmetic of cuda.native (native/tile.cuh).  L(j, j) stays in shared memory for the
 * tiles below it; a warp has 16 rows of a tile from the first product to the last store, in registers; what they are
 * multiplied by streams through a ring of slices that does not stop between tiles.
 *
 * grid      3 blocks of 128 threads per multiprocessor
 * registers 168 per thread
 * shared    a ring of 3 slices of both factors, L(j, j) and its inverted triangles: 73 KB
 * takes     double, any order, uniform and variable
 * reads     the triangle, and tiles of L once per tile that they meet; writes the triangle, info; no workspace
 * accuracy  |L L^T - A| < 30 n eps |A|
 */
#ifndef BATCHED_CHOLESKY_CUDA_POTRF_TILES_TC_CUH
#define BATCHED_CHOLESKY_CUDA_POTRF_TILES_TC_CUH

#include "batched/cholesky/cuda/native/tile.cuh"

namespace batched_cuda::cholesky
{

template <class T> struct tiles_cholesky {
  static constexpr int B = 64, per_tile = B / native_shape<T, B>::depth; /* slices */
  using S = native_shape<T, B>;
  using tile = native_tile<T, B>;
  tile all; /* of no particular tile */

  __device__ __forceinline__ tile at(int i, int j) const
  {
    tile t = all;
    t.i = i, t.j = j;
    return t;
  }

  /* Column j of tiles; the first bad pivot in warp 0. */
  __device__ __forceinline__ int factor_column(int j, int rows) const
  {
    const int r = threadIdx.x / warp_size * 2, slices = per_tile * j, last = (rows - j) * slices;
    int found = 0, next_tile = j, next_slice = 0, requested = 0;
    const auto request = [&]() {
      if (requested < last) {
        at(next_tile, j).fetch(next_slice, requested % S::stages);
        if (++next_slice == slices) next_slice = 0, next_tile++;
      }
      requested++;
      copy_commit();
    };
    for (int s = 0; s < S::stages - 1; s++) request();
    int s = 0;
#pragma unroll 1
    for (int i = j; i < rows; i++) {
      const tile t = at(i, j);
      const bool works = i * B + r * tile_edge < t.n;
      tile_part<T> x[2][S::edge];
      t.load(x, r, 0);
#pragma unroll 1
      for (const int end = s + slices; s < end; s++) {
        copy_wait<S::stages - 2>();
        __syncthreads();
        request();
        const T *const a = t.memory + s % S::stages * S::slice;
        if (works && i == j)
          t.template subtract_slice<true>(x, a, a, r, 0);
        else if (works)
          t.subtract_slice(x, a, a + S::part, r, 0);
      }
      if (i == j) {
#pragma unroll
        for (int q = 0; q < 2; q++)
#pragma unroll
          for (int c = 0; c < S::edge; c++)
            if (c <= r + q) put(t.packed(r + q, c), x[q][c]);
        __syncthreads();
        found = t.factor_diagonal();
        t.store_diagonal();
      } else if (works) {
        t.solve_below(x);
        t.store_rows(x, r);
      }
    }
    __syncthreads(); /* all of L(:, j) is stored, and read L(j, j) */
    return found;
  }
};

template <class T>
__global__ void __launch_bounds__(native_shape<T, 64>::threads, native_shape<T, 64>::resident)
  factor_tiles_tc(bool lower, batch<T> a, int *info)
{
  constexpr int B = 64;
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int n = a.rows(b), rows = (n + B - 1) / B;
    const int64_t ld = a.leading(b);
    T *const at = n > 0 ? a.at(b) : nullptr;
    const tiles_cholesky<T> m = {{{at, lower ? 1 : ld, lower ? ld : 1}, n, 0, 0, shared_array<T>()}};
    int found = 0;
#pragma unroll 1
    for (int j = 0; j < rows; j++) {
      const int here = m.factor_column(j, rows);
      if (here && !found) found = j * B + here;
    }
    if (threadIdx.x == 0) info[b] = found;
  }
}

template <class T> int launch_tiles_tc(batched_ctx *ctx, bool lower, const batch<T> &a, int *info)
{
  using S = native_shape<T, 64>;
  const int64_t room = S::resident * multiprocessors();
  return launch(ctx, factor_tiles_tc<T>, a.count < room ? a.count : room, S::threads, S::shared, lower, a, info);
}

} // namespace batched_cuda::cholesky

#endif
