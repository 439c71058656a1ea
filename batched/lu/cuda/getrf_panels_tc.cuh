/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.panels_tc of getrf: LU with partial pivoting of one matrix per block, left-looking by blocks of columns on
 * the tensor cores.
 *
 * Each of the 4 warps (2 up to order 72) holds a tile of 8 columns, all rows, in shared memory. A block of 32 (16)
 * columns is updated by the L of earlier blocks, which streams through shared memory 16 columns at a time and is
 * applied to tiles in registers. Then the warps factor their tiles in turn, in registers (warp_panel.cuh); the warps to
 * the right apply each. Columns are stored with rows in the order of that time; L's rows are put into final order in
 * the end.
 *
 * grid      a block per matrix
 * block     4 warps, or 2; 4 blocks per SM up to 128 rows, 2 beyond
 * shared    tiles, one or two stages of L, inverses of the L11, orders of rows: lu_tiles_layout
 * takes     double precision, m <= 256, any n that fits, uniform and variable
 * reads     a; writes a, ipiv (from 1), info (first pivot that is zero or NaN)
 * accuracy  |P L U - A| < 30 n eps |A|; U = L11^-1 A1 by the inverse of 8 x 8 unit triangles
 */
#ifndef BATCHED_LU_CUDA_GETRF_PANELS_TC_CUH
#define BATCHED_LU_CUDA_GETRF_PANELS_TC_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/lu/cuda/warp_panel.cuh"
#include "batched/lu/lu.h"
#include "batched/cuda/mma.cuh"

namespace batched_cuda::lu
{

/* ------------------------------------------------------------------ shared memory */

/* Most rows: row numbers are bytes. Most rows of the kernel with higher occupancy, and its blocks per SM. */
enum { LU_TILES_ROWS = 256, LU_TILES_FEW_ROWS = 128, LU_TILES_BLOCKS = 4 };
/* Warps per block; panels of L per stage. */
enum { LU_TILES_WARPS = 4, LU_STAGED = 2 };

/* Offsets in bytes into shared memory, for matrices of at most m x n and blocks of `warps` tiles. */
struct lu_tiles_layout {
  int warps, buffers, ld, rows; /* ld: of tiles; 2 modulo 8, which makes reads of fragments free of bank conflicts */
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

/* A thread's view of its block's matrix and shared memory. order(K): the order of rows when column block K was
 * stored: row i was row order[i] then; K = -1: that of the matrix. where(K): the inverse permutation. */
struct lu_tiles_memory {
  static constexpr int W = LU_TILE;
  const lu_tiles_layout &at;
  double *const a;
  const int64_t lda;
  const int m, n, k;           /* k: number of pivots */
  const int warp, lane, width; /* width: columns per block */
  const int missing;           /* columns that the first block is short of, so that the others are whole */

  __device__ __forceinline__ lu_tiles_memory(const lu_tiles_layout &at, double *a, int64_t lda, int m, int n)
      : at(at), a(a), lda(lda), m(m), n(n), k(m < n ? m : n), warp(__shfl_sync(all_lanes, threadIdx.x / 32, 0)),
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
  /* First column of block J; may be negative for J = 0. */
  __device__ __forceinline__ int start(int J) const
  {
    return J * width - missing;
  }
  __device__ __forceinline__ void begin()
  {
#pragma unroll 1
    for (int i = threadIdx.x; i < m; i += blockDim.x) order(-1)[i] = where(-1)[i] = (unsigned char)i;
    /* Zeros in the rows past the matrix, as NaN times 0 is NaN; fetch_tile() restores those of its tile. */
    const int more = at.ld - m;
#pragma unroll 1
    for (int c = warp; c < width + at.buffers * LU_STAGED * W; c += at.warps)
      if (lane < more) tile(0)[c * at.ld + m + lane] = 0.0;
    if (threadIdx.x == 0) *info() = 0;
    __syncthreads();
  }
  /* Inverts the orders of the blocks before J. */
  __device__ __forceinline__ void find_rows(int J) const
  {
    __syncthreads();
#pragma unroll 1
    for (int i = threadIdx.x; i < m; i += blockDim.x)
#pragma unroll 1
      for (int K = -1; K < J; K++) where(K)[order(K)[i]] = (unsigned char)i;
    __syncthreads();
  }
  /* Applies the exchanges of panels first .. panels - 1 to the orders of the blocks before J. */
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
  /* Starts to copy 8 columns from c0 on to this warp's tile, rows from `from` on, into their current order. */
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
  /* Starts to copy L of panels q .. min(q + LU_STAGED, end) - 1, below their first rows; each warp takes pairs of
   * columns. */
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
  /* Stores this warp's tile in columns c0 + 8 warp .., rows from `from` on. */
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

/* ------------------------------------------------------------------ updates */

struct lu_tiles_update : lu_tiles_memory {
  using lu_tiles_memory::lu_tiles_memory;

