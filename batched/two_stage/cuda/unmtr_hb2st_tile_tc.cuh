/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.tile_tc of unmtr_hb2st: parallelograms of reflectors, those of a block row of 16 sweeps, as one product
 * I - V W^H, W = V T, on the tensor cores, V and W being 31 x 16.  Sweeps go in groups that begin with sweep 15, 31,
 * ..., so that a group's rows begin with a multiple of 16.  A first kernel forms V and W of all blocks, as the tensor
 * cores take them.  Then a block of the grid has columns of C, or rows, and goes through them once per four
 * neighbouring groups: their blocks begin 16 rows below each other, so that the later one is done with the rows that
 * they share, or, for Q2^H, the earlier one.  C^T stays in registers from one block row to the next, which has all but
 * 16 of its rows.
 *
 *   grid       forming: a block per matrix and group; a block per 64 columns of C
 *   block      4 warps; of 16 columns each
 *   shared     forming: V, W and V^H V of four warps, 42 kB; V and W of eight blocks, which come by bulk copies: 64 kB
 *   registers  80 rows of 16 columns per warp, and the 16 rows that come next; three blocks per multiprocessor
 *   takes      d, kd = 16, n <= 8192
 *   reads      v once; C, and writes it, n / 64 times, V and W once per block of the grid
 *   memory     32 n^2 bytes per matrix in scratch memory, up to 2 GB at a time
 *   accuracy   that of reflectors in compact WY form; the bits do not depend on the columns of a block
 */
#ifndef BATCHED_TWO_STAGE_CUDA_UNMTR_HB2ST_TILE_TC_CUH
#define BATCHED_TWO_STAGE_CUDA_UNMTR_HB2ST_TILE_TC_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/cuda/mma.cuh"
#include "batched/two_stage/cuda/hb2st.cuh"

