/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cholesky of one matrix by one block, left-looking by panels of 32 columns, in double precision.  One warp factors the
 * 32x32 block on the diagonal in registers; meanwhile each of the others finds the products for 16 rows below it, in
 * registers too, and one those for the next block on the diagonal.  The rows are then solved for by the tensor cores,
 * with the inverses of the tiles on the diagonal and one step of refinement.  A is read once, to where it is needed;
 * shared memory has what later panels multiply by, of panel p the rows after it.
 */
#ifndef BATCHED_CUDA_POTRF_STRIPS_CUH
#define BATCHED_CUDA_POTRF_STRIPS_CUH

#include "potrf_registers.cuh"

namespace batched_cuda
{

/* Tiles in a row of a block, in a block, and in one on the diagonal. */
constexpr int block_edge = 4, block_tiles = 16, triangle_tiles_of_block = 10;

/* Where block (i, k), i > k, of `count` rows of blocks lies.  With h = count / 2, column k < h of the rows from h on is
 * column k of h columns of `tall` blocks.  Row i < h lies in the place of column i: when that is computed, row i is not
 * needed any more.  Column k >= h takes the place of row k in the same way.  So half of the triangle has room for the
 * whole. */
struct block_fold {
  int h, tall;

  DEVICE explicit block_fold(int count) : h(count / 2), tall(count - count / 2)
  {
  }
  DEVICE int places() const
  {
    return h * tall;
  }
  DEVICE int place(int i, int k) const
  {
    return i < h ? i * tall + k : k < h ? k * tall + i - h : (i - k - 1) * tall + k - h;
  }
};

struct strip_cholesky {
  using triangle = tile_triangle<block_edge>;
  /* Tiles of the block on the diagonal, the inverses of those on its diagonal, the next such block as far as it is
   * known, and blocks. */
  double *diagonal, *inverses, *ahead, *blocks;
  batched_uplo uplo;
  const batch<double> &a;
  int64_t b;
  int count;
  block_fold fold;

  __device__ __forceinline__ strip_cholesky(double *shared, batched_uplo uplo, const batch<double> &a, int64_t b)
      : diagonal(shared), inverses(diagonal + triangle_tiles_of_block * tile_size),
        ahead(inverses + block_edge * tile_size), blocks(ahead + triangle_tiles_of_block * tile_size), uplo(uplo), a(a),
        b(b), count((a.rows(b) + 31) / 32), fold(count)
  {
  }
  static size_t bytes(int count)
  {
    const int tiles = 2 * triangle_tiles_of_block + block_edge + block_tiles * block_fold(count).places();
    return (size_t)tiles * tile_size * sizeof(double);
  }

  __device__ __forceinline__ double *block(int i, int k) const
  {
    return blocks + fold.place(i, k) * block_tiles * tile_size;
  }
  /* Tile (i, k) of a block. */
  static DEVICE int within(int i, int k)
  {
    return (k * block_edge + i) * tile_size;
  }
  /* Block (i, k) of the matrix.  Found anew each time, for else it would be in registers all the time. */
  __device__ __forceinline__ lane_matrix<double> at(int i, int k) const
  {
    int64_t own = b;
    asm volatile("" : "+l"(own));
    lane_matrix<double> block(uplo, a, own);
    block.at += 32 * (i * block.row + k * block.col);
    block.n -= 32 * i;
    return block;
  }

  static __device__ __forceinline__ void read(const double *tile, tile_pair_of &v)
  {
    const int lane = threadIdx.x % warp_size;
    const auto p = *reinterpret_cast<const aligned_pair<double> *>(tile + tile_pair<double>(lane / 4, lane % 4));
    v[0] = p.x;
    v[1] = p.y;
  }
  static __device__ __forceinline__ void read_negative(const double *tile, tile_pair_of &v)
  {
    read(tile, v);
    v[0] = -v[0];
    v[1] = -v[1];
  }
  static __device__ __forceinline__ void write(double *tile, const tile_pair_of &v)
  {
    const int lane = threadIdx.x % warp_size;
    *reinterpret_cast<aligned_pair<double> *>(tile + tile_pair<double>(lane / 4, lane % 4)) = {v[0], v[1]};
  }

