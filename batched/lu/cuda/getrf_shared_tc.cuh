/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of a matrix by one block that has a multiprocessor, and nearly all of its shared memory, to itself.
 *
 * A block of the matrix's columns is factored in shared memory: a team of warps does a panel of 8 columns, which the
 * others use to bring the columns behind the next panel up to date meanwhile.  A matrix that has no room there is done
 * in two parts: its first columns, all rows of them, whose L and U then go once over the others; and what is left.
 */
#ifndef BATCHED_LU_CUDA_GETRF_SHARED_TC_CUH
#define BATCHED_LU_CUDA_GETRF_SHARED_TC_CUH

#include "batched/lu/cuda/resident_update.cuh"
#include "batched/lu/lu.h"

namespace batched_cuda::lu
{

/* Rows of a lane of a team. */
enum { LU_TEAM_ROWS = 2 };
static_assert(32 * LU_TEAM_ROWS * LU_TEAM >= LU_RESIDENT_ORDER, "");

struct lu_resident : lu_resident_update {
  using team = lu_team<LU_TEAM_ROWS>;
  static constexpr int UPDATING = WARPS - LU_TEAM;
  int *ipiv;

  /* Warps of the team for panel p, the first ones: each scheduler has one of them. */
  __device__ __forceinline__ int team_of(int p) const
  {
    return (m - W * p + 32 * LU_TEAM_ROWS - 1) / (32 * LU_TEAM_ROWS);
  }
  /* Brings panel p up to date with the one before, but for the rows of U, which are returned. */
  __device__ __forceinline__ double2 advance(int p, int warps) const
  {
    double *own = tile(p);
    const double *l = tile(p - 1);
    exchange(tile(p - 1), 2 * W, moves(p - 1), warp, warps);
    lu_team_meet(warps);
    const double2 u = solve(own, triangle(p - 1), W * (p - 1));
    subtract<2 * LU_TEAM_ROWS, 1>(own, l, W * p + 32 * LU_TEAM_ROWS * warp, m, &u);
    __syncwarp();
    return u;
  }
  __device__ __forceinline__ void factor_panel(int p, int k, double2 u) const
  {
    const int warps = team_of(p), r0 = W * p, count = min(k - r0, W);
    team lu(lane, warp, warps, r0);
    lu.load(tile(p), ld, m, at->offers);
    lu.search();
#pragma unroll 1
    for (int S = 0; S < count; S++) lu.step(S, tile(p), ld, at->offers[S % 2], triangle(p));
    if (warp == 0) {
      if (p > 0) put_solution(tile(p), r0 - W, u);
      lu.exchanges.list(count, lane, r0, base, moves(p), ipiv + base);
      if (lane == 0 && lu.info && !at->info) at->info = base + lu.info;
    }
  }
  /* P panels from p on to the tiles `first` .. end - 1, by `warps` warps, of which this is number `index`. */
  template <int P> __device__ __forceinline__ void apply_to(int p, int first, int end, int index, int warps) const
  {
#pragma unroll 1
    for (int q = first + index; q < end; q += warps) apply<P>(tile(q), tile(p), p);
  }
  /* Panel p, an odd one together with the one before it. */
  __device__ __forceinline__ void spread(int p, int first, int end, int index, int warps) const
  {
    if (p % 2 == 0)
      apply_to<1>(p, first, end, index, warps);
    else
      apply_to<2>(p - 1, first, end, index, warps);
  }
  /* The rows of the tiles before `end`, too, and their numbers, follow the exchanges of panel p. */
  __device__ __forceinline__ void follow(int p, int end, int index, int warps) const
  {
    const lu_moves *moves = this->moves(p);
#pragma unroll 1
    for (int q = index; q < end; q += warps) exchange(tile(q), W, moves, 0, 1);
    if (index > 0) return;
    const bool moves_one = lane < moves->count;
    const unsigned char v = moves_one ? at->order[moves->from[lane]] : 0;
    __syncwarp();
    if (moves_one) at->order[moves->to[lane]] = v;
  }
  /* While the team does panel p the others bring up to date what it needs next, and every other time all columns behind
   * that, with two panels at once, which saves a third of what passes through shared memory.  Asks in time for the
   * columns that are to come next, if there are any. */
  __device__ __forceinline__ void factor(const double *next, int rows, int columns)
  {
    const int k = min(m, n), panels = (k + W - 1) / W, tiles = (n + W - 1) / W, index = WARPS - 1 - warp;
    forget();
#pragma unroll 1
    for (int p = 0; p < panels; p++) {
      const int warps = team_of(p);
      double2 u = {};
      if (next && p == panels * 3 / 4) prefetch(next, rows, columns);
      if (p > 0) {
        if (warp < warps)
          u = advance(p, warps);
        else if (p > 1) /* L that the next products take beside that of panel p - 1 */
          exchange(tile(p - 2), W, moves(p - 1), index, UPDATING);
        __syncthreads();
      }
      if (warp < warps)
        factor_panel(p, k, u);
      else if (p > 0 && index < UPDATING) {
        if (p == 1) {
          copy_wait<0>();
          __syncwarp();
        }
        spread(p - 1, p + 1, p % 2 == 0 ? tiles : min(p + 2, panels), index, UPDATING);
        follow(p - 1, p - 2, index, UPDATING);
      }
      if (p == 0 && (warp < LU_TEAM || panels == 1)) copy_wait<0>();
      __syncthreads();
    }
    follow(panels - 1, panels, index, WARPS);
    __syncthreads();
    spread(panels - 1, panels, tiles, index, WARPS);
    bulk_fence();
    __syncthreads();
  }
  /* The block goes to memory, and the columns right of it, `columns` from its first one on, are brought up to date. */
  __device__ __forceinline__ void update(int columns)
  {
    const bool is_aligned = this->is_aligned(), stores = is_aligned && warp == WARPS - 1;
    for (int i = threadIdx.x; i < m; i += 32 * WARPS) at->where[at->order[i]] = (unsigned char)i;
    __syncthreads();
    if (stores) start_to_store();
    /* Behind the block, and behind what fragments of L that reach over its end read. */
    double *stage = tile(n / W) + W + LU_RESIDENT_ORDER * warp;
#pragma unroll 1
    for (int c = n + W * warp; c < columns; c += W * WARPS) update_columns(stage, c, columns);
    if (!is_aligned) store();
    if (stores) bulk_store_finish();
    __syncthreads();
  }
  /* next: the matrix that this block does then, or NULL. */
  __device__ __forceinline__ void factor_matrix(double *matrix, int64_t lda, int rows, int columns, int room,
                                                const double *next)
  {
    const int first = lu_resident_bytes(rows, columns) > room ? LU_RESIDENT_FIRST : 0;
    place(matrix, lda, 0, rows, first ? first : columns);
#pragma unroll 1
    for (;;) {
      load();
      const bool is_last = base + n == columns;
      factor(is_last ? next : a + n * lda, rows, !is_last ? columns - n : first ? first : columns);
      if (is_last) break;
      update(columns);
      place(matrix, lda, first, rows - first, columns - first);
    }
    const bool is_aligned = this->is_aligned(), stores = is_aligned && warp == WARPS - 1;
    if (stores) start_to_store();
    if (!is_aligned) store();
    if (base && warp < WARPS - 1) reorder_left();
    if (stores) bulk_store_wait();
    __syncthreads();
  }
};

/* Blocks that do the same would all ask for memory at the same time, again and again.  Where some have a matrix less
 * than others, these begin later, one after the other, over most of the time that a matrix takes. */
static __device__ __forceinline__ void begin_in_turn(int64_t count, int m)
{
  constexpr int CYCLES = 900; /* a row of the matrix takes some 1100 */
  const int64_t begin = clock64(), longer = count % gridDim.x, place = blockIdx.x - longer;
  if (longer == 0 || place < 0) return;
  while (clock64() - begin < CYCLES * m * place / (gridDim.x - longer)) __nanosleep(500);
}

__global__ void __launch_bounds__(32 * LU_RESIDENT_WARPS, 1)
  getrf_resident(batch<double> a, int *__restrict__ ipiv, int npivots, int *__restrict__ info, int room)
{
  lu_resident lu;
  begin_in_turn(a.count, a.m);
#pragma unroll 1
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = a.cols(b);
    const bool has_next = b + gridDim.x < a.count && !a.is_variable();
    lu.ipiv = ipiv + b * npivots;
    if (threadIdx.x == 0) lu.at->info = 0;
    if (m > 0 && n > 0) lu.factor_matrix(a.at(b), a.leading(b), m, n, room, has_next ? a.at(b + gridDim.x) : nullptr);
    if (threadIdx.x == 0) info[b] = lu.at->info;
  }
}

static inline int run_getrf_resident(batched_ctx *ctx, const batched_getrf_args *p)
{
  const batch<double> a = view<double>(p->a);
  const int bytes = lu_resident_bytes(a.m, a.n), room = bytes < LU_RESIDENT_ROOM ? bytes : LU_RESIDENT_ROOM;
  int device = 0, processors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  const int64_t blocks = a.count < processors ? a.count : processors;
  return launch(ctx, getrf_resident, blocks, 32 * LU_RESIDENT_WARPS, (size_t)room, a, p->ipiv, a.m < a.n ? a.m : a.n,
                p->info, room);
}

} // namespace batched_cuda::lu

#endif