namespace batched_cuda::two_stage
{

struct unmtr_hb2st_tc_task {
  bool left;
  batch<double> v, c;
  double *blocks; /* of matrix 0 of these, and from one matrix to the next */
  int64_t stride, first, count;
};

/* Sweeps of a group, which are as many as diagonals; rows of a block of reflectors; its numbers: 8 tiles of V^H or W^H,
 * and 8 of W or V, of 8 x 8, each as two neighbours of a row per lane. */
enum { WY_WIDTH = 16, WY_ROWS = 32, WY_NUMBERS = 2 * WY_WIDTH * WY_ROWS };

/* Groups at a time; warps of a block of the grid, their tiles of 8 columns, and columns in all. */
enum { WY_GROUPS = 4, WY_WARPS = 4, WY_TILES = 2, WY_COLUMNS = 8 * WY_TILES * WY_WARPS };

/* Groups of sweeps, and block rows, of order n. */
static __host__ __device__ __forceinline__ int wy_groups(int n)
{
  return (n - 1) / WY_WIDTH + 1;
}

/* The block of a group and a block row of the matrix, row >= group. */
static __host__ __device__ __forceinline__ int64_t wy_block(int groups, int group, int row)
{
  return (int64_t)group * groups - (int64_t)group * (group - 1) / 2 + row - group;
}

struct wy_memory {
  double v[WY_WIDTH][WY_ROWS + 1], w[WY_WIDTH][WY_ROWS + 1], gram[WY_WIDTH][WY_WIDTH];
};

/* V and W = V T of the block by a warp, a row each: T = (I + D U)^-1 D, D = diag(tau), U what is above the diagonal of
 * V^H V. */
static __device__ __forceinline__ void form_block(wy_memory &m, const double *v, int64_t ld, int n, int s0, int row)
{
  const int i = threadIdx.x % 32;
  double y[WY_WIDTH], tau[WY_WIDTH];
#pragma unroll
  for (int q = 0; q < WY_WIDTH; q++) {
    const int s = s0 + q;
    const bool there = s >= 0 && s < n - 1 && i >= q && i < q + WY_WIDTH && row + i < n;
    y[q] = there ? v[row + i + s * ld] : 0.0;
  }
#pragma unroll
  for (int q = 0; q < WY_WIDTH; q++) {
    tau[q] = __shfl_sync(~0u, y[q], q);
    if (i == q) y[q] = s0 + q >= 0;
    m.v[q][i] = y[q];
  }
  __syncwarp();
#pragma unroll 1
  for (int e = i; e < WY_WIDTH * WY_WIDTH; e += 32) {
    const int p = e / WY_WIDTH, q = e % WY_WIDTH;
    double sum = 0;
    if (p < q)
      for (int l = q; l < p + WY_WIDTH; l++) sum += m.v[p][l] * m.v[q][l];
    m.gram[p][q] = sum;
  }
  __syncwarp();
#pragma unroll
  for (int p = 0; p < WY_WIDTH; p++) {
    y[p] *= tau[p];
#pragma unroll
    for (int q = p + 1; q < WY_WIDTH; q++) y[q] -= y[p] * m.gram[p][q];
    m.w[p][i] = y[p];
  }
  __syncwarp();
}

/* Tile (r, s): rows 8 r .. 8 r + 7 of V or W, and columns 8 s .. 8 s + 7. */
template <bool ADJOINT>
static __global__ void __launch_bounds__(128) form_blocks_tc(const __grid_constant__ unmtr_hb2st_tc_task g, int most)
{
  __shared__ wy_memory memory[4];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, i = lane / 4, t = lane % 4;
  wy_memory &m = memory[warp];
  const double(*const first)[WY_ROWS + 1] = ADJOINT ? m.w : m.v, (*const second)[WY_ROWS + 1] = ADJOINT ? m.v : m.w;
  for (int64_t unit = blockIdx.x; unit < g.count * most; unit += gridDim.x) {
    const int64_t b = g.first + unit / most;
    const int group = (int)(unit % most), n = g.left ? g.c.rows(b) : g.c.cols(b), groups = wy_groups(n);
    if (n < 2) continue;
    for (int row = group + warp; row < groups; row += 4) {
      form_block(m, g.v.at(b), g.v.leading(b), n, group * WY_WIDTH - 1, row * WY_WIDTH);
      double2 *const out = (double2 *)(g.blocks + (b - g.first) * g.stride + wy_block(groups, group, row) * WY_NUMBERS);
#pragma unroll
      for (int r = 0; r < 4; r++)
#pragma unroll
        for (int s = 0; s < 2; s++) {
          out[(2 * r + s) * 32 + lane] =
            make_double2(first[8 * s + i][8 * r + 2 * t], first[8 * s + i][8 * r + 2 * t + 1]);
          out[(8 + 2 * r + s) * 32 + lane] =
            make_double2(second[8 * s + 2 * t][8 * r + i], second[8 * s + 2 * t + 1][8 * r + i]);
        }
      __syncwarp();
    }
  }
}

/* Columns 8 c + g of the warp, c = 0..C-1, rows 8 r + 2 t and the next one, r = 0..R-1, for lane 4 g + t. */
template <int C, int R> using wy_tile = double[C][R][2];

/* 16 rows of X from `row` on, a multiple of 16. */
template <int C> struct wy_columns {
  double *at; /* element (0, 0) of the warp's columns */
  int64_t down, right;
  int n, cols;
  bool pairs; /* two rows lie side by side, aligned as double2, and n is even */

  __device__ __forceinline__ void load(int row, wy_tile<C, 2> &x) const
  {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int c = 0; c < C; c++)
#pragma unroll
      for (int r = 0; r < 2; r++) {
        const int i = row + 8 * r + 2 * t, j = 8 * c + g;
        if (pairs) {
          const double2 both = i < n && j < cols ? *(const double2 *)(at + i + j * right) : make_double2(0, 0);
          x[c][r][0] = both.x, x[c][r][1] = both.y;
        } else {
          x[c][r][0] = i < n && j < cols ? at[i * down + j * right] : 0.0;
          x[c][r][1] = i + 1 < n && j < cols ? at[(i + 1) * down + j * right] : 0.0;
        }
      }
  }
  /* Tiles R0 and R0 + 1 of x. */
  template <int R0, int R> __device__ __forceinline__ void store(int row, const wy_tile<C, R> &x) const
  {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int c = 0; c < C; c++)
#pragma unroll
      for (int r = 0; r < 2; r++) {
        const int i = row + 8 * r + 2 * t, j = 8 * c + g;
        if (j >= cols) continue;
        const double first = x[c][R0 + r][0], second = x[c][R0 + r][1];
        if (pairs) {
          if (i < n) *(double2 *)(at + i + j * right) = make_double2(first, second);
        } else {
          if (i < n) at[i * down + j * right] = first;
          if (i + 1 < n) at[(i + 1) * down + j * right] = second;
        }
      }
  }
};

