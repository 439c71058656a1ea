/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.tile_tc of gemm and syrk, and cuda.narrow_tc of gemm: C in tiles, in double precision on the tensor cores,
 * operands by the bulk copy engine through tensor maps.  Operands that a tensor map can't describe, and complex
 * numbers, go through gemm_tile.cuh.
 *
 * Sections: shapes and slices; the ring and the tiles of a block; the kernel; on the host.
 */
#ifndef BATCHED_PRODUCTS_CUDA_GEMM_TILE_TC_CUH
#define BATCHED_PRODUCTS_CUDA_GEMM_TILE_TC_CUH

#include <numeric>

#include "batched/cuda/mma.cuh"
#include "batched/cuda/side_stream.cuh"
#include "batched/products/cuda/gemm_operands.cuh"

namespace batched_cuda::products
{

/* Boxes of 16 x `box`, of lines of 128 bytes. */
static inline bool make_map(CUtensorMap *map, const batch<double> &x, int rows, int cols, int box)
{
  return make_map(map, x, rows, cols, 16, box, CU_TENSOR_MAP_SWIZZLE_128B);
}

/* ------------------------------------------------------------------ shapes, and slices in shared memory */

/* A block's tile is BM x BN, a warp's WM x WN; STAGES slices are held, BLOCKS blocks share a multiprocessor.  Where BN
 * is no multiple of 16, k has to be the fast index of B. */
template <int BM, int BN, int WM, int WN, int STAGES, int BLOCKS> struct bulk_shape {
  static constexpr int bm = BM, bn = BN, wm = WM, wn = WN, stages = STAGES, blocks = BLOCKS;
  static constexpr int warps_m = BM / WM, warps = warps_m * (BN / WN), threads = 32 * warps;
  /* Warps that share a scheduler have different rows and columns, so that a tile over the edge of C keeps all four
   * busy. */
  static constexpr bool turned = 4 % warps_m == 0;
  static constexpr int a_bytes = BM * 128, stage_bytes = (BM + BN) * 128;
  static constexpr size_t shared = 1024 + (size_t)stages * (stage_bytes + 16);
  /* Two blocks may share a tile's columns where k is the fast index of B; elsewhere registers are too few. */
  template <bool kb> static constexpr bool can_halve = BN / 2 % WN == 0 ? kb : false;
  static_assert(BM % WM == 0 && BN % WN == 0 && WM % 16 == 0 && WN % 8 == 0 && BN % 8 == 0, "");
  static constexpr int pairs = WN / 16; /* of products, and there may be a lone one */
  static constexpr bool has_lone = WN % 16 != 0;
  static constexpr bool copies_b = false;                                    /* by threads */
  static constexpr int boxes_b = BN % 16 == 0 ? 2 : 1, box_b = BN / boxes_b; /* where k is the fast index of B */
};

/* A slice is 16 deep.  In shared memory it lies in lines of 128 bytes: 16 of k for each x (k fast), or for 16 of x 16
 * lines, one for each k.  Chunk c of 16 bytes of line l is at c ^ (l % 8), as the copy engine can do it. */
template <bool k_fast> static DEVICE unsigned slice_offset(int k, int x)
{
  return (unsigned)(k_fast ? x * 128 + ((k / 2) ^ (x % 8)) * 16 + k % 2 * 8
                           : x / 16 * 2048 + k * 128 + ((x % 16 / 2) ^ (k % 8)) * 16 + x % 2 * 8);
}

static __device__ __forceinline__ double2 load2(unsigned from)
{
  double2 v;
  asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(v.x), "=d"(v.y) : "r"(from));
  return v;
}
static __device__ __forceinline__ double load1(unsigned from)
{
  double v;
  asm volatile("ld.shared.f64 %0, [%1];" : "=d"(v) : "r"(from));
  return v;
}

/* Reads of slices by lanes 4 g + t of a warp.  mma wants a lane's numbers in consecutive registers (rows first in A),
 * and moving them there takes longer than the products; so pairs are read where they are neighbours in that order, and
 * single numbers where not.  Number s of a lane is that of k = 8 q + 2 t + s, or 8 q + t + 4 s where k is the fast
 * index of A; lanes that read at once have no bank conflicts. */

/* Rows of A, k slow: two at a time. */
struct row_pairs {
  unsigned at[2];

