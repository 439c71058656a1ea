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
 */
#ifndef BATCHED_LU_CUDA_GETRF_SHARED_TC_CUH
#define BATCHED_LU_CUDA_GETRF_SHARED_TC_CUH

#include <type_traits>

#include "batched/cuda/compiler.cuh"
#include "batched/cuda/bulk_copy.cuh"
#include "batched/lu/cuda/report_pivot.cuh"
#include "batched/lu/cuda/team_panel.cuh"
#include "batched/cuda/mma.cuh"
#include "batched/lu/lu.h"

namespace batched_cuda::lu
{

/* ------------------------------------------------------------------ shared memory */

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
      : at(shared_array<lu_resident_memory>()), warp(__shfl_sync(0xffffffffu, threadIdx.x / 32, 0)),
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
  /* Are whole columns aligned for bulk copies, and as they are in shared memory? */
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

/* ------------------------------------------------------------------ updates */

/* Lane 4 g + t holds columns 2 t and 2 t + 1 of rows g and g + 8 of a product of 16 rows by 8 columns. */
template <class T> struct lu_resident_update : lu_resident_block<T> {
  using block = lu_resident_block<T>;
  using block::a, block::at, block::base, block::forget, block::lane, block::ld, block::lda, block::m, block::moves;
  using block::n, block::tile, block::triangle, block::W, block::warp, block::WARPS;
  static constexpr int GROUPS = LU_RESIDENT_ORDER / 16;

  /* Applies a panel's exchanges to `columns` columns, a multiple of 4, as warp `index` of `warps`. */
  __device__ __forceinline__ void exchange(double *tile, int columns, const lu_moves *moves, int index, int warps) const
  {
    const int e = lane % LU_MOVES, h = lane / LU_MOVES;
    const bool moves_some = e < moves->count;
    const int from = moves->from[e], to = moves->to[e];
#pragma unroll 1
    for (int c = 4 * index + h; c < columns; c += 4 * warps) {
      double *p = tile + c * ld, x = 0, y = 0;
      if (moves_some) {
        x = p[from];
        y = p[2 * ld + from];
      }
      __syncwarp();
      if (moves_some) {
        p[to] = x;
        p[2 * ld + to] = y;
      }
    }
    __syncwarp();
  }
  /* Elements 2 t and 2 t + 1 of row g of a unit triangle's inverse. */
  __device__ __forceinline__ double2 inverse(const double *triangle) const
  {
    const int g = lane / 4, t = lane % 4;
    const double *row = triangle + g * (g - 1) / 2 + 2 * t;
    return make_double2(2 * t < g    ? row[0]
                        : 2 * t == g ? 1.0
                                     : 0.0,
                        2 * t + 1 < g    ? row[1]
                        : 2 * t + 1 == g ? 1.0
                                         : 0.0);
  }
  /* U = L11^-1 A1, where A1 is rows r0 .. r0 + 7 of a tile; returns rows 2 t and 2 t + 1 of column g. */
  __device__ __forceinline__ double2 solve(const double *tile, const double *triangle, int r0) const
  {
    const double2 v = inverse(triangle),
                  y = *reinterpret_cast<const double2 *>(tile + lane / 4 * ld + r0 + 2 * (lane % 4));
    const double f[4] = {y.x, 0, y.y, 0}, b[2] = {v.x, v.y};
    double u[4] = {};
    multiply_16x8x8(u, f, b);
    return make_double2(u[0], u[1]);
  }
  __device__ __forceinline__ void put_solution(double *tile, int r0, double2 u) const
  {
    *reinterpret_cast<double2 *>(tile + lane / 4 * ld + r0 + 2 * (lane % 4)) = u;
  }
  /* tile[row .. row + 16 N) -= L U, rows below `end` only; L is P tiles wide. */
  template <int N, int P>
  __device__ __forceinline__ void subtract(double *tile, const double *l, int row, int end, const double2 *u) const
  {
    const int at_lane = lane % 4 * 2 * ld + lane / 4 + row;
    const double *from = l + at_lane;
    double *to = tile + at_lane, x[P][N][4], d[N][4];
#pragma unroll
    for (int i = 0; i < N; i++)
#pragma unroll
      for (int e = 0; e < 4; e++) {
#pragma unroll
        for (int q = 0; q < P; q++)
          x[q][i][e] = row + 16 * i + e % 2 * 8 < end ? from[16 * i + e % 2 * 8 + (q * W + e / 2) * ld] : 0.0;
        d[i][e] = row + 16 * i + e / 2 * 8 < end ? to[16 * i + e / 2 * 8 + e % 2 * ld] : 0.0;
      }
#pragma unroll
    for (int q = 0; q < P; q++) {
      const double b[2] = {-u[q].x, -u[q].y};
#pragma unroll
      for (int i = 0; i < N; i++) multiply_16x8x8(d[i], x[q][i], b);
    }
#pragma unroll
    for (int i = 0; i < N; i++)
#pragma unroll
      for (int e = 0; e < 4; e++)
        if (row + 16 * i + e / 2 * 8 < end) to[16 * i + e / 2 * 8 + e % 2 * ld] = d[i][e];
  }
  /* Applies P <= 2 panels from p on, whose L is at l, to a tile: U = L11^-1 A1, A2 -= L21 U. */
  template <int P> __device__ __forceinline__ void apply(double *tile, const double *l, int p) const
  {
    double2 u[P];
#pragma unroll
    for (int q = 0; q < P; q++) exchange(tile, W, moves(p + q), 0, 1);
#pragma unroll
    for (int q = 0; q < P; q++) {
      const int row = W * (p + q);
      if (q > 0) subtract<1, 1>(tile, l, row, row + W, u);
      __syncwarp();
      u[q] = solve(tile, triangle(p + q), row);
      __syncwarp();
      put_solution(tile, row, u[q]);
    }
    int row = W * (p + P);
#pragma unroll 1
    for (; row + 16 * (4 / P) - 8 < m; row += 16 * (4 / P)) subtract<4 / P, P>(tile, l, row, INT_MAX, u);
#pragma unroll 1
    for (; row < m; row += 16) subtract<1, P>(tile, l, row, m, u);
    __syncwarp();
  }
  /* Elements 32 k + lane of column c of `columns`, counted from the block's first column. */
  __device__ __forceinline__ void get_column(double (&x)[LU_RESIDENT_ORDER / 32], int c, int columns) const
  {
    const T *p = a + c * lda + lane;
#pragma unroll
    for (int k = 0; k < LU_RESIDENT_ORDER / 32; k++) x[k] = 32 * k + lane < m && c < columns ? p[32 * k] : 0.0;
  }
  /* Columns c .. c + 7 as fragments, rows in their current order; one after the other through `stage`. */
  __device__ __forceinline__ void fetch_columns(double (&d)[GROUPS][4], double *stage, int c, int columns) const
  {
    const int g = lane / 4, t = lane % 4;
    double x[LU_RESIDENT_ORDER / 32];
    get_column(x, c, columns);
#pragma unroll
    for (int i = 0; i < GROUPS; i++)
#pragma unroll
      for (int e = 0; e < 4; e++) d[i][e] = 0.0;
#pragma unroll 1
    for (int pair = 0; pair < W / 2; pair++)
#pragma unroll
      for (int e = 0; e < 2; e++) {
#pragma unroll
        for (int k = 0; k < LU_RESIDENT_ORDER / 32; k++)
          stage[32 * k + lane < m ? at->where[32 * k + lane] : 32 * k + lane] = x[k];
        get_column(x, c + 2 * pair + e + 1, 2 * pair + e + 1 < W ? columns : 0);
        __syncwarp();
        if (t == pair)
#pragma unroll
          for (int i = 0; i < GROUPS; i++)
#pragma unroll
            for (int h = 0; h < 2; h++) d[i][2 * h + e] = stage[16 * i + 8 * h + g];
        __syncwarp();
      }
  }
  /* Applies panel p to these columns and stores its rows of U. */
  template <int p>
  __device__ __forceinline__ void apply_in_registers(double (&d)[GROUPS][4], double *stage, int c, int columns)
  {
    constexpr int LD = W + 2;
    forget();
    const int g = lane / 4, t = lane % 4;
#pragma unroll
    for (int e = 0; e < 2; e++) stage[(2 * t + e) * LD + g] = d[p / 2][p % 2 * 2 + e];
    __syncwarp();
    const double2 v = inverse(triangle(p)), y = *reinterpret_cast<const double2 *>(stage + g * LD + 2 * t);
    __syncwarp();
    const double f[4] = {y.x, 0, y.y, 0}, w[2] = {v.x, v.y};
    double u[4] = {};
    multiply_16x8x8(u, f, w);
    if (c + g < columns) {
      T *to = a + (c + g) * lda + W * p + 2 * t;
      to[0] = (T)u[0];
      to[1] = (T)u[1];
    }
    const double b[2] = {-u[0], -u[1]}, *l = tile(p) + 2 * t * ld + g;
#pragma unroll
    for (int i = (p + 1) / 2; i < GROUPS; i++) {
      if (16 * i >= m) break;
      const double x[4] = {l[16 * i], l[16 * i + 8], l[16 * i + ld], l[16 * i + 8 + ld]};
      multiply_16x8x8(d[i], x, b);
    }
  }
  template <int p> __device__ __forceinline__ void apply_all(double (&d)[GROUPS][4], double *stage, int c, int columns)
  {
    apply_in_registers<p>(d, stage, c, columns);
    if constexpr (p + 1 < LU_RESIDENT_PANELS) apply_all<p + 1>(d, stage, c, columns);
  }
  /* Applies the block to 8 columns of the matrix. */
  __device__ __forceinline__ void update_columns(double *stage, int c, int columns)
  {
    double d[GROUPS][4];
    forget();
    fetch_columns(d, stage, c, columns);
    apply_all<0>(d, stage, c, columns);
    const int g = lane / 4, t = lane % 4;
#pragma unroll
    for (int i = LU_RESIDENT_FIRST / 16; i < GROUPS; i++)
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const int row = 16 * i + e / 2 * 8 + g, column = c + 2 * t + e % 2;
        if (row < m && column < columns) a[row + column * lda] = (T)d[i][e];
      }
  }
};

/* ------------------------------------------------------------------ the kernel */

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