/* X^T -= (X^T first^T) second^T on tiles R0 .. R0 + 3 of 8 rows.  Tiles of V and W that are zero are left out. */
template <bool ADJOINT, int R0, int C, int R>
static __device__ __forceinline__ void apply_block(const double *block, wy_tile<C, R> &x)
{
  const double2 *const tiles = reinterpret_cast<const double2 *>(block) + threadIdx.x % 32;
  wy_tile<C, 2> w = {};
#pragma unroll
  for (int r = 0; r < 4; r++)
#pragma unroll
    for (int s = 0; s < 2; s++) {
      if ((r == 3 && s == 0) || (!ADJOINT && r == 0 && s == 1)) continue;
      const double2 b = tiles[(2 * r + s) * 32];
#pragma unroll
      for (int c = 0; c < C; c += 2)
        multiply_two_8x8(w[c][s][0], w[c][s][1], w[c + 1][s][0], w[c + 1][s][1], x[c][R0 + r][0], x[c][R0 + r][1],
                         x[c + 1][R0 + r][0], x[c + 1][R0 + r][1], b.x, b.y);
    }
#pragma unroll
  for (int r = 0; r < 4; r++)
#pragma unroll
    for (int s = 0; s < 2; s++) {
      if ((r == 3 && s == 0) || (ADJOINT && r == 0 && s == 1)) continue;
      const double2 b = tiles[(8 + 2 * r + s) * 32];
#pragma unroll
      for (int c = 0; c < C; c += 2)
        multiply_two_8x8(x[c][R0 + r][0], x[c][R0 + r][1], x[c + 1][R0 + r][0], x[c + 1][R0 + r][1], w[c][s][0],
                         w[c][s][1], w[c + 1][s][0], w[c + 1][s][1], -b.x, -b.y);
    }
}

template <int R0, int C, int R>
static __device__ __forceinline__ void put_rows(wy_tile<C, R> &x, const wy_tile<C, 2> &y)
{
#pragma unroll
  for (int c = 0; c < C; c++)
#pragma unroll
    for (int e = 0; e < 4; e++) x[c][R0 + e / 2][e % 2] = y[c][e / 2][e % 2];
}

/* All rows of x, or the first END tiles, from 16 row on. */
template <int R0, int C, int R>
static __device__ __forceinline__ void load_window(const wy_columns<C> &columns, int row, wy_tile<C, R> &x)
{
  if constexpr (R0 < R) {
    wy_tile<C, 2> rows;
    columns.load(16 * row, rows);
    put_rows<R0>(x, rows);
    load_window<R0 + 2>(columns, row + 1, x);
  }
}
template <int R0, int END, int C, int R>
static __device__ __forceinline__ void store_window(const wy_columns<C> &columns, int row, const wy_tile<C, R> &x)
{
  if constexpr (R0 < END) {
    columns.template store<R0>(16 * row, x);
    store_window<R0 + 2, END>(columns, row + 1, x);
  }
}

/* The block rows that the groups from `first` on go through: down the matrix, the later groups first, or, for Q2^H, up.
 * `row` is that of the first group. */
template <bool ADJOINT, int G> struct wy_walk {
  int groups, first, row;

  __device__ __forceinline__ explicit wy_walk(int of) : groups(of), first(ADJOINT ? 0 : (of - 1) / G * G)
  {
    row = ADJOINT ? groups - 1 : first;
  }
  __device__ __forceinline__ bool is_over() const
  {
    return ADJOINT ? first >= groups : first < 0;
  }
  __device__ __forceinline__ bool ends_part() const
  {
    return row == (ADJOINT ? first : groups - 1);
  }
  __device__ __forceinline__ void advance()
  {
    if (!ends_part()) {
      row += ADJOINT ? -1 : 1;
      return;
    }
    first += ADJOINT ? G : -G;
    row = ADJOINT ? groups - 1 : first;
  }
};

/* Blocks of a walk on their way to shared memory, two steps of them. */
template <bool ADJOINT, int G> struct wy_pipe {
  double *buffers;    /* 2 G blocks */
  unsigned barriers;  /* two of them */
  int step;           /* of all that this block of the grid took */
  const double *from; /* the matrix's blocks */

  /* By one thread. */
  __device__ __forceinline__ void fetch(int at, const wy_walk<ADJOINT, G> &walk) const
  {
    if (walk.is_over()) return;
    const int count = min(G, walk.groups - walk.row);
    constexpr int bytes = WY_NUMBERS * sizeof(double);
    const unsigned barrier = barriers + at % 2 * 8;
    barrier_arrive_expecting(barrier, count * bytes);
    for (int g = 0; g < count; g++)
      bulk_load(shared_address(buffers + (at % 2 * G + g) * WY_NUMBERS),
                from + wy_block(walk.groups, walk.first + g, walk.row + g) * WY_NUMBERS, bytes, barrier);
  }
  __device__ __forceinline__ const double *wait() const
  {
    barrier_wait(barriers + step % 2 * 8, step / 2 % 2);
    return buffers + step % 2 * G * WY_NUMBERS;
  }
};