  static DEVICE int place(int g, int h) /* which of 16 rows is element h of g */
  {
    return 2 * g + h;
  }
  __device__ __forceinline__ row_pairs(int g, int t)
  {
#pragma unroll
    for (int s = 0; s < 2; s++) at[s] = slice_offset<false>(2 * t + s, place(g, 0));
  }
  __device__ __forceinline__ void rows(double x[4], unsigned from, int q) const
  {
#pragma unroll
    for (int s = 0; s < 2; s++) {
      const double2 w = load2(from + at[s] + 1024 * q);
      x[2 * s] = w.x, x[2 * s + 1] = w.y;
    }
  }
};

/* Columns of B, k fast, where k is slow in A: two of k at a time. */
struct k_pairs {
  unsigned at[2];

  static DEVICE int place(int g, int h)
  {
    return (g >> 1) + 4 * (g & 1) + 8 * h;
  }
  static DEVICE int lone_place(int g, int half) /* and if a warp has only the first or second 8 of 16 */
  {
    return place(g, half);
  }
  __device__ __forceinline__ k_pairs(int g, int t, int)
  {
#pragma unroll
    for (int q = 0; q < 2; q++) at[q] = slice_offset<true>(8 * q + 2 * t, place(g, 0));
  }
  __device__ __forceinline__ void column(double y[2], unsigned from, int q, int h) const
  {
    const double2 w = load2(from + at[q] + 1024 * h);
    y[0] = w.x, y[1] = w.y;
  }
  __device__ __forceinline__ void lone_column(double y[2], unsigned from, int q) const
  {
    column(y, from, q, 0);
  }
};

/* Rows or columns, number by number; `spread`: k = t + 4 s. */
template <bool k_fast, bool spread> struct singles {
  static_assert(spread || !k_fast, "");
  unsigned at[2][2], lone[2]; /* the lone one's, unless it only has another start */

  static DEVICE int place(int g, int h)
  {
    return k_fast ? 2 * (g % 4) + g / 4 + 8 * h : spread ? g % 2 + g / 2 % 2 * 8 + g / 4 * 2 + 4 * h : g + 8 * h;
  }
  static DEVICE int lone_place(int g, int half)
  {
    return k_fast ? place(g, half) : g + 8 * half;
  }
  __device__ __forceinline__ singles(int g, int t, int half = 0)
  {
#pragma unroll
    for (int s = 0; s < 2; s++) {
      const int k = spread ? t + 4 * s : 2 * t + s;
#pragma unroll
      for (int i = 0; i < 2; i++)
        at[s][i] = k_fast ? slice_offset<true>(k + 8 * i, place(g, 0)) : slice_offset<false>(k, place(g, i));
      if (!k_fast) lone[s] = slice_offset<false>(k, lone_place(g, half));
    }
  }
  __device__ __forceinline__ double number(unsigned from, int q, int h, int s) const
  {
    return k_fast ? load1(from + at[s][q] + 1024 * h) : load1(from + at[s][h] + 1024 * q);
  }
  __device__ __forceinline__ void rows(double x[4], unsigned from, int q) const
  {
#pragma unroll
    for (int i = 0; i < 4; i++) x[i] = number(from, q, i % 2, i / 2);
  }
  __device__ __forceinline__ void column(double y[2], unsigned from, int q, int h) const
  {
#pragma unroll
    for (int s = 0; s < 2; s++) y[s] = number(from, q, h, s);
  }
  __device__ __forceinline__ void lone_column(double y[2], unsigned from, int q) const
  {
#pragma unroll
    for (int s = 0; s < 2; s++) y[s] = k_fast ? number(from, q, 0, s) : load1(from + lone[s] + 1024 * q);
  }
};

template <bool ka> using rows_of = std::conditional_t<ka, singles<true, true>, row_pairs>;
template <bool ka, bool kb> using columns_of = std::conditional_t<kb && !ka, k_pairs, singles<kb, ka>>;

/* d += A B, 8 deep; the lone product's columns are from `lone` on.  The order of the sum is that of gemm_tile.cuh: both
 * kernels give the same bits. */
template <class S, class A, class B>
__device__ __forceinline__ void multiply_eight(double d[S::wm / 16][S::wn / 8][4], const A &a, const B &b, unsigned as,
                                               unsigned bs, unsigned lone, int q)
{
  double x[S::wm / 16][4];
#pragma unroll
  for (int i = 0; i < S::wm / 16; i++) a.rows(x[i], as + 2048 * i, q);
#pragma unroll
  for (int j = 0; j < S::wn / 8; j++) {
    double y[2];
    if (j < 2 * S::pairs)
      b.column(y, bs + 2048 * (j / 2), q, j % 2);
    else
      b.lone_column(y, lone, q);
#pragma unroll
    for (int i = 0; i < S::wm / 16; i++) multiply_16x8x8(d[i][j], x[i], y);
  }
}

