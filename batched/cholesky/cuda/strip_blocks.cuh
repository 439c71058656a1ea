/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The 32x32 blocks of Cholesky by strips: where they lie in shared memory, half as much as the triangle takes, what of
 * one a lane holds for the tensor cores, and how a lane finds it in shared memory and in the matrix.
 */
#ifndef BATCHED_CUDA_POTRF_BLOCKS_CUH
#define BATCHED_CUDA_POTRF_BLOCKS_CUH

#include "batched/cuda/predicated.cuh"
#include "batched/products/cuda/gemm_operands.cuh"
#include "batched/cholesky/cuda/potrf_warp.cuh"

namespace batched_cuda::cholesky
{

/* Tiles in a row of a block, in a block, and in one on the diagonal. */
constexpr int block_edge = 4, block_tiles = 16, triangle_tiles_of_block = 10;

/* Most rows of blocks, a warp for each, and of those that are all in shared memory. */
constexpr int most_strip_blocks = 8, most_folded_blocks = 7;

/* Where block (i, k), i > k, of `count` rows of blocks lies.  With h = count / 2, column k < h of the rows from h on is
 * column k of h columns of `tall` blocks.  Row i < h lies in the place of column i: when that is computed, row i is not
 * needed any more.  Column k >= h takes the place of row k in the same way.  So half of the triangle has room for the
 * whole.
 *
 * Of eight rows, seven lie like that.  The last lies there from column h on, with one place more; its first h blocks
 * lie in the last places until column h - 1, or block (7, h), takes these.  From then on they are in the matrix
 * alone. */
struct block_fold {
  int h, tall, count;

  DEVICE explicit block_fold(int count) : h(folded(count) / 2), tall(folded(count) - h), count(count)
  {
  }
  static DEVICE int folded(int count)
  {
    return count < most_folded_blocks ? count : most_folded_blocks;
  }
  DEVICE bool has_last() const
  {
    return count > most_folded_blocks;
  }
  DEVICE int places() const
  {
    return h * tall + has_last();
  }
  DEVICE int place(int i, int k) const
  {
    if (i < h) return i * tall + k;
    if (k >= h) return (i - k - 1) * tall + k - h;
    return i - h < tall ? k * tall + i - h : places() - h + k;
  }
  /* How many blocks of the last row are in the matrix alone while panel p is computed. */
  DEVICE int lost(int p) const
  {
    return p < h ? 0 : p == h ? h - 1 : h;
  }
};

/* A lane's part of a block: rows 8q + g and columns 8c + 2t + e of tiles (q, c), those of rows 2h and 2h + 1 together,
 * as the tensor cores have them. */
struct lane_block {
  double x[block_edge / 2][block_edge][4];

  __device__ __forceinline__ double &at(int q, int c, int e)
  {
    return x[q / 2][c][q % 2 * 2 + e];
  }
  /* For the compiler: what nobody has set since would be kept in registers. */
  __device__ __forceinline__ void clear()
  {
#pragma unroll
    for (auto &row : x)
#pragma unroll
      for (auto &tiles : row) tiles[0] = tiles[1] = tiles[2] = tiles[3] = 0;
  }
};

/* The left operand of a product, two tiles, in the order of the instruction. */
struct left_tiles {
  double x[4];
};
static __device__ __forceinline__ left_tiles as_left(const double (&c)[4])
{
  return {{c[0], c[2], c[1], c[3]}};
}

/* Where element (i, j) of a tile is in shared memory: a lane reads its elements one by one, each to the register where
 * the tensor cores want it, and half a warp that does meets in no bank. */
static DEVICE int strip_place(int i, int j)
{
  return i * tile_edge + (2 * (j / 2 ^ (i >> 1 & 3)) | ((j ^ i >> 1) & 1));
}
/* Where the lane's two elements are. */
struct lane_place {
  int first, second;

  __device__ __forceinline__ lane_place()
  {
    const unsigned lane = recomputed_lane();
    first = strip_place(lane / 4, lane % 4 * 2);
    second = first ^ 1;
  }
  __device__ __forceinline__ void read(const double *tile, double (&b)[2]) const
  {
    b[0] = tile[first];
    b[1] = tile[second];
  }
  __device__ __forceinline__ void read_negative(const double *tile, double (&b)[2]) const
  {
    b[0] = -tile[first];
    b[1] = -tile[second];
  }
  /* Of this tile and the next one, which is below it. */
  __device__ __forceinline__ void read_left(const double *tile, left_tiles &a) const
  {
    a.x[0] = tile[first];
    a.x[1] = tile[tile_size + first];
    a.x[2] = tile[second];
    a.x[3] = tile[tile_size + second];
  }
  __device__ __forceinline__ void write(double *tile, double x, double y) const
  {
    tile[first] = x;
    tile[second] = y;
  }
};

} // namespace batched_cuda::cholesky

#endif
