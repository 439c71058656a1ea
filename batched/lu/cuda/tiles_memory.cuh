/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of a matrix by one block, whose warps have a tile of 8 columns each, all rows of it, in shared memory: what is
 * where.
 *
 * Columns go to global memory with their rows in the order of that time.  order(-1) is that of the rows of the matrix,
 * order(K) that of column block K: row i was row order[i] then; where() is its inverse.
 */
#ifndef BATCHED_LU_CUDA_TILES_MEMORY_CUH
#define BATCHED_LU_CUDA_TILES_MEMORY_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/lu/cuda/warp_panel.cuh"

namespace batched_cuda::lu
{

/* Rows at most, as their numbers are bytes; rows of the kernel with more blocks on a multiprocessor; how many. */
enum { LU_TILES_ROWS = 256, LU_TILES_FEW_ROWS = 128, LU_TILES_BLOCKS = 4 };
/* Warps of a block; panels of L that are fetched at a time. */
enum { LU_TILES_WARPS = 4, LU_STAGED = 2 };

/* What is where in shared memory, in bytes, for matrices of at most m x n and blocks of `warps` tiles. */
struct lu_tiles_layout {
  int warps, buffers, ld, rows; /* ld: of tiles; 2 modulo 8, so that fragments are read without conflicts of banks */
  int stages, inverses, lines, moves, orders, wheres, info, bytes;

  lu_tiles_layout(int m, int n, int warps, int buffers) : warps(warps), buffers(buffers)
  {
    const int k = m < n ? m : n, tile = LU_TILE * (int)sizeof(double);
    const int inverse = LU_TILE_INVERSE * (int)sizeof(double);
    ld = (m + 7) / 8 * 8 + 2;
    rows = (m + 15) / 16 * 16;
    const int numbers = (int)(ceil_div(k, LU_TILE * warps) + 2) * rows;
    stages = warps * tile * ld;
    inverses = stages + buffers * LU_STAGED * tile * ld;
    lines = inverses + (int)ceil_div(k, LU_TILE) * inverse;
    lines = (lines + 15) / 16 * 16;
    moves = lines + 2 * warps * (int)sizeof(lu_line);
    info = moves + warps * (int)sizeof(lu_moves);
    orders = info + 16;
    wheres = orders + numbers;
    bytes = wheres + numbers;
  }
};

/* A thread's view of the block's matrix and memory. */
struct lu_tiles_memory {
  static constexpr int W = LU_TILE;
  const lu_tiles_layout &at;
  double *const a;
  const int64_t lda;
  const int m, n, k;           /* k: pivots */
  const int warp, lane, width; /* width: columns of a block */
  const int missing;           /* columns that the first block has less, so that the others are whole */