/* Stores a warp's part of C, at (i0, j0), the lone product's columns from `lone` on; two rows at a time where a lane
 * has neighbours and C is aligned.  inside: all of it is in C, and wanted; then up to 16 columns of C are read before
 * one of them is written, since loads behind stores would wait for memory one by one. */
template <class S, bool ka, class A, class B>
__device__ __forceinline__ void store_part(const product<double> &p, const double d[S::wm / 16][S::wn / 8][4],
                                           double *c, int64_t ld, int i0, int j0, int lone, int half, bool inside)
{
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, m = p.c.m, n = p.c.n;
  const bool reads = p.beta != 0;
  const bool pairs = !ka && (reinterpret_cast<uintptr_t>(c) | (uintptr_t)ld * 8) % 16 == 0;
  const auto row_of = [&](int i) { return i0 + 16 * i + A::place(g, 0); };
  const auto col_of = [&](int j, int e) {
    return j == 2 * S::pairs ? lone + B::lone_place(2 * t + e, half) : j0 + j / 2 * 16 + B::place(2 * t + e, j % 2);
  };
  if (pairs && inside) {
    constexpr int once = S::wm > 32 ? 1 : 2; /* as registers allow */
#pragma unroll
    for (int first = 0; first < S::wn / 8; first += once) {
      double2 old[once][2][S::wm / 16] = {};
#pragma unroll
      for (int j = first; j < first + once && j < S::wn / 8 && reads; j++)
#pragma unroll
        for (int e = 0; e < 2; e++)
#pragma unroll
          for (int i = 0; i < S::wm / 16; i++)
            old[j - first][e][i] = *reinterpret_cast<const double2 *>(c + row_of(i) + col_of(j, e) * ld);
#pragma unroll
      for (int j = first; j < first + once && j < S::wn / 8; j++)
#pragma unroll
        for (int e = 0; e < 2; e++)
#pragma unroll
          for (int i = 0; i < S::wm / 16; i++) {
            const double2 was = old[j - first][e][i];
            const int row = row_of(i), col = col_of(j, e);
            __stcs(reinterpret_cast<double2 *>(c + row + col * ld),
                   double2{p.result(d[i][j][e], was.x, row, col), p.result(d[i][j][2 + e], was.y, row + 1, col)});
          }
    }
    return;
  }
#pragma unroll
  for (int j = 0; j < S::wn / 8; j++)
#pragma unroll
    for (int e = 0; e < 2; e++) {
      const int col = col_of(j, e);
      if (col >= n) continue;
#pragma unroll
      for (int i = 0; i < S::wm / 16; i++) {
        const int row = row_of(i);
        double *at = c + row + col * ld;
        if (pairs && p.which == WHOLE && row + 1 < m) {
          double2 v = {d[i][j][e], d[i][j][2 + e]};
          const double2 old = reads ? *reinterpret_cast<double2 *>(at) : v;
          *reinterpret_cast<double2 *>(at) = {p.result(v.x, old.x, row, col), p.result(v.y, old.y, row + 1, col)};
        } else {
#pragma unroll
          for (int h = 0; h < 2; h++) {
            const int dr = A::place(0, h);
            const double v = d[i][j][2 * h + e];
            if (row + dr < m && p.is_wanted(row + dr, col)) at[dr] = p.result(v, reads ? at[dr] : v, row + dr, col);
          }
        }
      }
    }
}

/* ------------------------------------------------------------------ the ring of slices, and the tiles of a block */

/* A place in the ring, and the parity of the phase to wait for there. */
template <int STAGES> struct ring_place {
  int stage = 0, parity;
  __device__ __forceinline__ void next()
  {
    stage = stage + 1 == STAGES ? 0 : stage + 1;
    parity ^= stage == 0;
  }
};

/* The tiles of all matrices, and a block's step to its next one.  The last ones, if fewer than half of the blocks, are
 * halved: from tile last_tile of matrix last_matrix on. */
struct tile_grid {
  int tiles_m, tiles, step_matrix, step_tile, last_matrix, last_tile;
};

