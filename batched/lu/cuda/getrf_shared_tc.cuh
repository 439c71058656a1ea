/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.shared_tc of getrf: LU with partial pivoting of one matrix per SM, in all of its shared memory.
 *
 * Right-looking with look-ahead: a team of up to four warps factors panel p, 8 columns, in registers (team_panel.cuh),
 * while eight warps apply panels p - 1 and p - 2 to the columns behind panel p + 1 on the tensor cores. A matrix too
 * large for shared memory is done in two parts: its first 96 columns, whose L and U then update the other columns, 8 at
 * a time in a warp's registers; then the rest, in shared memory again. Floats are doubles in shared memory and in
 * registers, and results are rounded as they are stored.
 *
 * grid      a block per SM, 12 warps, 168 registers per thread; blocks loop over the batch
 * shared    up to 227 KB: the block of columns, the inverses of the L11, the offers of a step, exchanges of rows
 * takes     double and single precision, m, n <= 256, uniform and variable; Hopper's shared memory
 * reads     a; writes a, ipiv (from 1), info (first pivot that is zero or NaN), which count from the first row of the
 *           larger matrix if a is its trailing block
 * accuracy  |P L U - A| < 30 n eps |A|; U = L11^-1 A1 by the inverse of 8 x 8 unit triangles
 *
 * In shared_tc/: memory.cuh, team_panel.cuh, update.cuh.
 */
#ifndef BATCHED_LU_CUDA_GETRF_SHARED_TC_CUH
#define BATCHED_LU_CUDA_GETRF_SHARED_TC_CUH

#include "batched/lu/cuda/report_pivot.cuh"
#include "batched/lu/cuda/shared_tc/update.cuh"
#include "batched/lu/lu.h"

namespace batched_cuda::lu
{

/* Rows per lane in a team. */
enum { LU_TEAM_ROWS = 2 };
static_assert(32 * LU_TEAM_ROWS * LU_TEAM >= LU_RESIDENT_ORDER, "");

template <class T> struct lu_resident : lu_resident_update<T> {
  using up = lu_resident_update<T>;
  using up::a, up::at, up::base, up::exchange, up::forget, up::lane, up::ld, up::lda, up::m, up::moves, up::n,
    up::place;
  using up::prefetch, up::put_solution, up::solve, up::start_to_store, up::store, up::tile, up::triangle, up::W;
  using up::update_columns, up::warp, up::WARPS;
  using team = lu_team<LU_TEAM_ROWS>;
  static constexpr int UPDATING = WARPS - LU_TEAM;
  int *ipiv, first; /* first: what comes before the matrix in a larger one's rows */

  /* Warps in the team for panel p, the block's first ones: one per scheduler. */
  __device__ __forceinline__ int team_of(int p) const
  {
    return (m - W * p + 32 * LU_TEAM_ROWS - 1) / (32 * LU_TEAM_ROWS);
  }
  /* Applies panel p - 1 to panel p; returns the rows of U, which are stored later. */
  __device__ __forceinline__ double2 advance(int p, int warps) const
  {
    double *own = tile(p);
    const double *l = tile(p - 1);
    exchange(tile(p - 1), 2 * W, moves(p - 1), warp, warps);
    lu_team_meet(warps);
    const double2 u = solve(own, triangle(p - 1), W * (p - 1));
    this->template subtract<2 * LU_TEAM_ROWS, 1>(own, l, W * p + 32 * LU_TEAM_ROWS * warp, m, &u);
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
      lu.exchanges.list(count, lane, r0, first + base, moves(p), ipiv + base);
      if (lane == 0 && lu.info && !at->info) at->info = base + lu.info;
    }
  }
  /* Applies P panels from p on to tiles first .. end - 1, as warp `index` of `warps`. */
  template <int P> __device__ __forceinline__ void apply_to(int p, int first, int end, int index, int warps) const
  {
#pragma unroll 1
    for (int q = first + index; q < end; q += warps) this->template apply<P>(tile(q), tile(p), p);
  }
  /* Applies panel p; if odd, together with panel p - 1. */
  __device__ __forceinline__ void spread(int p, int first, int end, int index, int warps) const
  {
    if (p % 2 == 0)
      apply_to<1>(p, first, end, index, warps);
    else
      apply_to<2>(p - 1, first, end, index, warps);
  }
  /* Applies the exchanges of panel p to the tiles before `end` and to `order`. */
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
  /* While the team factors panel p, the other warps update the columns it needs next, and in every other step all
   * columns behind, with two panels at once, which saves a third of the traffic to shared memory. Prefetches `next`
   * (NULL: nothing). */
  __device__ __forceinline__ void factor(const T *next, int rows, int columns)
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
        else if (p > 1) /* the next products read this L beside that of panel p - 1 */
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
  /* Stores the block and updates the columns right of it, up to column `columns` of the block's count. */
  __device__ __forceinline__ void update(int columns)
  {
    const bool is_aligned = this->is_aligned(), stores = is_aligned && warp == WARPS - 1;
    for (int i = threadIdx.x; i < m; i += 32 * WARPS) at->where[at->order[i]] = (unsigned char)i;
    __syncthreads();
    if (stores) start_to_store();
    /* behind the block and behind what fragments of L read past its end */
    double *stage = tile(n / W) + W + LU_RESIDENT_ORDER * warp;
#pragma unroll 1
    for (int c = n + W * warp; c < columns; c += W * WARPS) update_columns(stage, c, columns);
    if (!is_aligned) store();
    if (stores) bulk_store_finish();
    __syncthreads();
  }
  /* next: this block's next matrix, or NULL. */
  __device__ __forceinline__ void factor_matrix(T *matrix, int64_t lda, int rows, int columns, int room, const T *next)
  {
    const int first = lu_resident_bytes(rows, columns) > room ? LU_RESIDENT_FIRST : 0;
    place(matrix, lda, 0, rows, first ? first : columns);
#pragma unroll 1
    for (;;) {
      this->load();
      const bool is_last = base + n == columns;
      factor(is_last ? next : a + n * lda, rows, !is_last ? columns - n : first ? first : columns);
      if (is_last) break;
      update(columns);
      place(matrix, lda, first, rows - first, columns - first);
    }
    const bool is_aligned = this->is_aligned(), stores = is_aligned && warp == WARPS - 1;
    if (stores) start_to_store();
    if (!is_aligned) store();
    if (base && warp < WARPS - 1) this->reorder_left();
    if (stores) bulk_store_wait();
    __syncthreads();
  }
};