/* Blocks I .. G - 1 of a step, in the order in which they are applied; `count` of the G are there. */
template <bool ADJOINT, int G, int I, int C, int R>
static __device__ __forceinline__ void apply_blocks(const double *blocks, int count, wy_tile<C, R> &x)
{
  if constexpr (I < G) {
    constexpr int g = ADJOINT ? I : G - 1 - I;
    if (g < count) apply_block<ADJOINT, 2 * g>(blocks + g * WY_NUMBERS, x);
    apply_blocks<ADJOINT, G, I + 1>(blocks, count, x);
  }
}

/* One walk down or up the matrix, from where `walk` stands; `ahead` is two steps ahead of it. */
template <bool ADJOINT, int C, int G>
static __device__ __forceinline__ void apply_groups(wy_pipe<ADJOINT, G> &pipe, wy_walk<ADJOINT, G> &walk,
                                                    wy_walk<ADJOINT, G> &ahead, const wy_columns<C> &columns)
{
  constexpr int leaving = ADJOINT ? 2 * G : 0, coming = 2 * G - leaving;
  wy_tile<C, 2 * G + 2> x;
  wy_tile<C, 2> next;
  load_window<0>(columns, walk.row, x);
  for (bool ends = false; !ends;) {
    const int row = walk.row;
    ends = walk.ends_part();
    if (!ends) columns.load(16 * (ADJOINT ? row - 1 : row + G + 1), next);
    apply_blocks<ADJOINT, G, 0>(pipe.wait(), walk.groups - row, x);
    __syncthreads();
    if (threadIdx.x == 0) pipe.fetch(pipe.step, ahead);
    pipe.step++;
    ahead.advance();
    columns.template store<leaving>(16 * row + 8 * leaving, x);
    if (!ends) {
#pragma unroll
      for (int c = 0; c < C; c++)
#pragma unroll
        for (int e = 0; e < 4 * G; e++) {
          const int r = ADJOINT ? 2 * G - 1 - e / 2 : 2 + e / 2; /* in the order in which none is overwritten early */
          x[c][ADJOINT ? r + 2 : r - 2][e % 2] = x[c][r][e % 2];
        }
      put_rows<coming>(x, next);
    }
    if (ends && ADJOINT) store_window<0, 2 * G>(columns, row, x); /* down the matrix what is left lies below C */
    walk.advance();
  }
}

template <bool ADJOINT>
static __global__ void __launch_bounds__(32 * WY_WARPS, 3)
  multiply_tiles_tc(const __grid_constant__ unmtr_hb2st_tc_task g, int tiles)
{
  __shared__ alignas(8) unsigned long long barriers[2];
  wy_pipe<ADJOINT, WY_GROUPS> pipe = {shared_array<double>(), shared_address(barriers), 0, nullptr};
  if (threadIdx.x < 2) barrier_init(pipe.barriers + threadIdx.x * 8, 1);
  barrier_init_fence();
  __syncthreads();
  for (int64_t unit = blockIdx.x; unit < g.count * tiles; unit += gridDim.x) {
    const int64_t b = g.first + unit / tiles;
    const int n = g.left ? g.c.rows(b) : g.c.cols(b), others = g.left ? g.c.cols(b) : g.c.rows(b);
    const int j0 = (int)(unit % tiles) * WY_COLUMNS, j = j0 + (int)threadIdx.x / 32 * 8 * WY_TILES;
    if (n < 2 || j0 >= others) continue;
    const int64_t ld = g.c.leading(b), right = g.left ? ld : 1;
    double *const at = g.c.at(b) + j * right;
    const bool pairs = g.left && n % 2 == 0 && ld % 2 == 0 && (uintptr_t)at % sizeof(double2) == 0;
    const wy_columns<WY_TILES> columns = {at, g.left ? 1 : ld, right, n, others - j, pairs};
    wy_walk<ADJOINT, WY_GROUPS> walk(wy_groups(n)), ahead = walk;
    pipe.from = g.blocks + (b - g.first) * g.stride;
    for (int i = 0; i < 2; i++, ahead.advance())
      if (threadIdx.x == 0) pipe.fetch(pipe.step + i, ahead);
    while (!walk.is_over()) apply_groups<ADJOINT, WY_TILES, WY_GROUPS>(pipe, walk, ahead, columns);
  }
}

} // namespace batched_cuda::two_stage

#endif