/* A block's tiles in order, those outside of the wanted triangle of C left out.  At most INT_MAX matrices. */
template <class S, bool halves> struct tile_walk {
  int matrix, tile;
  int half = 0; /* 1, 2: the first, or the second half of the tile's columns alone */

  __device__ __forceinline__ tile_walk(const product<double> &p, const tile_grid &g)
      : matrix((int)(blockIdx.x / g.tiles)), tile((int)(blockIdx.x % g.tiles))
  {
    find(p, g);
  }
  __device__ __forceinline__ bool has(int column) const
  {
    return !halves || half == 0 || (column < S::bn / 2) == (half == 1);
  }
  __device__ __forceinline__ bool is_over(const product<double> &p) const
  {
    return (unsigned)matrix >= (unsigned)p.c.count;
  }
  __device__ __forceinline__ int i0(const tile_grid &g) const
  {
    return tile % g.tiles_m * S::bm;
  }
  __device__ __forceinline__ int j0(const tile_grid &g) const
  {
    return tile / g.tiles_m * S::bn;
  }
  __device__ __forceinline__ void next(const product<double> &p, const tile_grid &g)
  {
    step(g);
    find(p, g);
  }

private:
  __device__ __forceinline__ void step(const tile_grid &g)
  {
    matrix += g.step_matrix, tile += g.step_tile;
    if (tile >= g.tiles) matrix++, tile -= g.tiles;
  }
  __device__ __forceinline__ void find(const product<double> &p, const tile_grid &g)
  {
    if (p.which == WHOLE) {
      if (halves) halve(p, g);
      return;
    }
    while (!is_over(p) && !(p.which == LOWER_PART ? i0(g) + S::bm > j0(g) : i0(g) < j0(g) + S::bn)) step(g);
  }
  __device__ __forceinline__ void halve(const product<double> &p, const tile_grid &g)
  {
    if (matrix < g.last_matrix || (matrix == g.last_matrix && tile < g.last_tile)) return;
    const int at = g.last_tile + (int)blockIdx.x / 2;
    matrix = half ? (int)p.c.count : g.last_matrix + at / g.tiles;
    tile = at % g.tiles;
    half = 1 + (int)blockIdx.x % 2;
  }
};

/* Lets the copy engine fetch slice k0 of an operand's x from x0 on, in boxes of `each` x. */
template <int each, bool k_fast>
__device__ __forceinline__ void load_slice(const CUtensorMap *map, unsigned to, int boxes, int x0, int k0, int matrix,
                                           unsigned barrier)
{
  for (int i = 0; i < boxes; i++)
    bulk_load_box(to + 128 * each * i, map, k_fast ? k0 : x0 + each * i, k_fast ? x0 + each * i : k0, matrix, barrier);
}

/* Copies slice k0 of op(B) by one warp; elements beyond it become 0. */
template <bool k_fast>
__device__ __forceinline__ void copy_narrow_slice(const product<double> &p, unsigned to, int k0, int matrix)
{
  const double *b = p.b.at(matrix);
  const int64_t ld = p.b.ld;
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 16; i++) {
    const int k = k_fast ? lane % 16 : i, x = k_fast ? 2 * i + lane / 16 : lane;
    copy_async(to + slice_offset<k_fast>(k, x), b + (k_fast ? k0 + k + x * ld : x + (k0 + k) * ld),
               k0 + k < p.a.n && x < p.c.n);
  }
}

/* The producer: fetches one slice after the other, of one tile after the other. */
template <class S, bool ka, bool kb> struct slice_feed {
  static constexpr int each_a = ka ? S::bm : 16, each_b = kb ? S::box_b : 16;
  tile_walk<S, S::template can_halve<kb>> tile;
  int slice = 0;
  ring_place<S::stages> at = {0, 1}; /* the stages are empty */

  /* Called by all threads; thread `mine` lets the copy engine fetch, and its warp copies what threads have to copy.
   * shared: the ring, then its barriers `full` and `empty`. */
  __device__ __forceinline__ void next(const product<double> &p, const tile_grid &g, const CUtensorMap *map_a,
                                       const CUtensorMap *map_b, unsigned shared, int slices, bool mine, bool my_warp)
  {
    if (tile.is_over(p)) return;
    if (mine) {
      const int i0 = tile.i0(g), j0 = tile.j0(g);
      const int boxes_a = ka ? 1 : min(S::bm / 16, (p.c.m - i0 + 15) / 16);
      const int boxes_b = kb ? S::boxes_b - (tile.half != 0) : min(S::bn / 16, (p.c.n - j0 + 15) / 16);
      const int first_b = kb && tile.half == 2;
      const unsigned to = shared + at.stage * S::stage_bytes, full = shared + S::stages * S::stage_bytes + 8 * at.stage;
      barrier_wait(full + 8 * S::stages, at.parity);
      barrier_arrive_expecting(full, 128 * (each_a * boxes_a + (S::copies_b ? 0 : each_b * boxes_b)));
      load_slice<each_a, ka>(map_a, to, boxes_a, i0, 16 * slice, p.a.stride ? tile.matrix : 0, full);
      if (!S::copies_b)
        load_slice<each_b, kb>(map_b, to + S::a_bytes + 128 * each_b * first_b, boxes_b, j0 + each_b * first_b,
                               16 * slice, p.b.stride ? tile.matrix : 0, full);
    }
    if (S::copies_b && my_warp) {
      const unsigned full = shared + S::stages * S::stage_bytes + 8 * at.stage;
      barrier_wait(full + 8 * S::stages, at.parity);
      copy_narrow_slice<kb>(p, shared + at.stage * S::stage_bytes + S::a_bytes, 16 * slice, tile.matrix);
      barrier_arrive_copied(full);
    }
    at.next();
    if (++slice < slices) return;
    slice = 0;
    tile.next(p, g);
  }
};