  /* d less the products of the rows of a block with themselves. */
  static __device__ __forceinline__ void update_diagonal(triangle &d, const double *rows)
  {
#pragma unroll 1
    for (int k = 0; k < block_edge; k++) {
      tile_pair_of a[block_edge];
#pragma unroll
      for (int i = 0; i < block_edge; i++) read(rows + within(i, k), a[i]);
#pragma unroll
      for (int c = 0; c < block_edge; c++) {
        const tile_pair_of b = {-a[c][0], -a[c][1]};
#pragma unroll
        for (int i = c; i < block_edge; i += 2) {
          tile_pair_of rest = {0, 0};
          if (i + 1 < block_edge)
            multiply_pairs(d.x[triangle::at(i, c)], d.x[triangle::at(i + 1 < block_edge ? i + 1 : i, c)], a[i],
                           a[i + 1 < block_edge ? i + 1 : i], b);
          else
            multiply_pairs(d.x[triangle::at(i, c)], rest, a[i], a[i], b);
        }
      }
    }
  }

  /* Block p on the diagonal, less the products of all panels but the last. */
  __device__ __forceinline__ void look_ahead(triangle &d, int p) const
  {
    d.load(at(p, p));
#pragma unroll 1
    for (int k = 0; k + 1 < p; k++) update_diagonal(d, block(p, k));
  }
  __device__ __forceinline__ void pass_on(const triangle &d) const
  {
#pragma unroll
    for (int e = 0; e < triangle_tiles_of_block; e++) write(ahead + e * tile_size, d.x[e]);
  }

  /* Block p on the diagonal: to shared memory, with the inverses.  Returns info of the block. */
  __device__ __forceinline__ int factor_diagonal(triangle &d, int p) const
  {
#pragma unroll
    for (int e = 0; e < triangle_tiles_of_block; e++) read(ahead + e * tile_size, d.x[e]);
    if (p > 0) update_diagonal(d, block(p, p - 1));
    return d.is_plain() ? eliminate_diagonal<false>(d) : eliminate_diagonal<true>(d);
  }
  template <bool any> __device__ __forceinline__ int eliminate_diagonal(triangle &d) const
  {
    const int lane = threadIdx.x % warp_size, g = lane / 4, t = lane % 4;
    int info = 0;
#pragma unroll
    for (int j = 0; j < block_edge; j++) {
      tile_pair_of inverse = {g == 2 * t ? 1. : 0., g == 2 * t + 1 ? 1. : 0.};
      if constexpr (any) {
#pragma unroll
        for (int k = 0; k < tile_edge; k++) d.eliminate(j, k, info, &inverse);
      } else {
        d.eliminate_plain(j, block_edge * tile_edge, info, &inverse);
      }
      d.update(j);
      inverses[j * tile_size + tile_at<double>(2 * t, g)] = inverse[0];
      inverses[j * tile_size + tile_at<double>(2 * t + 1, g)] = inverse[1];
#pragma unroll
      for (int i = j; i < block_edge; i++) {
        const double *y = d.x[triangle::at(i, j)];
        write(diagonal + triangle::at(i, j) * tile_size,
              {i == j && g < 2 * t ? 0 : y[0], i == j && g < 2 * t + 1 ? 0 : y[1]});
      }
    }
    return info;
  }

  /* Strip u after block p, 16 rows, row q of tiles in column c as number 2c + q: of the matrix, less the products of
   * what is to the left. */
  __device__ __forceinline__ void find_products(triangle &s, int p, int u) const
  {
    const int lane = threadIdx.x % warp_size, g = lane / 4, t = lane % 4, i = p + 1 + u / 2, r = u % 2 * 2;
    const lane_matrix<double> own = at(i, p);
    const double *from = own.at + (8 * r + g) * own.row + 2 * t * own.col;
    tile_pair_of y[block_edge][2];
#pragma unroll
    for (int c = 0; c < block_edge; c++)
#pragma unroll
      for (int q = 0; q < 2; q++)
#pragma unroll
        for (int e = 0; e < 2; e++) {
          y[c][q][e] = 8 * (r + q) + g < own.n ? from[8 * q * own.row + (8 * c + e) * own.col] : 0;
          s.x[2 * c + q][e] = 0;
        }
#pragma unroll 1
    for (int k = 0; k < p; k++) {
      const double *left = block(i, k) + within(r, 0), *right = block(p, k);
#pragma unroll 1
      for (int kk = 0; kk < block_edge; kk++) {
        tile_pair_of a0, a1;
        read(left + within(0, kk), a0);
        read(left + within(1, kk), a1);
#pragma unroll
        for (int c = 0; c < block_edge; c++) {
          tile_pair_of b;
          read(right + within(c, kk), b);
          multiply_pairs(s.x[2 * c], s.x[2 * c + 1], a0, a1, b);
        }
      }
    }
#pragma unroll
    for (int c = 0; c < block_edge; c++)
#pragma unroll
      for (int q = 0; q < 2; q++)
#pragma unroll
        for (int e = 0; e < 2; e++) s.x[2 * c + q][e] = y[c][q][e] - s.x[2 * c + q][e];
  }

