/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.panels_tc of potrf: a block per matrix, a warp per row of 32 x 32 blocks, left-looking by panels of 32
 * columns, in double precision on the tensor cores.  Floats become doubles as they are loaded, and results are rounded
 * once, as they are stored; what later panels multiply by stays in double precision.
 *
 * In each panel one warp factors the diagonal block in registers; meanwhile each of the others subtracts the products
 * for a block below it, in registers too, and one does so for the next diagonal block.  The blocks below are then
 * solved for by the tensor cores, with the inverses of the diagonal tiles and one step of refinement.  A is read once,
 * into registers; shared memory holds the blocks that later panels multiply by, in half of the triangle's size
 * (block_fold), so that two blocks of threads share a multiprocessor, and one works while the other waits.
 *
 * Sections: where blocks lie; the algorithm; the kernel. strip_block.cuh has a block in registers.
 */
#ifndef BATCHED_CHOLESKY_CUDA_POTRF_PANELS_TC_CUH
#define BATCHED_CHOLESKY_CUDA_POTRF_PANELS_TC_CUH

#include <cstdint>

#include "batched/cholesky/cuda/strip_block.cuh"
#include "batched/cuda/predicated_single.cuh"

namespace batched_cuda::cholesky
{

/* ------------------------------------------------------------------ where blocks lie */

/* Most rows of blocks, a warp for each; and most with which two blocks of threads share a multiprocessor. */
constexpr int most_strip_blocks = 10, most_paired_strip_blocks = 8;

/* The place of block (i, k), i > k, of `count` rows of blocks, in half of the room that the triangle takes.  With h =
 * count / 2, the blocks (i, k) with i >= h > k make h columns of `tall` places.  Row i < h shares the places of column
 * i: row i is dead by the time that column i is computed.  In the same way column k >= h takes the places of row k.
 *
 * Of eight and of ten rows, all but the last lie like that.  The last lies there from column h on; its first h blocks
 * have the last places, of which there are h - 2 more, until column h - 1, or its block in column h, takes these.  From
 * then on they are in global memory alone. */
struct block_fold {
  int h, tall, count;

  DEVICE explicit block_fold(int count) : h(folded(count) / 2), tall(folded(count) - h), count(count)
  {
  }
  static DEVICE int folded(int count)
  {
    return count == 8 || count == 10 ? count - 1 : count;
  }
  DEVICE bool has_last() const
  {
    return count > folded(count);
  }
  DEVICE int places() const
  {
    return h * tall + (has_last() ? h - 2 : 0);
  }
  DEVICE int place(int i, int k) const
  {
    if (i < h) return i * tall + k;
    if (k >= h) return (i - k - 1) * tall + k - h;
    return i - h < tall ? k * tall + i - h : places() - h + k;
  }
  /* Blocks of the last row that are in global memory alone while panel p is computed. */
  DEVICE int lost(int p) const
  {
    return p < h ? 0 : p == h ? h - 1 : h;
  }
};

/* ------------------------------------------------------------------ the algorithm */

/* Bytes of shared memory per block of threads, for `count` rows of blocks. */
static inline size_t strip_bytes(int count)
{
  const int tiles = triangle_tiles_of_block + block_edge + block_tiles * block_fold(count).places();
  return (size_t)tiles * tile_size * sizeof(double);
}

static inline bool panels_tc_fit(int n)
{
  return n <= 32 * most_strip_blocks && strip_bytes((int)ceil_div(n, 32)) <= most_shared();
}

template <bool lower, class T> struct strip_cholesky {
  using triangle = tile_triangle<block_edge>;
  double *diagonal, *inverses, *blocks; /* tiles of the diagonal block; inverses of its diagonal tiles; the others */
  const batch<T> &a;
  int64_t b;
  int count;
  block_fold fold;

  __device__ __forceinline__ strip_cholesky(double *shared, const batch<T> &a, int64_t b)
      : diagonal(shared), inverses(diagonal + triangle_tiles_of_block * tile_size),
        blocks(inverses + block_edge * tile_size), a(a), b(b), count((a.rows(b) + 31) / 32), fold(count)
  {
  }

  __device__ __forceinline__ double *block(int i, int k) const
  {
    return blocks + fold.place(i, k) * block_tiles * tile_size;
  }
  /* Tile (i, k) of a block, and of the diagonal block. */
  static DEVICE int within(int i, int k)
  {
    return (k * block_edge + i) * tile_size;
  }
  __device__ __forceinline__ double *corner(int i, int k) const
  {
    return diagonal + triangle::at(i, k) * tile_size;
  }

  /* A lane's first element of block (i, k) in global memory: recomputed each time, as it would hold registers. */
  struct lane_matrix_block {
    T *at;
    int64_t ld;
    int n, right; /* rows from the lane's first one on; the lane's first column minus that row */

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
    __device__ __forceinline__ T *place(int q, int c, int e) const
    {
      return at + (lower ? 8 * q + (8 * c + e) * ld : 8 * q * ld + 8 * c + e);
    }
    /* Calls f(address, q, c, e, is it in the triangle, is it on the diagonal). */
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
    /* True where the lane's two elements can be one access: in an upper triangle, where they are neighbours, if
     * they are aligned and the block is not on the diagonal. */
    __device__ __forceinline__ bool has_pairs() const
    {
      return !lower && right < -tile_edge &&
             (reinterpret_cast<uintptr_t>(at) | (ld * sizeof(T))) % (2 * sizeof(T)) == 0;
    }
  };

  /* Elements outside of the matrix become those of the identity. */
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
      m.each_element([&](const T *from, int q, int c, int e, bool inside, bool on_diagonal) {
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
        [&](T *to, int q, int c, int e, bool inside, bool) { store_if<use::once>(inside, to, s.at(q, c, e)); });
    }
  }

