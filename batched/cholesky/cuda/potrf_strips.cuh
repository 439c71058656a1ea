/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cholesky of one matrix by one block of threads, left-looking by panels of 32 columns, in double precision; two such
 * blocks are on a multiprocessor, and one works while the other waits.  One warp factors the 32x32 block on the
 * diagonal in registers; meanwhile each of the others finds the products for a block below it, in registers too, and
 * one those for the next block on the diagonal.  The blocks below are then solved for by the tensor cores, with the
 * inverses of the tiles on the diagonal and one step of refinement.  A is read once, to where it is needed; shared
 * memory has what later panels multiply by, of panel p the rows after it.
 */
#ifndef BATCHED_CUDA_POTRF_STRIPS_CUH
#define BATCHED_CUDA_POTRF_STRIPS_CUH

#include <cstdint>

#include "batched/cuda/mma.cuh"
#include "batched/cholesky/cuda/strip_blocks.cuh"

namespace batched_cuda::cholesky
{

/* Shared memory for matrices of `count` rows of blocks. */
static inline size_t strip_bytes(int count)
{
  const int tiles = triangle_tiles_of_block + block_edge + block_tiles * block_fold(count).places();
  return (size_t)tiles * tile_size * sizeof(double);
}

template <bool lower> struct strip_cholesky {
  using triangle = tile_triangle<block_edge>;
  /* Tiles of the block on the diagonal, the inverses of those on its diagonal, and blocks. */
  double *diagonal, *inverses, *blocks;
  const batch<double> &a;
  int64_t b;
  int count;
  block_fold fold;

  __device__ __forceinline__ strip_cholesky(double *shared, const batch<double> &a, int64_t b)
      : diagonal(shared), inverses(diagonal + triangle_tiles_of_block * tile_size),
        blocks(inverses + block_edge * tile_size), a(a), b(b), count((a.rows(b) + 31) / 32), fold(count)
  {
  }

  __device__ __forceinline__ double *block(int i, int k) const
  {
    return blocks + fold.place(i, k) * block_tiles * tile_size;
  }
  /* Tile (i, k) of a block, and of the one on the diagonal. */
  static DEVICE int within(int i, int k)
  {
    return (k * block_edge + i) * tile_size;
  }
  __device__ __forceinline__ double *corner(int i, int k) const
  {
    return diagonal + triangle::at(i, k) * tile_size;
  }

  /* A lane's first element of block (i, k) of the matrix.  Where that is is found anew each time: it would be in
   * registers all the time. */
  struct lane_matrix_block {
    double *at;
    int64_t ld;
    int n, right; /* rows from the lane's first on; how far the lane's first column is to the right of that row */

    __device__ __forceinline__ lane_matrix_block(const strip_cholesky &m, int i, int k)
    {
      int64_t b = m.b;
      recompute(b);
      const unsigned lane = recomputed_lane();
      const int row = 32 * i + lane / 4, column = 32 * k + lane % 4 * 2, rows = m.a.rows(b);
      ld = m.a.leading(b);
      at = (rows > 0 ? m.a.at(b) : nullptr) + (lower ? row + column * ld : column + row * ld);
      n = rows - row;
      right = column - row;
    }
    __device__ __forceinline__ double *place(int q, int c, int e) const
    {
      return at + (lower ? 8 * q + (8 * c + e) * ld : 8 * q * ld + 8 * c + e);
    }
    /* Calls f(place, q, c, e, is that in the triangle, is it on the diagonal). */
    template <class F> __device__ __forceinline__ void each_element(const F &f) const
    {
#pragma unroll
      for (int c = 0; c < block_edge; c++)
#pragma unroll
        for (int e = 0; e < 2; e++)
#pragma unroll
          for (int q = 0; q < block_edge; q++) {
            const int below = 8 * (q - c) - e;
            f(place(q, c, e), q, c, e, 8 * q < n && (q > c || below >= right), below == right);
          }
    }
    /* May the lane's two columns be read as one?  In the transpose of an upper triangle, but not on the diagonal, from
     * which no lane of a block is as far as a tile. */
    __device__ __forceinline__ bool has_pairs() const
    {
      return !lower && right < -tile_edge && (reinterpret_cast<uintptr_t>(at) | (ld * sizeof(double))) % 16 == 0;
    }
  };

  /* What is outside of the matrix becomes the identity. */
  __device__ __forceinline__ void load(lane_block &s, int i, int k) const
  {
    const lane_matrix_block m(*this, i, k);
    if (m.has_pairs()) {
      s.clear();
#pragma unroll
      for (int c = 0; c < block_edge; c++)
#pragma unroll
        for (int q = 0; q < block_edge; q++) load_if(8 * q < m.n, m.place(q, c, 0), s.at(q, c, 0), s.at(q, c, 1));
    } else {
      m.each_element([&](const double *from, int q, int c, int e, bool inside, bool on_diagonal) {
        s.at(q, c, e) = on_diagonal ? 1 : 0;
        load_if(inside, from, s.at(q, c, e));
      });
    }
  }
  __device__ __forceinline__ void store(lane_block &s, int i, int k) const
  {
    const lane_matrix_block m(*this, i, k);
    if (m.has_pairs()) {
#pragma unroll
      for (int c = 0; c < block_edge; c++)
#pragma unroll
        for (int q = 0; q < block_edge; q++)
          store_if<use::once>(8 * q < m.n, m.place(q, c, 0), s.at(q, c, 0), s.at(q, c, 1));
    } else {
      m.each_element(
        [&](double *to, int q, int c, int e, bool inside, bool) { store_if<use::once>(inside, to, s.at(q, c, e)); });
    }
  }

  /* s less the product of columns of tiles of two rows of blocks; `right(c, b)` reads tile c of the second.  Of a block
   * on the diagonal what is above that is left out. */
  template <class F>
  static __device__ __forceinline__ void subtract(lane_block &s, const left_tiles (&left)[2], bool on_diagonal,
                                                  const F &right)
  {
#pragma unroll
    for (int c = 0; c < block_edge; c++) {
      double b[2];
      right(c, b);
#pragma unroll
      for (int h = 0; h < 2; h++)
        if (c / 2 <= h || !on_diagonal) multiply_16x8x8(s.x[h][c], left[h].x, b);
    }
  }
  /* s, of block (i, j), less the products of panels `from` to `to`; those before `lost` are, of row i, in the matrix
   * alone. */
  __device__ __forceinline__ void subtract_panels(lane_block &s, int i, int j, int from, int lost, int to) const
  {
    const lane_place own;
    if (lost > from) {
      subtract_lost_panels(s, i, j, lost);
      from = lost;
    }
#pragma unroll 1
    for (int k = from; k < to; k++) {
      const double *const rows = block(i, k), *const columns = block(j, k);
#pragma unroll 1
      for (int kk = 0; kk < block_edge; kk++) {
        left_tiles left[2];
#pragma unroll
        for (int h = 0; h < 2; h++) own.read_left(rows + within(2 * h, kk), left[h]);
        subtract(s, left, i == j, [&](int c, double(&b)[2]) { own.read_negative(columns + within(c, kk), b); });
      }
    }
  }
  /* Of what is in the matrix alone a column of tiles is on its way while another is multiplied by. */
  __device__ __forceinline__ void subtract_lost_panels(lane_block &s, int i, int j, int to) const
  {
    const lane_place own;
    lane_matrix_block m(*this, i, 0);
    const auto read = [&](left_tiles(&left)[2]) {
#pragma unroll
      for (int q = 0; q < block_edge; q++)
#pragma unroll
        for (int e = 0; e < 2; e++) {
          double &y = left[q / 2].x[q % 2 + 2 * e];
          y = 0;
          load_if(8 * q < m.n, m.place(q, 0, e), y);
        }
      m.at = m.place(0, 1, 0);
    };
    left_tiles left[2], next[2];
    read(next);
#pragma unroll 1
    for (int k = 0; k < to * block_edge; k++) {
#pragma unroll
      for (int h = 0; h < 2; h++) left[h] = next[h];
      if (k + 1 < to * block_edge) read(next);
      const double *const columns = block(j, k / block_edge) + within(0, k % block_edge);
      subtract(s, left, i == j, [&](int c, double(&b)[2]) {
        own.read_negative(columns + within(c, 0), b);
        if (i == j) b[0] = -left[c / 2].x[c % 2], b[1] = -left[c / 2].x[c % 2 + 2];
      });
    }
  }

  /* The block on the diagonal: to shared memory, with the inverses.  Returns info of the block. */
  __device__ __forceinline__ int factor_diagonal(lane_block &s) const
  {
    triangle d;
#pragma unroll
    for (int q = 0; q < block_edge; q++)
#pragma unroll
      for (int c = 0; c <= q; c++)
#pragma unroll
        for (int e = 0; e < 2; e++) d.x[triangle::at(q, c)][e] = s.at(q, c, e);
    s.clear();
    return d.is_plain() ? eliminate_diagonal<false>(d) : eliminate_diagonal<true>(d);
  }
  template <bool any> __device__ __forceinline__ int eliminate_diagonal(triangle &d) const
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
        const double *y = d.x[triangle::at(i, j)];
        own.write(corner(i, j), i == j && g < 2 * t ? 0 : y[0], i == j && g < 2 * t + 1 ? 0 : y[1]);
      }
    }
    return info;
  }
  __device__ __forceinline__ void read_diagonal(lane_block &s) const
  {
    const lane_place own;
#pragma unroll
    for (int q = 0; q < block_edge; q++)
#pragma unroll
      for (int c = 0; c <= q; c++) {
        s.at(q, c, 0) = corner(q, c)[own.first];
        s.at(q, c, 1) = corner(q, c)[own.second];
      }
  }

  /* x L^T = s for block (i, p); x to shared memory, too. */
  __device__ __forceinline__ void solve(lane_block &s, int i, int p) const
  {
    const lane_place own;
#pragma unroll
    for (int c = 0; c < block_edge; c++) {
      double l[2], inverse[2], x[2][4] = {};
      own.read(inverses + c * tile_size, inverse);
      own.read_negative(corner(c, c), l);
#pragma unroll
      for (int h = 0; h < 2; h++) multiply_16x8x8(x[h], as_left(s.x[h][c]).x, inverse);
#pragma unroll
      for (int h = 0; h < 2; h++) multiply_16x8x8(s.x[h][c], as_left(x[h]).x, l);
#pragma unroll
      for (int h = 0; h < 2; h++) multiply_16x8x8(x[h], as_left(s.x[h][c]).x, inverse);
#pragma unroll
      for (int k = c + 1; k < block_edge; k++) {
        own.read_negative(corner(k, c), l);
#pragma unroll
        for (int h = 0; h < 2; h++) multiply_16x8x8(s.x[h][k], as_left(x[h]).x, l);
      }
#pragma unroll
      for (int h = 0; h < 2; h++)
#pragma unroll
        for (int e = 0; e < 4; e++) s.x[h][c][e] = x[h][e];
    }
    double *const out = block(i, p);
#pragma unroll
    for (int c = 0; c < block_edge; c++)
#pragma unroll
      for (int q = 0; q < block_edge; q++) own.write(out + within(q, c), s.at(q, c, 0), s.at(q, c, 1));
  }

  /* The row of blocks that a warp has.  Of four schedulers, the first two have the warps of the blocks on the diagonal,
   * which all others wait for, and next to these the rows that are done first; the last rows go to the other two. */
  __device__ __forceinline__ int row_of(int warp) const
  {
    if (warp < 2 || warp >= count) return warp;
    const int rank = warp < 4 ? warp - 2 : warp < 6 ? warp - 2 + max(count - 6, 0) : warp - 4;
    return count - 1 - rank;
  }

  /* Result: info, from offset + 1 on, in *info, and with an offset only where there was none.  The warps of rows 0 and
   * 1 factor the blocks on the diagonal by turns; the one that does not finds the products for the next.  The others
   * solve for the blocks of their rows, until they are above the panel; then those of rows 2 and 3 help the last of
   * eight with what it has in the matrix alone, a panel ahead.  What a warp has solved for it stores when it begins
   * with the next panel: nobody waits for that. */
  __device__ __forceinline__ void factor(int *info, int offset) const
  {
    const int row = __shfl_sync(0xffffffffu, row_of(threadIdx.x / warp_size), 0), last = max(count - 1, 0), h = fold.h;
    lane_block s;
    bool pending = false;
    if (row == 0) load(s, 0, 0);
#pragma unroll 1
    for (int p = 0; p <= last; p++) {
      const bool factors = row == p % 2, solves = row > p && row <= last;
      const bool looks_ahead = row < 2 && !factors && !solves && p < last;
      const bool helps = fold.has_last() && ((row == 2 && p >= 2 && p + 1 < last) || (row == 3 && p + 2 == last));
      const int i = solves ? row : helps ? last : factors ? p : p + 1;
      const int j = solves ? p : helps && row == 2 ? p + 1 : i;
      if (pending) store(s, row < 2 && p > 1 ? p - 1 : row, p - 1);
      if (p == 1 && row == 1) load(s, 1, 1);
      if (solves || looks_ahead || helps) load(s, i, j);
      if (solves || looks_ahead || helps || factors) {
        const bool helped = i >= most_folded_blocks && p >= h; /* in the panel before, with the first panels */
        const int from = factors ? max(p - 1, 0) : helps || !helped ? 0 : min(p - 1, h);
        subtract_panels(s, i, j, from, helps ? fold.lost(p) : 0, helps ? min(p, h) : p);
      }
      if (helps) store(s, i, j);
      if (factors) {
        const int bad = factor_diagonal(s);
        if (threadIdx.x % warp_size == 0 && (p + offset == 0 || (bad && *info == 0)))
          *info = bad ? offset + 32 * p + bad : 0;
      }
      __syncthreads();
      if (factors)
        read_diagonal(s);
      else if (solves)
        solve(s, row, p);
      pending = factors || solves;
      __syncthreads();
    }
    if (pending) store(s, last, last);
  }
};

template <bool lower>
static __global__ void __launch_bounds__(warp_size *most_strip_blocks, 2)
  factor_by_strips(batch<double> a, int *info, int offset)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x)
    strip_cholesky<lower>(shared_array<double>(), a, b).factor(info + b, offset);
}

/* offset: order of what was factored before, by other kernels. */
static inline int launch_by_strips(const batched_ctx *ctx, batched_uplo uplo, const batch<double> &a, int *info,
                                   int offset)
{
  const int count = a.m > 0 ? (int)ceil_div(a.m, 32) : 1;
  return launch(ctx, uplo == BATCHED_LOWER ? factor_by_strips<true> : factor_by_strips<false>, a.count,
                warp_size * count, strip_bytes(count), a, info, offset);
}

} // namespace batched_cuda::cholesky

#endif