  __device__ __forceinline__ lu_tiles_memory(const lu_tiles_layout &at, double *a, int64_t lda, int m, int n)
      : at(at), a(a), lda(lda), m(m), n(n), k(m < n ? m : n), warp(__shfl_sync(0xffffffffu, threadIdx.x / 32, 0)),
        lane(threadIdx.x % 32), width(W * at.warps), missing((width - (n + W - 1) / W * W % width) % width)
  {
  }
  static __device__ __forceinline__ unsigned char *memory()
  {
    return shared_array<unsigned char>();
  }
  __device__ __forceinline__ double *tile(int p) const
  {
    return reinterpret_cast<double *>(memory()) + p * W * at.ld;
  }
  __device__ __forceinline__ double *stage(int q) const
  {
    return reinterpret_cast<double *>(memory() + at.stages) + q / LU_STAGED % at.buffers * LU_STAGED * W * at.ld;
  }
  __device__ __forceinline__ double *inverse(int q) const
  {
    return reinterpret_cast<double *>(memory() + at.inverses) + q * LU_TILE_INVERSE;
  }
  __device__ __forceinline__ lu_moves *moves(int p) const
  {
    return reinterpret_cast<lu_moves *>(memory() + at.moves) + p;
  }
  __device__ __forceinline__ unsigned char *order(int K) const
  {
    return memory() + at.orders + (K + 1) * at.rows;
  }
  __device__ __forceinline__ unsigned char *where(int K) const
  {
    return memory() + at.wheres + (K + 1) * at.rows;
  }
  __device__ __forceinline__ int *info() const
  {
    return reinterpret_cast<int *>(memory() + at.info);
  }
  /* The first column of block J; may be negative for J = 0. */
  __device__ __forceinline__ int start(int J) const
  {
    return J * width - missing;
  }
  __device__ __forceinline__ void begin()
  {
#pragma unroll 1
    for (int i = threadIdx.x; i < m; i += blockDim.x) order(-1)[i] = where(-1)[i] = (unsigned char)i;
    /* Rows that do not exist are 0; fetch_tile() makes those of its tile so again, as a NaN times 0 is a NaN. */
    const int more = at.ld - m;
#pragma unroll 1
    for (int c = warp; c < width + at.buffers * LU_STAGED * W; c += at.warps)
      if (lane < more) tile(0)[c * at.ld + m + lane] = 0.0;
    if (threadIdx.x == 0) *info() = 0;
    __syncthreads();
  }
  /* Where rows of earlier blocks are now. */
  __device__ __forceinline__ void find_rows(int J) const
  {
    __syncthreads();
#pragma unroll 1
    for (int i = threadIdx.x; i < m; i += blockDim.x)
#pragma unroll 1
      for (int K = -1; K < J; K++) where(K)[order(K)[i]] = (unsigned char)i;
    __syncthreads();
  }
  /* The orders of the blocks before J after the moves of panels first .. panels - 1. */
  __device__ __forceinline__ void reorder(int J, int first, int panels) const
  {
#pragma unroll 1
    for (int K = warp - 1; K < J; K += at.warps)
#pragma unroll 1
      for (int p = first; p < panels; p++) {
        const bool moves_one = lane < moves(p)->count;
        const unsigned char v = moves_one ? order(K)[moves(p)->from[lane]] : 0;
        __syncwarp();
        if (moves_one) order(K)[moves(p)->to[lane]] = v;
        __syncwarp();
      }
  }
  /* 8 columns of the matrix from c0 on to this warp's tile, from row `from` on, each row where it is now. */
  __device__ __forceinline__ void fetch_tile(int c0, int from, const unsigned char *where) const
  {
    if (c0 < 0) return;
    const double *p = a + (c0 < n ? c0 * lda : 0);
    const unsigned to = shared_address(tile(warp)), step = at.ld * (unsigned)sizeof(double);
#pragma unroll 2
    for (int i = from + lane; i < at.ld; i += 32) {
      const bool there = i < m;
      const unsigned place = to + (there ? where[i] : i) * (unsigned)sizeof(double);
#pragma unroll
      for (int c = 0; c < W; c++)
        copy_async(place + c * step, p + (there ? i : 0) + (c0 + c < n ? c * lda : 0), there && c0 + c < n);
    }
    copy_commit();
  }
  /* L of panels q .., LU_STAGED of them or to `end`, from the row below the first on; each warp copies its share,
   * columns in pairs. */
  __device__ __forceinline__ void fetch_stage(int q, int end) const
  {
#pragma unroll 1
    for (int c = 2 * warp; c < W * min((int)LU_STAGED, end - q); c += 2 * at.warps) {
      const unsigned char *where = this->where((q * W + c + missing) / width);
      const double *p = a + (q * W + c) * lda;
      const unsigned to = shared_address(stage(q) + c * at.ld), step = at.ld * (unsigned)sizeof(double);
#pragma unroll 4
      for (int i = (q + 1) * W + lane; i < m; i += 32) {
        const unsigned at = to + where[i] * (unsigned)sizeof(double);
        copy_async(at, p + i, true);
        copy_async(at + step, p + i + lda, true);
      }
    }
    copy_commit();
  }
  __device__ __forceinline__ void prefetch(int c0) const
  {
    const int c = c0 + W * warp + lane % W;
    if (c < n)
      for (int i = lane / W * 16; i < m; i += 64) asm volatile("prefetch.global.L2 [%0];" ::"l"(a + i + c * lda));
  }
  /* This warp's tile to columns c0 .., from row `from` on. */
  __device__ __forceinline__ void store(int c0, int from) const
  {
#pragma unroll 1
    for (int c = c0 + W * warp < 0 ? W : 0; c < W && c0 + W * warp + c < n; c++) {
      double *p = a + (c0 + W * warp + c) * lda;
#pragma unroll 4
      for (int i = from + lane; i < m; i += 32) p[i] = tile(warp)[c * at.ld + i];
    }
    __syncwarp();
  }
};

} // namespace batched_cuda::lu

#endif
