/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What getrf_shared_tc.cuh keeps in shared memory, a block of a matrix's columns in it, and its way there and back.
 */
#ifndef BATCHED_LU_CUDA_SHARED_TC_MEMORY_CUH
#define BATCHED_LU_CUDA_SHARED_TC_MEMORY_CUH

#include <type_traits>

#include "batched/cuda/bulk_copy.cuh"
#include "batched/cuda/compiler.cuh"
#include "batched/lu/cuda/shared_tc/team_panel.cuh"

namespace batched_cuda::lu
{

/* Most rows and columns: row numbers are bytes. Columns of the first part of a matrix that does not fit as a whole,
 * and the most that are left then. Warps of a block, with 168 registers per thread. */
enum {
  LU_RESIDENT_ORDER = 256,
  LU_RESIDENT_FIRST = 96,
  LU_RESIDENT_LAST = LU_RESIDENT_ORDER - LU_RESIDENT_FIRST,
  LU_RESIDENT_PANELS = LU_RESIDENT_FIRST / LU_TILE,
  LU_RESIDENT_WARPS = 12,
  LU_RESIDENT_MOVES = 4,        /* panels whose exchanges are kept */
  LU_RESIDENT_ROOM = 227 * 1024 /* bytes of shared memory: the most a block can have on Hopper */
};

struct lu_resident_memory {
  double triangles[LU_RESIDENT_PANELS][LU_TILE_INVERSE]; /* inverses of L11 of the latest panels */
  lu_offers offers[2];
  lu_moves moves[LU_RESIDENT_MOVES];
  /* order: row i was row order[i] when it was loaded; where: the inverse permutation, for the columns to the right. */
  unsigned char order[LU_RESIDENT_ORDER], where[LU_RESIDENT_ORDER];
  int info;
  alignas(16) double block[1]; /* by columns */
};

/* Leading dimension in shared memory: 2 modulo 8, which makes reads of fragments free of bank conflicts. */
__host__ __device__ constexpr int lu_resident_ld(int rows)
{
  return (rows + LU_TILE - 1) / LU_TILE * LU_TILE + 2;
}
/* Bytes of shared memory for a block of `columns` columns. */
__host__ __device__ constexpr int lu_resident_bytes(int rows, int columns)
{
  return (int)(offsetof(lu_resident_memory, block) +
               sizeof(double) * lu_resident_ld(rows) * ((columns + LU_TILE - 1) / LU_TILE * LU_TILE));
}

/* A thread's view of the block of columns in shared memory, and of its source. */
template <class T> struct lu_resident_block {
  static constexpr int W = LU_TILE, WARPS = LU_RESIDENT_WARPS;
  lu_resident_memory *const at;
  const int warp;
  int lane;
  T *a; /* element (0, 0) of the block */
  int64_t lda;
  int m, n, base, ld; /* base: the block's first row and column in the matrix */

  __device__ __forceinline__ lu_resident_block()
      : at(shared_array<lu_resident_memory>()), warp(__shfl_sync(all_lanes, threadIdx.x / 32, 0)),
        lane(threadIdx.x % 32)
  {
  }
  /* Lets everything derived from the lane number be recomputed from here on, to free registers. */
  __device__ __forceinline__ void forget()
  {
    recompute(lane);
  }
  __device__ __forceinline__ void place(T *matrix, int64_t ld, int first, int rows, int columns)
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
  /* Starts to copy columns first .. end - 1 to shared memory, as warp `index` of `warps`; pads with zeros. Floats,
   * which have to be converted, are there when it returns. */
  __device__ __forceinline__ void start_to_load(int first, int end, int index, int warps) const
  {
#pragma unroll 1
    for (int c = first + index; c < end; c += warps) {
      const T *p = a + (c < n ? c : 0) * lda;
      if constexpr (std::is_same_v<T, double>) {
        const unsigned to = shared_address(at->block + c * ld);
#pragma unroll 4
        for (int i = lane; i < ld; i += 32)
          copy_async(to + i * (unsigned)sizeof(double), p + (i < m ? i : 0), i < m && c < n);
      } else {
        T x[LU_RESIDENT_ORDER / 32 + 1];
#pragma unroll
        for (int r = 0; r <= LU_RESIDENT_ORDER / 32; r++) x[r] = 32 * r + lane < m && c < n ? p[32 * r + lane] : 0;
#pragma unroll
        for (int r = 0; r <= LU_RESIDENT_ORDER / 32; r++)
          if (32 * r + lane < ld) at->block[c * ld + 32 * r + lane] = x[r];
      }
    }
    copy_commit();
  }
  /* The team waits for tile 0 and fetches tile 1; the other warps fetch the rest, tile 2 by the warp that updates it
   * before the next barrier. */
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
  /* Prefetches columns into L2. */
  __device__ __forceinline__ void prefetch(const T *p, int rows, int columns) const
  {
    constexpr int LINE = 128 / sizeof(T), LANES = LU_RESIDENT_ORDER / LINE; /* per column */
#pragma unroll 1
    for (int c = 32 / LANES * warp + lane / LANES; c < columns; c += 32 / LANES * WARPS)
      if (lane % LANES * LINE < rows) asm volatile("prefetch.global.L2 [%0];" ::"l"(p + c * lda + lane % LANES * LINE));
  }
  /* True where whole columns are aligned for bulk copies, and as they are in shared memory. */
  __device__ __forceinline__ bool is_aligned() const
  {
    return std::is_same_v<T, double> && (reinterpret_cast<size_t>(a) % 16 | lda % 2 | m % 2) == 0;
  }
  /* Starts bulk stores, which this warp has to wait for; comes after a barrier and bulk_fence(). */
  __device__ __forceinline__ void start_to_store() const
  {
#pragma unroll 1
    for (int c = lane; c < n; c += 32)
      bulk_store(a + c * lda, shared_address(at->block + c * ld), m * (int)sizeof(double));
  }
  /* Stores by all warps, unaligned. */
  __device__ __forceinline__ void store() const
  {
#pragma unroll 1
    for (int c = warp; c < n; c += WARPS) {
      T *p = a + c * lda;
#pragma unroll 8
      for (int i = lane; i < m; i += 32) p[i] = (T)at->block[c * ld + i];
    }
  }
  /* Exchanges rows in the columns left of the block, through the free shared memory behind it; by all warps but the
   * last. */
  __device__ __forceinline__ void reorder_left() const
  {
    constexpr int ROWS = LU_RESIDENT_LAST / 32, COLUMNS = (LU_RESIDENT_FIRST + WARPS - 2) / (WARPS - 1);
    const int first = COLUMNS * warp;
    T *const left = a - base * lda + first * lda + lane;
    double *const stage = at->block + (n + W - 1) / W * W * ld + LU_RESIDENT_LAST * warp;
    T x[COLUMNS][ROWS];
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
#pragma unroll
      for (int r = 0; r < ROWS; r++) x[c][r] = 32 * r + lane < m && first + c < base ? left[32 * r + c * lda] : T(0);
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
#pragma unroll
      for (int r = 0; r < ROWS; r++) stage[32 * r + lane] = x[c][r];
      __syncwarp();
#pragma unroll
      for (int r = 0; r < ROWS; r++)
        if (32 * r + lane < m && first + c < base) left[32 * r + c * lda] = (T)stage[at->order[32 * r + lane]];
      __syncwarp();
    }
  }
};

} // namespace batched_cuda::lu

#endif
