/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of a matrix that a multiprocessor has to itself: what is where in shared memory, and how it gets there.
 */
#ifndef BATCHED_LU_CUDA_RESIDENT_MEMORY_CUH
#define BATCHED_LU_CUDA_RESIDENT_MEMORY_CUH

#include "batched/cuda/compiler.cuh"
#include "batched/cuda/bulk_copy.cuh"
#include "batched/lu/cuda/team_panel.cuh"

namespace batched_cuda::lu
{

/* Rows and columns at most, as rows have bytes for numbers; columns of the first part of a matrix that has no room as a
 * whole; and the rest of its rows and columns; warps of a block, which have 168 registers to a thread. */
enum {
  LU_RESIDENT_ORDER = 256,
  LU_RESIDENT_FIRST = 96,
  LU_RESIDENT_LAST = LU_RESIDENT_ORDER - LU_RESIDENT_FIRST,
  LU_RESIDENT_PANELS = LU_RESIDENT_FIRST / LU_TILE,
  LU_RESIDENT_WARPS = 12,
  LU_RESIDENT_MOVES = 4,        /* panels whose exchanges are kept */
  LU_RESIDENT_ROOM = 227 * 1024 /* bytes of shared memory: all that a block can have on Hopper */
};

struct lu_resident_memory {
  double triangles[LU_RESIDENT_PANELS][LU_TILE_INVERSE]; /* inverses of L11, the last ones */
  lu_offers offers[2];
  lu_moves moves[LU_RESIDENT_MOVES];
  /* Row i of the block was row order[i] when it was loaded; the inverse of that, for the columns to the right. */
  unsigned char order[LU_RESIDENT_ORDER], where[LU_RESIDENT_ORDER];
  int info;
  alignas(16) double block[1]; /* by columns */
};

/* Columns of shared memory for `rows` rows: 2 modulo 8 elements apart, so that fragments are read without conflicts of
 * banks. */
__host__ __device__ constexpr int lu_resident_ld(int rows)
{
  return (rows + LU_TILE - 1) / LU_TILE * LU_TILE + 2;
}
/* Bytes of shared memory for a block of a matrix. */
__host__ __device__ constexpr int lu_resident_bytes(int rows, int columns)
{
  return (int)(offsetof(lu_resident_memory, block) +
               sizeof(double) * lu_resident_ld(rows) * ((columns + LU_TILE - 1) / LU_TILE * LU_TILE));
}

/* A thread's view of a block of the matrix, in shared memory, and of where it came from. */
struct lu_resident_block {
  static constexpr int W = LU_TILE, WARPS = LU_RESIDENT_WARPS;
  lu_resident_memory *const at;
  const int warp;
  int lane;
  double *a; /* element (0, 0) of the block */
  int64_t lda;
  int m, n, base, ld; /* base: row and column of the matrix where the block starts */

