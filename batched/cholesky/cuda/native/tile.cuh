/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tile (i, j) of the matrix, as a block of potrf_native.cuh makes it: subtract_products() (products.cuh), then solve()
 * (solve.cuh), or for i = j factor_diagonal(): in shared memory, by 32 columns at a time, whose diagonal block a warp
 * factors in registers (strip_block.cuh); complex numbers by 8, one warp ahead of the others.
 */
#ifndef BATCHED_CHOLESKY_CUDA_NATIVE_TILE_CUH
#define BATCHED_CHOLESKY_CUDA_NATIVE_TILE_CUH

#include "batched/cholesky/cuda/native/solve.cuh"

namespace batched_cuda::cholesky
{

template <class T, int B> struct native_tile : native_solve<T, B> {
  using base = native_solve<T, B>;
  using S = native_shape<T, B>;
  using W = typename S::sum;
  using base::base;
  using base::inverse, base::j, base::l, base::lower, base::n, base::packed, base::solve_pair;

  /* Tile rows r and r + 1 of column c: -= those of column k times row c of it. */
  __device__ __forceinline__ void update_pair(int r, int c, int k) const
  {
    const bool two = r + 1 < S::edge;
    tile_part<W> x = negative(get(packed(r, c))), y = two ? negative(get(packed(r + 1, c))) : x;
    multiply(x, y, tile_operand<W>{packed(r, k)}, tile_operand<W>{packed(two ? r + 1 : r, k)},
             tile_operand<W>{packed(c, k)});
    put(packed(r, c), negative(x));
    if (two) put(packed(r + 1, c), negative(y));
  }

  /* L(j, j) in shared memory; the first bad pivot in warp 0. */
  __device__ __forceinline__ int factor_diagonal() const
  {
    if constexpr (!is_complex<T>)
      return factor_by_blocks();
    else
      return factor_by_tiles();
  }
  /* By 8 columns at a time. */
  __device__ __forceinline__ int factor_by_tiles() const
  {
    const int warp = threadIdx.x / warp_size;
    int found = warp == 0 ? factor_triangle(packed(0, 0), inverse(0)) : 0;
#pragma unroll 1
    for (int k = 0; k + 1 < S::edge; k++) {
      __syncthreads();
      for (int r = k + 1 + 2 * warp; r < S::edge; r += 2 * S::warps) {
        const bool two = r + 1 < S::edge;
        tile_part<W> x = get(packed(r, k)), y = two ? get(packed(r + 1, k)) : x;
        solve_pair(x, y, packed(k, k), inverse(k));
        put(packed(r, k), x);
        if (two) put(packed(r + 1, k), y);
      }
      __syncthreads();
      if (warp == 0) {
        update_pair(k + 1, k + 1, k);
        __syncwarp();
        const int here = factor_triangle(packed(k + 1, k + 1), inverse(k + 1));
        if (here && !found) found = (k + 1) * tile_edge + here;
      } else {
        int turn = 0;
        for (int c = k + 1; c < S::edge; c++)
          for (int r = c + 2 * (c == k + 1); r < S::edge; r += 2)
            if (turn++ % (S::warps - 1) == warp - 1) update_pair(r, c, k);
      }
    }
    __syncthreads();
    return found;
  }

  /* By 32 columns at a time, whose diagonal block one warp factors in registers. */
  __device__ __forceinline__ int factor_by_blocks() const
  {
    const int warp = threadIdx.x / warp_size;
    int found = warp == 0 ? factor_block_of(0) : 0;
#pragma unroll 1
    for (int k = 0; k + block_edge < S::edge; k += block_edge) {
      const int next = k + block_edge;
      __syncthreads();
#pragma unroll 1
      for (int r = next + 2 * warp; r < S::edge; r += 2 * S::warps) {
        tile_part<W> x[2][block_edge];
#pragma unroll
        for (int q = 0; q < 2; q++)
#pragma unroll
          for (int c = 0; c < block_edge; c++) x[q][c] = get(packed(r + q, k + c));
        base::template solve_rows<block_edge>(
          x, [&](int a, int b) { return packed(k + a, k + b); }, inverse(k));
#pragma unroll
        for (int q = 0; q < 2; q++)
#pragma unroll
          for (int c = 0; c < block_edge; c++) put(packed(r + q, k + c), x[q][c]);
      }
      __syncthreads();
      if (warp == 0) {
        const int here = factor_block_of(next);
        if (here && !found) found = next * tile_edge + here;
      } else {
        int turn = 0;
        for (int c = next; c < S::edge; c++)
          for (int r = max(c, next + block_edge); r < S::edge; r += 2)
            if (turn++ % (S::warps - 1) == warp - 1)
              for (int kk = k; kk < next; kk++) update_pair(r, c, kk);
      }
    }
    __syncthreads();
    return found;
  }
  /* Brings the block of 4 x 4 tiles at (k, k) up to date and factors it, by one warp. */
  __device__ __forceinline__ int factor_block_of(int k) const
  {
    tile_triangle<block_edge> d;
    const lane_place own;
#pragma unroll
    for (int q = 0; q < block_edge; q++)
#pragma unroll
      for (int c = 0; c <= q; c++) own.read(packed(k + q, k + c), d.x[tile_triangle<block_edge>::at(q, c)]);
#pragma unroll 1
    for (int m = max(k - block_edge, 0); m < k; m++)
#pragma unroll
      for (int h = 0; h < block_edge; h += 2) {
        left_tiles left;
        double upper[2], lower[2];
        own.read(packed(k + h, m), upper);
        own.read(packed(k + h + 1, m), lower);
        left.x[0] = upper[0], left.x[1] = lower[0], left.x[2] = upper[1], left.x[3] = lower[1];
#pragma unroll
        for (int c = 0; c <= h + 1; c++) {
          double right[2], rest[2] = {0, 0};
          own.read_negative(packed(k + c, m), right);
          double(&above)[2] = c <= h ? d.x[tile_triangle<block_edge>::at(h, c <= h ? c : h)] : rest;
          double(&below)[2] = d.x[tile_triangle<block_edge>::at(h + 1, c)];
          double both[4] = {above[0], above[1], below[0], below[1]};
          multiply_16x8x8(both, left.x, right);
          above[0] = both[0], above[1] = both[1], below[0] = both[2], below[1] = both[3];
        }
      }
    return factor_block(d, inverse(k), [&](int q, int c) { return packed(k + q, k + c); });
  }

  __device__ __forceinline__ void store_diagonal() const
  {
    for (int e = threadIdx.x; e < B * B; e += S::threads) {
      const int r = lower() ? e % B : e / B, c = lower() ? e / B : e % B, row = j * B + r;
      if (c <= r && row < n)
        l(row, j * B + c) =
          convert<T>(packed(r / tile_edge, c / tile_edge)[staged_at<W>(r % tile_edge, c % tile_edge)]);
    }
  }
};

} // namespace batched_cuda::cholesky

#endif