  /* x L^T = a for a strip: x to shared memory and to the matrix. */
  __device__ __forceinline__ void solve(triangle &s, int p, int u) const
  {
    const int lane = threadIdx.x % warp_size, g = lane / 4, t = lane % 4, i = p + 1 + u / 2, r = u % 2 * 2;
    const lane_matrix<double> own = at(i, p);
    double *const to = own.at + (8 * r + g) * own.row + 2 * t * own.col, *const out = block(i, p) + within(r, 0);
#pragma unroll
    for (int c = 0; c < block_edge; c++) {
      tile_pair_of b, inverse, x[2] = {};
#pragma unroll
      for (int k = 0; k < c; k++) {
        read_negative(diagonal + triangle::at(c, k) * tile_size, b);
        multiply_pairs(s.x[2 * c], s.x[2 * c + 1], s.x[2 * k], s.x[2 * k + 1], b);
      }
      read(inverses + c * tile_size, inverse);
      read_negative(diagonal + triangle::at(c, c) * tile_size, b);
      multiply_pairs(x[0], x[1], s.x[2 * c], s.x[2 * c + 1], inverse);
      multiply_pairs(s.x[2 * c], s.x[2 * c + 1], x[0], x[1], b);
      multiply_pairs(x[0], x[1], s.x[2 * c], s.x[2 * c + 1], inverse);
#pragma unroll
      for (int q = 0; q < 2; q++)
#pragma unroll
        for (int e = 0; e < 2; e++) s.x[2 * c + q][e] = x[q][e];
    }
#pragma unroll
    for (int c = 0; c < block_edge; c++)
#pragma unroll
      for (int q = 0; q < 2; q++) {
        write(out + within(q, c), s.x[2 * c + q]);
#pragma unroll
        for (int e = 0; e < 2; e++)
          if (8 * (r + q) + g < own.n) to[8 * q * own.row + (8 * c + e) * own.col] = s.x[2 * c + q][e];
      }
  }

  /* Which of the others a warp is.  With four schedulers, warps 0, 4, 8, ... share one: those come last, as they are to
   * take as little time as can be from warp 0, which all wait for. */
  static __device__ __forceinline__ int rank_of(int warp)
  {
    const int warps = blockDim.x / warp_size;
    return warp == 0 ? warps : warp % 4 != 0 ? warp - 1 - warp / 4 : warps - (warps + 3) / 4 + warp / 4 - 1;
  }

  /* The result is info, from 1 on, in the threads of the first warp.  That factors the block on the diagonal; of the
   * others the first have a strip each, and the one after them looks ahead. */
  __device__ __forceinline__ int factor() const
  {
    const int warp = __shfl_sync(0xffffffffu, threadIdx.x / warp_size, 0), rank = rank_of(warp);
    int info = 0;
    triangle held = {}; /* across the barrier: the block on the diagonal, the next one, or the strip */
    if (warp == 1) {
      look_ahead(held, 0);
      pass_on(held);
    }
    __syncthreads();
#pragma unroll 1
    for (int p = 0; p < count; p++) {
      const int strips = 2 * (count - 1 - p);
      const bool below = rank < strips, looks = rank == strips && p + 1 < count;
      if (warp == 0) {
        const int bad = factor_diagonal(held, p);
        if (bad && info == 0) info = 32 * p + bad;
      } else if (looks) {
        look_ahead(held, p + 1);
      } else if (below) {
        find_products(held, p, rank);
      }
      __syncthreads();
      if (warp == 0)
        held.store(at(p, p));
      else if (looks)
        pass_on(held);
      else if (below)
        solve(held, p, rank);
      __syncthreads();
    }
    return info;
  }
};

/* Most rows of blocks: a warp for each strip, and two. */
constexpr int most_strip_blocks = 8;

static __global__ void __launch_bounds__(2 * warp_size * most_strip_blocks, 1)
  factor_by_strips(batched_uplo uplo, batch<double> a, int *info)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int bad = strip_cholesky(shared_array<double>(), uplo, a, b).factor();
    if (threadIdx.x == 0) info[b] = bad;
    __syncthreads();
  }
}

static inline int launch_by_strips(const batched_ctx *ctx, batched_uplo uplo, const batch<double> &a, int *info)
{
  const int count = a.m > 0 ? (int)ceil_div(a.m, 32) : 1;
  return launch(ctx, factor_by_strips, a.count, 2 * warp_size * count, strip_cholesky::bytes(count), uplo, a, info);
}

} // namespace batched_cuda

#endif