  __device__ __forceinline__ lu_resident_block()
      : at(shared_array<lu_resident_memory>()), warp(__shfl_sync(0xffffffffu, threadIdx.x / 32, 0)),
        lane(threadIdx.x % 32)
  {
  }
  /* What follows from the lane's number is found again after this: registers are dearer. */
  __device__ __forceinline__ void forget()
  {
    recompute(lane);
  }
  __device__ __forceinline__ void place(double *matrix, int64_t ld, int first, int rows, int columns)
  {
    a = matrix + first + first * ld;
    lda = ld;
    base = first;
    m = rows;
    n = columns;
    this->ld = lu_resident_ld(rows);
  }
  __device__ __forceinline__ double *tile(int q) const
  {
    return at->block + q * W * ld;
  }
  __device__ __forceinline__ double *triangle(int p) const
  {
    return at->triangles[p % LU_RESIDENT_PANELS];
  }
  __device__ __forceinline__ lu_moves *moves(int p) const
  {
    return &at->moves[p % LU_RESIDENT_MOVES];
  }
  /* Columns `first` .. end - 1 in the background, by `warps` warps, of which this is number `index`; what is over the
   * edges becomes 0. */
  __device__ __forceinline__ void start_to_load(int first, int end, int index, int warps) const
  {
#pragma unroll 1
    for (int c = first + index; c < end; c += warps) {
      const double *p = a + (c < n ? c : 0) * lda;
      const unsigned to = shared_address(at->block + c * ld);
#pragma unroll 4
      for (int i = lane; i < ld; i += 32)
        copy_async(to + i * (unsigned)sizeof(double), p + (i < m ? i : 0), i < m && c < n);
    }
    copy_commit();
  }
  /* The team waits for the first tile alone, and fetches the second one; the others fetch the rest, tile 2 by the warp
   * that changes it before all warps have met again. */
  __device__ __forceinline__ void load() const
  {
    const int tiles = (n + W - 1) / W;
    if (warp < LU_TEAM) {
      start_to_load(0, W, warp, LU_TEAM);
      start_to_load(W, min(tiles, 2) * W, warp, LU_TEAM);
      copy_wait<1>();
      lu_team_meet(LU_TEAM);
    } else {
#pragma unroll 1
      for (int q = 2 + WARPS - 1 - warp; q < tiles; q += WARPS - LU_TEAM) start_to_load(q * W, q * W + W, 0, 1);
#pragma unroll 1
      for (int i = 32 * (warp - LU_TEAM) + lane; i < m; i += 32 * (WARPS - LU_TEAM)) at->order[i] = (unsigned char)i;
    }
  }
  /* Asks for columns in the L2 cache. */
  __device__ __forceinline__ void prefetch(const double *p, int rows, int columns) const
  {
    constexpr int LINE = 128 / sizeof(double), LANES = LU_RESIDENT_ORDER / LINE; /* of a column */
#pragma unroll 1
    for (int c = 32 / LANES * warp + lane / LANES; c < columns; c += 32 / LANES * WARPS)
      if (lane % LANES * LINE < rows) asm volatile("prefetch.global.L2 [%0];" ::"l"(p + c * lda + lane % LANES * LINE));
  }
  /* Can bulk copies do whole columns? */
  __device__ __forceinline__ bool is_aligned() const
  {
    return (reinterpret_cast<size_t>(a) % 16 | lda % 2 | m % 2) == 0;
  }
  /* By bulk copies of this warp, which it has to wait for; a barrier and bulk_fence() came before. */
  __device__ __forceinline__ void start_to_store() const
  {
#pragma unroll 1
    for (int c = lane; c < n; c += 32)
      bulk_store(a + c * lda, shared_address(at->block + c * ld), m * (int)sizeof(double));
  }
  /* By all warps. */
  __device__ __forceinline__ void store() const
  {
#pragma unroll 1
    for (int c = warp; c < n; c += WARPS) {
      double *p = a + c * lda;
#pragma unroll 8
      for (int i = lane; i < m; i += 32) p[i] = at->block[c * ld + i];
    }
  }
  /* Rows of the columns left of the block, too, are exchanged, by way of what is free behind it; by all warps but the
   * last one. */
  __device__ __forceinline__ void reorder_left() const
  {
    constexpr int ROWS = LU_RESIDENT_LAST / 32, COLUMNS = (LU_RESIDENT_FIRST + WARPS - 2) / (WARPS - 1);
    const int first = COLUMNS * warp;
    double *const left = a - base * lda + first * lda + lane, *const stage = at->block + (n + W - 1) / W * W * ld +
                                                                             LU_RESIDENT_LAST * warp;
    double x[COLUMNS][ROWS];
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
#pragma unroll
      for (int r = 0; r < ROWS; r++) x[c][r] = 32 * r + lane < m && first + c < base ? left[32 * r + c * lda] : 0.0;
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
#pragma unroll
      for (int r = 0; r < ROWS; r++) stage[32 * r + lane] = x[c][r];
      __syncwarp();
#pragma unroll
      for (int r = 0; r < ROWS; r++)
        if (32 * r + lane < m && first + c < base) left[32 * r + c * lda] = stage[at->order[32 * r + lane]];
      __syncwarp();
    }
  }
};

} // namespace batched_cuda::lu

#endif
