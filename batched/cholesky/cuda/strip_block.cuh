/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A 32 x 32 block of 8 x 8 tiles for the FP64 tensor cores, as cuda.panels_tc and cuda.native have it: in the registers
 * of a warp, in shared memory, and its Cholesky factorisation where it is on the diagonal.
 */
#ifndef BATCHED_CHOLESKY_CUDA_STRIP_BLOCK_CUH
#define BATCHED_CHOLESKY_CUDA_STRIP_BLOCK_CUH

#include "batched/cholesky/cuda/potrf_warp_tc.cuh"
#include "batched/cuda/compiler.cuh"

namespace batched_cuda::cholesky
{

/* Tiles in a row of a block, in a block, and in the triangle of a diagonal block. */
constexpr int block_edge = 4, block_tiles = 16, triangle_tiles_of_block = 10;

/* Rows 8q + g and columns 8c + 2t + e of tiles (q, c); tiles of rows 2h and 2h + 1 are one accumulator. */
struct lane_block {
  double x[block_edge / 2][block_edge][4];

  __device__ __forceinline__ double &at(int q, int c, int e)
  {
    return x[q / 2][c][q % 2 * 2 + e];
  }
  /* Zero, so that the compiler need not keep dead values in registers. */
  __device__ __forceinline__ void clear()
  {
#pragma unroll
    for (auto &row : x)
#pragma unroll
      for (auto &tiles : row) tiles[0] = tiles[1] = tiles[2] = tiles[3] = 0;
  }
};

/* The left operand of a product, two tiles one above the other, in the order of the instruction. */
struct left_tiles {
  double x[4];
};
static __device__ __forceinline__ left_tiles as_left(const double (&c)[4])
{
  return {{c[0], c[2], c[1], c[3]}};
}

/* The place of element (i, j) of a tile in shared memory: lanes read their two elements one by one, into the registers
 * of the instruction, without bank conflicts in half a warp. */
static DEVICE int strip_place(int i, int j)
{
  return i * tile_edge + (2 * (j / 2 ^ (i >> 1 & 3)) | ((j ^ i >> 1) & 1));
}
/* The places of the lane's two elements. */
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
  /* This tile and the one below it, as a left operand. */
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

/* Factors a diagonal block in registers; tile (i, k) of the result goes to corner(i, k) in shared memory, the inverses
 * of its diagonal tiles to `inverses`.  Returns info of the block. */
template <bool any, class F>
static __device__ __forceinline__ int eliminate_block(tile_triangle<block_edge> &d, double *inverses, const F &corner)
{
  int info = 0;
#pragma unroll
  for (int j = 0; j < block_edge; j++) {
    const unsigned lane = recomputed_lane();
    const int g = lane / 4, t = lane % 4;
    const lane_place own;
    tile_pair_of inverse = {g == 2 * t ? 1. : 0., g == 2 * t + 1 ? 1. : 0.};
    if constexpr (any) {
#pragma unroll 1
      for (int k = 0; k < tile_edge; k += 2) {
        d.eliminate(j, k, info, &inverse);
        d.eliminate(j, k + 1, info, &inverse);
      }
    } else {
      d.eliminate_plain(j, block_edge * tile_edge, info, &inverse);
    }
    d.update(j);
#pragma unroll
    for (int e = 0; e < 2; e++) inverses[j * tile_size + strip_place(2 * t + e, g)] = inverse[e];
#pragma unroll
    for (int i = j; i < block_edge; i++) {
      const double *y = d.x[tile_triangle<block_edge>::at(i, j)];
      own.write(corner(i, j), i == j && g < 2 * t ? 0 : y[0], i == j && g < 2 * t + 1 ? 0 : y[1]);
    }
  }
  return info;
}
template <class F>
static __device__ __forceinline__ int factor_block(tile_triangle<block_edge> &d, double *inverses, const F &corner)
{
  return d.is_plain() ? eliminate_block<false>(d, inverses, corner) : eliminate_block<true>(d, inverses, corner);
}

} // namespace batched_cuda::cholesky

#endif