/* A warp is done with a slice.  Where threads will write to its place, each lane arrives for itself, as each that
 * copies there waits for it: racecheck does not see that one lane, before or behind a barrier of the warp, arrives for
 * all. */
template <class S> __device__ __forceinline__ void leave_slice(unsigned empty)
{
  if (!S::copies_b) __syncwarp();
  if (S::copies_b || threadIdx.x % 32 == 0) barrier_arrive(empty);
}

/* ------------------------------------------------------------------ the kernel */

/* C = alpha op(A) op(B) + beta C, or a triangle of it.
 *   algorithm  warp-specialised by turns: the warps take turns in letting the bulk copy engine (TMA) fetch slices of 16
 *              of k, tile after tile, into a ring of STAGES in shared memory; warps wait for slices, never for each
 *              other, so that some store C while others go on to the next tile
 *   grid       persistent, BLOCKS per multiprocessor that is not reserved (side_stream.cuh)
 *   registers  WM WN / 32 doubles of C per lane, and as `blocks` allows
 *   shared     STAGES (BM + BN) 128 bytes, swizzled as the copy engine does
 *   takes      double; uniform strided batches with addresses, leading dimensions and strides of 16 bytes (bulk_fits)
 *   memory     A and B once per tile that they meet, C once from (beta != 0) and to global memory
 *   accuracy   sums in the order of gemm_tile.cuh's tensor core kernel, bit by bit
 * A stage is refilled two slices after the producing warp has left it, by when the others have left it, too, as a
 * rule. */