/* Staggers the blocks: in step with each other, all would read at once and compute at once. Blocks with a matrix
 * less than others start late, spread over most of the time that a matrix takes. */
static __device__ __forceinline__ void begin_in_turn(int64_t count, int m)
{
  constexpr int CYCLES = 900; /* per row; a matrix takes about 1100 */
  const int64_t begin = clock64(), longer = count % gridDim.x, place = blockIdx.x - longer;
  if (longer == 0 || place < 0) return;
  while (clock64() - begin < CYCLES * m * place / (gridDim.x - longer)) __nanosleep(500);
}

template <class T>
__global__ void __launch_bounds__(32 * LU_RESIDENT_WARPS, 1)
  getrf_shared_tc(batch<T> a, int first, int *__restrict__ ipiv, int npivots, int *__restrict__ info, int room)
{
  lu_resident<T> lu;
  begin_in_turn(a.count, a.m);
#pragma unroll 1
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = a.cols(b);
    const bool has_next = b + gridDim.x < a.count && !a.is_variable();
    lu.ipiv = ipiv + b * npivots + first;
    lu.first = first;
    if (threadIdx.x == 0) lu.at->info = 0;
    if (m > 0 && n > 0) lu.factor_matrix(a.at(b), a.leading(b), m, n, room, has_next ? a.at(b + gridDim.x) : nullptr);
    if (threadIdx.x == 0) report_pivot(lu.at->info, first, &info[b]);
  }
}

/* first: rows and columns of a larger matrix that were factored before a, its trailing block. */
template <class T>
int launch_getrf_shared_tc(batched_ctx *ctx, const batch<T> &a, int first, int *ipiv, int npivots, int *info)
{
  const int bytes = lu_resident_bytes(a.m, a.n), room = bytes < LU_RESIDENT_ROOM ? bytes : LU_RESIDENT_ROOM;
  const int64_t processors = multiprocessors(), blocks = a.count < processors ? a.count : processors;
  return launch(ctx, getrf_shared_tc<T>, blocks, 32 * LU_RESIDENT_WARPS, (size_t)room, a, first, ipiv, npivots, info,
                room);
}

} // namespace batched_cuda::lu

#endif