  /* 16 N rows of a tile += L b, with L at `from`. */
  template <int N> __device__ __forceinline__ void subtract(double *to, const double *from, const double (&b)[2]) const
  {
    const int ld = at.ld;
    double x[N][4], d[N][4];
#pragma unroll
    for (int i = 0; i < N; i++)
#pragma unroll
      for (int e = 0; e < 4; e++) {
        x[i][e] = from[16 * i + e % 2 * 8 + e / 2 * ld];
        d[i][e] = to[16 * i + e / 2 * 8 + e % 2 * ld];
      }
#pragma unroll
    for (int i = 0; i < N; i++) multiply_16x8x8(d[i], x[i], b);
#pragma unroll
    for (int i = 0; i < N; i++)
#pragma unroll
      for (int e = 0; e < 4; e++) to[16 * i + e / 2 * 8 + e % 2 * ld] = d[i][e];
  }
  /* The same for 8 rows. */
  __device__ __forceinline__ void subtract_half(double *to, const double *from, const double (&b)[2]) const
  {
    const double x[4] = {from[0], 0, from[at.ld], 0};
    double d[4] = {to[0], to[at.ld], 0, 0};
    multiply_16x8x8(d, x, b);
    to[0] = d[0];
    to[at.ld] = d[1];
  }
  /* U = L11^-1 A1 in rows r0 .. r0 + 7 of a tile; b = -U as second operand. */
  __device__ __forceinline__ void solve(double *tile, const double *inverse, int r0, double (&b)[2]) const
  {
    const int g = lane / 4, t = lane % 4;
    const double *triangle = inverse + g * (g - 1) / 2 + 2 * t;
    const double v[2] = {2 * t < g    ? triangle[0]
                         : 2 * t == g ? 1.0
                                      : 0.0,
                         2 * t + 1 < g    ? triangle[1]
                         : 2 * t + 1 == g ? 1.0
                                          : 0.0};
    double2 *top = reinterpret_cast<double2 *>(tile + g * at.ld + r0 + 2 * t);
    const double2 y = *top;
    const double f[4] = {y.x, 0, y.y, 0};
    double u[4] = {};
    multiply_16x8x8(u, f, v);
    *top = make_double2(u[0], u[1]);
    b[0] = -u[0];
    b[1] = -u[1];
  }
  /* Applies the panel l, at rows and columns r0 .. r0 + 7, to a tile: U = L11^-1 A1, A2 -= L21 U. */
  __device__ __forceinline__ void apply(double *tile, const double *l, const double *inverse, int r0) const
  {
    const int at_lane = lane % 4 * 2 * at.ld + lane / 4;
    const double *from = l + at_lane;
    double *to = tile + at_lane, b[2];
    solve(tile, inverse, r0, b);
    int i = r0 + W;
#pragma unroll 1
    for (; i + 24 < m; i += 32) subtract<2>(to + i, from + i, b);
    if (i + 8 < m) {
      subtract<1>(to + i, from + i, b);
      i += 16;
    }
    if (i < m) subtract_half(to + i, from + i, b);
    __syncwarp();
  }
  __device__ __forceinline__ void exchange(double *tile, const lu_moves *moves) const
  {
    const int e = lane % LU_MOVES, h = lane / LU_MOVES;
    const bool moves_some = e < moves->count;
    const int from = moves->from[e], to = moves->to[e];
    double v[W / 2];
#pragma unroll
    for (int i = 0; i < W / 2; i++)
      if (moves_some) v[i] = tile[(2 * i + h) * at.ld + from];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < W / 2; i++)
      if (moves_some) tile[(2 * i + h) * at.ld + to] = v[i];
    __syncwarp();
  }
  /* Inverts the unit triangle at row r0 of a tile, a column per lane. */
  __device__ __forceinline__ void invert(const double *tile, int r0, double *inverse) const
  {
    const int c = lane % W;
    double y[W];
#pragma unroll
    for (int i = 0; i < W; i++) y[i] = i == c ? 1.0 : 0.0;
#pragma unroll
    for (int j = 0; j + 1 < W; j++)
#pragma unroll
      for (int i = j + 1; i < W; i++) y[i] = fma(-tile[j * at.ld + r0 + i], y[j], y[i]);
#pragma unroll
    for (int i = 1; i < W; i++)
      if (lane < i) inverse[i * (i - 1) / 2 + c] = y[i];
  }
  /* Group i of 16 rows of this warp's tile as an accumulator: read from shared memory (get) or written to it (put). */
  __device__ __forceinline__ void get_group(int i, double (&d)[4]) const
  {
    const double *p = tile(warp) + lane % 4 * 2 * at.ld + lane / 4 + 16 * i;
#pragma unroll
    for (int e = 0; e < 4; e++) d[e] = 16 * i + e / 2 * 8 < m ? p[e / 2 * 8 + e % 2 * at.ld] : 0.0;
  }
  __device__ __forceinline__ void put_group(int i, const double (&d)[4]) const
  {
    double *p = tile(warp) + lane % 4 * 2 * at.ld + lane / 4 + 16 * i;
#pragma unroll
    for (int e = 0; e < 4; e++)
      if (16 * i + e / 2 * 8 < m) p[e / 2 * 8 + e % 2 * at.ld] = d[e];
  }
  /* Applies panels q and q + 1 to this warp's tile, whose rows from panel q on are in registers. */
  template <int GROUPS> __device__ __forceinline__ void apply_pair(double (&d)[GROUPS][4], const double *l, int q) const
  {
    const int ld = at.ld, r0 = q * W, first = q / 2, at_lane = lane % 4 * 2 * ld + lane / 4;
    double *own = tile(warp);
    const double *from = l + at_lane;
    double b[2][2];
#pragma unroll
    for (int i = 0; i < GROUPS; i++)
      if (i == first) put_group(i, d[i]);
    __syncwarp();
    solve(own, inverse(q), r0, b[0]);
    subtract_half(own + at_lane + r0 + W, from + r0 + W, b[0]);
    __syncwarp();
    solve(own, inverse(q + 1), r0 + W, b[1]);
#pragma unroll
    for (int i = 0; i < GROUPS; i += 2) {
      if (i + 1 <= first || 16 * i >= m) continue;
      double x[2][2][4];
#pragma unroll
      for (int h = 0; h < 2; h++)
#pragma unroll
        for (int p = 0; p < 2; p++)
#pragma unroll
          for (int e = 0; e < 4; e++)
            x[h][p][e] = i + h > first && 16 * (i + h) + e % 2 * 8 < m
                           ? from[16 * (i + h) + e % 2 * 8 + (W * p + e / 2) * ld]
                           : 0.0;
#pragma unroll
      for (int p = 0; p < 2; p++)
#pragma unroll
        for (int h = 0; h < 2; h++) multiply_16x8x8(d[i + h], x[h][p], b[p]);
    }
  }
  __device__ __forceinline__ void next_stage(int q, int done) const
  {
    if (at.buffers == 1) {
      __syncthreads();
      fetch_stage(q, done);
    }
    copy_wait<0>();
    __syncthreads();
    if (at.buffers > 1 && q + LU_STAGED < done) fetch_stage(q + LU_STAGED, done);
  }
  /* Reads column block J and applies the earlier blocks. */
  template <int R> __device__ __forceinline__ void update(int J)
  {
    fetch_tile(start(J) + W * warp, 0, where(-1));
    const int done = (min(max(start(J), 0), k) + W - 1) / W;
    if (done > 0 && at.buffers > 1) fetch_stage(0, done);
    if (done > 1) {
      double d[2 * R][4];
      copy_wait<0>();
      __syncwarp();
#pragma unroll
      for (int i = 0; i < 2 * R; i++) get_group(i, d[i]);
#pragma unroll 1
      for (int q = 0; q + 1 < done; q += 2) {
        next_stage(q, done);
        apply_pair(d, stage(q), q);
      }
#pragma unroll
      for (int i = 0; i < 2 * R; i++)
        if (i >= done / 2) put_group(i, d[i]);
      __syncwarp();
    }
    if (done % 2 == 1) {
      next_stage(done - 1, done);
      apply(tile(warp), stage(done - 1), inverse(done - 1), (done - 1) * W);
    }
    copy_wait<0>();
    __syncwarp();
  }
};

/* ------------------------------------------------------------------ the kernel */

/* R: rows per lane. */
template <int R> struct lu_tiles : lu_tiles_update {
  int *const ipiv;

  __device__ __forceinline__ lu_tiles(const lu_tiles_layout &at, double *a, int64_t lda, int m, int n, int *ipiv)
      : lu_tiles_update(at, a, lda, m, n), ipiv(ipiv)
  {
  }
  __device__ __forceinline__ void factor(int p, int r0)
  {
    lu_line *lines = reinterpret_cast<lu_line *>(memory() + at.lines) + 2 * p;
    const int rows = m - r0, count = min(k - r0, W);
    int bad;
    if (rows <= 16 * R)
      bad = lu_warp<R / 2>::factor(tile(p), at.ld, r0, m, count, lane, lines, moves(p), ipiv);
    else
      bad = lu_warp<R>::factor(tile(p), at.ld, r0, m, count, lane, lines, moves(p), ipiv);
    if (bad && lane == 0 && *info() == 0) *info() = bad;
    __syncwarp();
    exchange(tile(p), moves(p));
    invert(tile(p), r0, inverse(r0 / W));
  }
  __device__ __forceinline__ void factor_block(int J)
  {
    const int c0 = start(J), first = max(0, -c0 / W), panels = min((k - c0 + W - 1) / W, at.warps);
#pragma unroll 1
    for (int p = first; p < panels; p++) {
      const int r0 = c0 + W * p;
      if (warp == p) factor(p, r0);
      __syncthreads();
      if (warp <= p) continue;
      exchange(tile(warp), moves(p));
      apply(tile(warp), tile(p), inverse(r0 / W), r0);
    }
#pragma unroll 1
    for (int p = max(warp, first) + 1; p < panels; p++) exchange(tile(warp), moves(p));
    reorder(J, first, panels);
#pragma unroll 1
    for (int i = threadIdx.x; i < m; i += blockDim.x) order(J)[i] = (unsigned char)i;
  }
  /* Puts the rows of L into their final order. */
  __device__ __forceinline__ void finish(int blocks)
  {
    find_rows(blocks - 1);
#pragma unroll 1
    for (int K = 0; K + 1 < blocks; K++) {
      const int from = start(K + 1);
      fetch_tile(start(K) + W * warp, from, where(K));
      copy_wait<0>();
      __syncwarp();
      store(start(K), from);
    }
  }
  __device__ __forceinline__ int factor_matrix()
  {
    const int blocks = (k + missing + width - 1) / width;
    begin();
#pragma unroll 1
    for (int J = 0; start(J) < n; J++) {
      if (J > 0) find_rows(min(J, blocks));
      this->template update<R>(J);
      prefetch(start(J + 1));
      if (J < blocks) factor_block(J);
      store(start(J), 0);
    }
    finish(blocks);
    return *info();
  }
};

template <int R>
__global__ void __launch_bounds__(32 * LU_TILES_WARPS, 32 * R == LU_TILES_FEW_ROWS ? LU_TILES_BLOCKS : 2)
  getrf_panels_tc(const __grid_constant__ lu_tiles_layout layout, batch<double> a, int *__restrict__ ipiv, int npivots,
                  int *__restrict__ info)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = a.cols(b);
    int found = 0;
    if (m > 0 && n > 0) {
      lu_tiles<R> lu(layout, a.at(b), a.leading(b), m, n, ipiv + b * npivots);
      found = lu.factor_matrix();
      __syncthreads();
    }
    if (threadIdx.x == 0) info[b] = found;
  }
}