template <class S, bool ka, bool kb>
__global__ void __launch_bounds__(S::threads, S::blocks)
  bulk_kernel(const __grid_constant__ product<double> p, const __grid_constant__ CUtensorMap map_a,
              const __grid_constant__ CUtensorMap map_b, int depth, const tile_grid grid)
{
  const unsigned shared = (shared_address(shared_array<double>()) + 1023) / 1024 * 1024;
  const unsigned full = shared + S::stages * S::stage_bytes, empty = full + 8 * S::stages;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, slices = (depth + 15) / 16;
  if (threadIdx.x == 0) {
    for (int s = 0; s < S::stages; s++) {
      barrier_init(full + 8 * s, S::copies_b ? 33 : 1);
      barrier_init(empty + 8 * s, S::copies_b ? S::threads : S::warps);
    }
    barrier_init_fence();
  }
  __syncthreads();
  using walk = tile_walk<S, S::template can_halve<kb>>;
  slice_feed<S, ka, kb> feed = {walk(p, grid)};
  for (int s = 0; s < S::stages - 2; s++)
    feed.next(p, grid, &map_a, &map_b, shared, slices, threadIdx.x == 0, warp == 0);

  const int wi = (warp + (S::turned ? warp / 4 : 0)) % S::warps_m * S::wm, wj = warp / S::warps_m * S::wn;
  /* columns of the pairs of products, and of the lone one */
  const int half = S::has_lone ? wj / 8 % 2 : 0, pj = wj + 8 * half, lone = half ? wj - 8 : wj + 16 * S::pairs;
  using A = rows_of<ka>;
  using B = columns_of<ka, kb>;
  const A a(lane / 4, lane % 4);
  const B b(lane / 4, lane % 4, half);
  const unsigned lone_at = lone * 128 + (kb ? 1024 * half : 0);
  ring_place<S::stages> at = {0, 0};
  int turn = 0; /* the producing warp */
  for (walk tile(p, grid); !tile.is_over(p); tile.next(p, grid)) {
    const int i0 = tile.i0(grid) + wi, j0 = tile.j0(grid) + wj;
    const bool idle = i0 >= p.c.m || j0 >= p.c.n || !tile.has(wj) || (p.which == LOWER_PART && i0 + S::wm <= j0) ||
                      (p.which == UPPER_PART && i0 >= j0 + S::wn);
    double d[S::wm / 16][S::wn / 8][4] = {};
#pragma unroll 1
    for (int s = 0; s < slices; s++, at.next()) {
      feed.next(p, grid, &map_a, &map_b, shared, slices, warp == turn && lane == 0, warp == turn);
      turn = turn + 1 == S::warps ? 0 : turn + 1;
      const unsigned as = shared + at.stage * S::stage_bytes + wi * 128;
      const unsigned bs = shared + at.stage * S::stage_bytes + S::a_bytes;
      barrier_wait(full + 8 * at.stage, at.parity);
      if (!idle) {
        multiply_eight<S>(d, a, b, as, bs + pj * 128, bs + lone_at, 0);
        if (depth - 16 * s > 8) multiply_eight<S>(d, a, b, as, bs + pj * 128, bs + lone_at, 1);
      }
      leave_slice<S>(empty + 8 * at.stage);
    }
    const bool wanted = p.which == WHOLE || (p.which == LOWER_PART ? i0 + 1 >= j0 + S::wn : i0 + S::wm <= j0 + 1);
    if (!idle)
      store_part<S, ka, A, B>(p, d, p.c.at(tile.matrix), p.c.ld, i0, j0 + pj - wj, j0 + lone - wj, half,
                              i0 + S::wm <= p.c.m && j0 + S::wn <= p.c.n && wanted);
  }
}

/* ------------------------------------------------------------------ on the host */

template <class S, bool ka, bool kb> int launch_bulk(batched_ctx *ctx, const product<double> &p, int depth)
{
  CUtensorMap map_a, map_b = {};
  const int m = p.c.m, n = p.c.n;
  if (!make_map(&map_a, p.a, ka ? depth : m, ka ? m : depth, ka ? S::bm : 16) ||
      (!S::copies_b && !make_map(&map_b, p.b, kb ? depth : n, kb ? n : depth, kb ? S::box_b : 16)))
    return BATCHED_DOES_NOT_FIT;
  const int64_t tiles_m = ceil_div(m, S::bm), tiles_n = ceil_div(n, S::bn), work = tiles_m * tiles_n * p.c.count;
  const int64_t room = S::blocks * free_multiprocessors(ctx);
  const int tiles = (int)(tiles_m * tiles_n);
  const bool halves = S::template can_halve<kb> && p.which == WHOLE;
  const int64_t parts = halves ? 2 * work : work;
  int blocks = (int)(parts < room ? parts : room);
  /* Edge tiles are cheaper; spread them so that every block gets some. */
  if (m % S::bm != 0 || n % S::bn != 0 || p.which != WHOLE)
    while (blocks < work && std::gcd(blocks, tiles) != 1) blocks--;
  const int64_t rest = work % blocks, last = work - rest;
  const int last_matrix = halves && 2 * rest <= blocks ? (int)(last / tiles) : INT_MAX;
  const tile_grid grid = {(int)tiles_m, tiles, blocks / tiles, blocks % tiles, last_matrix, (int)(last % tiles)};
  return launch(ctx, bulk_kernel<S, ka, kb>, blocks, S::threads, S::shared, p, map_a, map_b, depth, grid);
}

/* op(B) = B alone */
template <class S> int launch_bulk_rows(batched_ctx *ctx, const product<double> &p, int depth)
{
  return p.transa ? launch_bulk<S, true, true>(ctx, p, depth) : launch_bulk<S, false, true>(ctx, p, depth);
}

template <class S> int launch_bulk(batched_ctx *ctx, const product<double> &p, int depth)
{
  if (p.transa)
    return p.transb ? launch_bulk<S, true, false>(ctx, p, depth) : launch_bulk<S, true, true>(ctx, p, depth);
  return p.transb ? launch_bulk<S, false, false>(ctx, p, depth) : launch_bulk<S, false, true>(ctx, p, depth);
}

} // namespace batched_cuda::products

#endif