  /* s -= X Y^T for one column of tiles of two rows of blocks, X = left, and right(c, b) reads tile c of -Y.  Of a
   * diagonal block the upper triangle is left out. */
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
  /* s(i, j) -= sum_k L(i, k) L(j, k)^T over panels from <= k < to.  For k < lost, L(i, k) is read from global
   * memory. */
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
  /* The same for panels k < to, L(i, k) from global memory, a column of tiles ahead of the products. */
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

  /* Factors the diagonal block s; the result, and the inverses of its diagonal tiles, go to shared memory.  Returns
   * info of the block. */
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
    return factor_block(d, inverses, [&](int i, int k) { return corner(i, k); });
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

  /* Solves X L^T = s for block (i, p), X to s and to shared memory.  With the inverse M of a diagonal tile: X = s M^T,
   * and X += (s - X L^T) M^T, which corrects for the condition of the tile. */
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

  /* The row of blocks that a warp has.  The diagonal blocks, which all warps wait for, are factored by warps 0 and 1;
   * the rows that finish early share their schedulers, and the last rows have the other two of the four. */
  __device__ __forceinline__ int row_of(int warp) const
  {
    if (warp < 2 || warp >= count) return warp;
    const int rank = warp < 4 ? warp - 2 : warp < 6 ? warp - 2 + max(count - 6, 0) : warp - 4;
    return count - 1 - rank;
  }

  /* info, from offset + 1 on, goes to *info; with an offset, only if that is still 0.  The warps of rows 0 and 1 take
   * turns at the diagonal blocks; the one that does not factor subtracts the products from the next diagonal block.
   * The other warps solve for the blocks of their rows, until the panel has passed these; then those of rows 2 and 3
   * help the last row with its blocks in global memory, a panel ahead.  A warp stores its block when it
   * begins with the next panel, so that nobody waits for the store. */
  __device__ __forceinline__ void factor(int *info, int offset) const
  {
    const int row = __shfl_sync(all_lanes, row_of(threadIdx.x / warp_size), 0), last = max(count - 1, 0), h = fold.h;
    lane_block s;
    bool pending = false;
    if (row == 0) load(s, 0, 0);
#pragma unroll 1
    for (int p = 0; p <= last; p++) {
      const bool factors = row == p % 2, solves = row > p && row <= last;
      const bool looks_ahead = row < 2 && !factors && !solves && p < last;
      const bool helps = fold.has_last() && ((row == 2 && p + 1 >= h && p + 1 < last) || (row == 3 && p + 2 == last));
      const int i = solves ? row : helps ? last : factors ? p : p + 1;
      const int j = solves ? p : helps && row == 2 ? p + 1 : i;
      if (pending) store(s, row < 2 && p > 1 ? p - 1 : row, p - 1);
      if (p == 1 && row == 1) load(s, 1, 1);
      if (solves || looks_ahead || helps) load(s, i, j);
      if (solves || looks_ahead || helps || factors) {
        const bool helped = fold.has_last() && i == last && p >= h; /* the first panels were subtracted a panel ago */
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

/* ------------------------------------------------------------------ the kernel */

/* A = L L^T or U^T U in place.
 *   algorithm  left-looking by panels of 32 columns; blocks below the diagonal by inverses of 8 x 8 tiles and one step
 *              of iterative refinement
 *   grid       a block per matrix, a warp per 32 rows
 *   registers  128 per thread to n = 256 (two blocks of threads per multiprocessor), then 184
 *   shared     strip_bytes(n / 32): 111 KB at n = 256, less than half of the triangle
 *   takes      T: double or float; n <= 320, uniform and variable
 *   memory     the triangle once from and to global memory, where there are 8 or 10 rows up to h blocks of the last
 *              one again in each of the later panels; info
 *   accuracy   backward error of potrf: the refinement makes up for the inverses */
template <bool lower, class T, int rows>
static __global__ void __launch_bounds__(warp_size *rows, rows > most_paired_strip_blocks ? 1 : 2)
  factor_panels_tc(batch<T> a, int *info, int offset)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x)
    strip_cholesky<lower, T>(shared_array<double>(), a, b).factor(info + b, offset);
}

/* offset: rows that were factored before, by other kernels. */
template <class T>
int factor_by_panels_tc(const batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, int *info, int offset)
{
  const int count = a.m > 0 ? (int)ceil_div(a.m, 32) : 1;
  const auto run = [&](auto rows) {
    constexpr int R = decltype(rows)::value;
    return launch(ctx, uplo == BATCHED_LOWER ? factor_panels_tc<true, T, R> : factor_panels_tc<false, T, R>, a.count,
                  warp_size * count, strip_bytes(count), a, info, offset);
  };
  if (count > most_paired_strip_blocks) return run(std::integral_constant<int, most_strip_blocks>());
  return run(std::integral_constant<int, most_paired_strip_blocks>());
}

} // namespace batched_cuda::cholesky

#endif