/* The layout for matrices of at most m x n: 2 warps for the smallest; two stages of L unless that costs a block per
 * SM. */
static inline lu_tiles_layout tiles_layout_of(const batched_matrix &a)
{
  if (a.m <= 72 && a.n <= 72) return lu_tiles_layout(a.m, a.n, LU_TILES_WARPS / 2, 1);
  const int blocks = a.m <= LU_TILES_FEW_ROWS ? LU_TILES_BLOCKS : 2;
  const lu_tiles_layout layout(a.m, a.n, LU_TILES_WARPS, 2);
  const bool fits = ((size_t)layout.bytes + 1024) * blocks <= most_shared() + 1024;
  return fits ? layout : lu_tiles_layout(a.m, a.n, LU_TILES_WARPS, 1);
}

static inline bool panels_tc_fit(const batched_matrix &a)
{
  return a.m <= LU_TILES_ROWS && (size_t)tiles_layout_of(a).bytes <= most_shared();
}

static inline int launch_getrf_panels_tc(batched_ctx *ctx, const batched_getrf_args &p)
{
  const lu_tiles_layout layout = tiles_layout_of(p.a);
  const auto kernel =
    p.a.m <= LU_TILES_FEW_ROWS ? getrf_panels_tc<LU_TILES_FEW_ROWS / 32> : getrf_panels_tc<LU_TILES_ROWS / 32>;
  return launch(ctx, kernel, p.a.count, 32 * layout.warps, (size_t)layout.bytes, layout, view<double>(p.a), p.ipiv,
                p.a.m < p.a.n ? p.a.m : p.a.n, p.info);
}

} // namespace batched_cuda::lu

#endif
