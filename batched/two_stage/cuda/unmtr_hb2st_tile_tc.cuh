/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.tile_tc of unmtr_hb2st: as cuda.tile a block has columns of C, or rows, and applies parallelograms of
 * reflectors to them, but each as one product I - V T V^H on the tensor cores: those of block row k of 16 sweeps,
 * V being 31 x 16.  Sweeps go in groups that begin with sweep 15, 31, ..., so that a group's rows begin with a multiple
 * of 16.  C^T stays in registers from one block row to the next, which has 16 of its rows.
 *
 *   grid       a block per 128 columns of C
 *   block      4 warps of 32 columns each
 *   shared     V, V T and V^H V: 17.7 kB
 *   registers  32 rows of 32 columns per warp, and the 16 rows that come next
 *   takes      d, kd = 16, any size
 *   reads      v once per block; C, and writes it, n / 16 times
 *   accuracy   that of reflectors in compact WY form
 */
#ifndef BATCHED_TWO_STAGE_CUDA_UNMTR_HB2ST_TILE_TC_CUH
#define BATCHED_TWO_STAGE_CUDA_UNMTR_HB2ST_TILE_TC_CUH

#include "batched/cuda/mma.cuh"
#include "batched/two_stage/cuda/hb2st.cuh"

namespace batched_cuda::two_stage
{

struct unmtr_hb2st_tc_task {
  bool left;
  batch<double> v, c;
};

/* Sweeps of a group, which are as many as diagonals; rows and warps of a tile. */
enum { WY_WIDTH = 16, WY_ROWS = 32, WY_WARPS = 4, WY_COLUMNS = 32 * WY_WARPS };

/* I - W Y^H, W = V T, is what is applied in Q2 C; in Q2^H C V and W change places.  Pairs of elements of a tile of
 * 8 x 8 lie without bank conflicts. */
struct wy_memory {
  double v[WY_WIDTH][WY_ROWS + 1];
  double gram[WY_WIDTH][WY_WIDTH];
  double tau[WY_WIDTH];
  alignas(16) double first[WY_WIDTH][WY_ROWS + 8];
  alignas(16) double second[WY_ROWS][WY_WIDTH + 8];
};

/* Columns 8 c + g of the warp, c = 0..3, rows 8 r + 2 t and the next one, r = 0..R-1, for lane 4 g + t. */
template <int R> using wy_tile = double[4][R][2];

/* 16 rows of X from `row` on. */
struct wy_columns {
  double *at; /* element (0, 0) of the warp's columns */
  int64_t down, right;
  int n, cols;

  __device__ __forceinline__ void load(int row, double (*x)[4][2][2]) const
  {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int c = 0; c < 4; c++)
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const int i = row + e / 2 * 8 + 2 * t + e % 2, j = 8 * c + g;
        (*x)[c][e / 2][e % 2] = i < n && j < cols ? at[i * down + j * right] : 0.0;
      }
  }
  /* R0: the first tile of 8 rows. */
  template <int R0> __device__ __forceinline__ void store(int row, const wy_tile<4> &x) const
  {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int c = 0; c < 4; c++)
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const int i = row + e / 2 * 8 + 2 * t + e % 2, j = 8 * c + g;
        if (i < n && j < cols) at[i * down + j * right] = x[c][R0 + e / 2][e % 2];
      }
  }
};

/* The vectors of sweeps s0 .. s0 + 15 whose block row begins with row s0 + 1 + 16 k = `row`, four elements a thread. */
static __device__ __forceinline__ void fetch_vectors(const double *v, int64_t ld, int n, int s0, int row, double x[4])
{
#pragma unroll
  for (int h = 0; h < 4; h++) {
    const int e = threadIdx.x + h * 128, q = e / WY_ROWS, i = e % WY_ROWS, s = s0 + q;
    const bool there = s >= 0 && s < n - 1 && i >= q && i < q + WY_WIDTH && row + i < n;
    x[h] = there ? v[row + i + s * ld] : 0.0;
  }
}

/* V and tau into shared memory. */
template <bool ADJOINT> static __device__ __forceinline__ void put_vectors(wy_memory &m, const double x[4], int s0)
{
#pragma unroll
  for (int h = 0; h < 4; h++) {
    const int e = threadIdx.x + h * 128, q = e / WY_ROWS, i = e % WY_ROWS;
    const double y = i == q ? s0 + q >= 0 : x[h];
    if (i == q) m.tau[q] = x[h];
    m.v[q][i] = y;
    if (ADJOINT)
      m.second[i][q] = y;
    else
      m.first[q][i] = y;
  }
}

/* Elements above the diagonal of V^H V. */
static __device__ __forceinline__ void form_gram(wy_memory &m)
{
  for (int e = threadIdx.x; e < WY_WIDTH * WY_WIDTH; e += blockDim.x) {
    const int p = e / WY_WIDTH, q = e % WY_WIDTH;
    double sum = 0;
    if (p < q)
      for (int i = q; i < p + WY_WIDTH; i++) sum += m.v[p][i] * m.v[q][i];
    m.gram[p][q] = sum;
  }
}

/* W = V T by a warp, a row each: T = (I + D U)^-1 D, D = diag(tau), U what is above the diagonal of V^H V. */
template <bool ADJOINT> static __device__ __forceinline__ void form_product(wy_memory &m)
{
  const int i = threadIdx.x;
  double y[WY_WIDTH];
#pragma unroll
  for (int q = 0; q < WY_WIDTH; q++) y[q] = m.v[q][i];
#pragma unroll
  for (int p = 0; p < WY_WIDTH; p++) {
    y[p] *= m.tau[p];
#pragma unroll
    for (int q = p + 1; q < WY_WIDTH; q++) y[q] -= y[p] * m.gram[p][q];
  }
#pragma unroll
  for (int q = 0; q < WY_WIDTH; q++) {
    if (ADJOINT)
      m.first[q][i] = y[q];
    else
      m.second[i][q] = y[q];
  }
}

/* X^T -= (X^T first^T) second^T.  Tiles of V and W that are zero are left out. */
template <bool ADJOINT> static __device__ __forceinline__ void apply_product(const wy_memory &m, wy_tile<4> &x)
{
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  wy_tile<2> w = {};
#pragma unroll
  for (int r = 0; r < 4; r++)
#pragma unroll
    for (int s = 0; s < 2; s++) {
      if ((r == 3 && s == 0) || (!ADJOINT && r == 0 && s == 1)) continue;
      const double2 b = *(const double2 *)&m.first[8 * s + g][8 * r + 2 * t];
#pragma unroll
      for (int c = 0; c < 4; c += 2)
        multiply_two_8x8(w[c][s][0], w[c][s][1], w[c + 1][s][0], w[c + 1][s][1], x[c][r][0], x[c][r][1], x[c + 1][r][0],
                         x[c + 1][r][1], b.x, b.y);
    }
#pragma unroll
  for (int r = 0; r < 4; r++)
#pragma unroll
    for (int s = 0; s < 2; s++) {
      if ((r == 3 && s == 0) || (ADJOINT && r == 0 && s == 1)) continue;
      const double2 b = *(const double2 *)&m.second[8 * r + g][8 * s + 2 * t];
#pragma unroll
      for (int c = 0; c < 4; c += 2)
        multiply_two_8x8(x[c][r][0], x[c][r][1], x[c + 1][r][0], x[c + 1][r][1], w[c][s][0], w[c][s][1], w[c + 1][s][0],
                         w[c + 1][s][1], -b.x, -b.y);
    }
}

/* Rows R .. R + 1, tiles of 8, of x = those of y. */
template <int R> static __device__ __forceinline__ void put_rows(wy_tile<4> &x, const wy_tile<2> &y)
{
#pragma unroll
  for (int c = 0; c < 4; c++)
#pragma unroll
    for (int e = 0; e < 4; e++) x[c][R + e / 2][e % 2] = y[c][e / 2][e % 2];
}

/* A group of sweeps, block row after block row: down the matrix, or, for Q2^H, up. */
template <bool ADJOINT>
static __device__ __forceinline__ void apply_group(wy_memory &m, const double *v, int64_t ldv, int n, int s0,
                                                   const wy_columns &columns)
{
  constexpr int step = ADJOINT ? -WY_WIDTH : WY_WIDTH, leaving = ADJOINT ? 2 : 0, staying = 2 - leaving;
  const int top = s0 + 1, last = top + (n - 1 - top) / WY_WIDTH * WY_WIDTH;
  const int begin = ADJOINT ? last : top, end = ADJOINT ? top - WY_WIDTH : last + WY_WIDTH;
  wy_tile<4> x;
  wy_tile<2> next;
  double vectors[4];
  columns.load(begin, &next);
  put_rows<0>(x, next);
  columns.load(begin + WY_WIDTH, &next);
  put_rows<2>(x, next);
  fetch_vectors(v, ldv, n, s0, begin, vectors);
  for (int row = begin; row != end; row += step) {
    put_vectors<ADJOINT>(m, vectors, s0);
    __syncthreads();
    if (row + step != end) {
      fetch_vectors(v, ldv, n, s0, row + step, vectors);
      columns.load(ADJOINT ? row - WY_WIDTH : row + WY_ROWS, &next);
    }
    form_gram(m);
    __syncthreads();
    if (threadIdx.x < 32) form_product<ADJOINT>(m);
    __syncthreads();
    apply_product<ADJOINT>(m, x);
    columns.store<leaving>(row + 8 * leaving, x);
    __syncthreads();
    if (row + step == end) break;
#pragma unroll
    for (int c = 0; c < 4; c++)
#pragma unroll
      for (int e = 0; e < 4; e++) x[c][leaving + e / 2][e % 2] = x[c][staying + e / 2][e % 2];
    put_rows<staying>(x, next);
  }
  columns.store<staying>(end - step + 8 * staying, x);
}

template <bool ADJOINT>
static __global__ void __launch_bounds__(WY_COLUMNS)
  multiply_tiles_tc(const __grid_constant__ unmtr_hb2st_tc_task g, int tiles)
{
  __shared__ wy_memory memory;
  for (int64_t unit = blockIdx.x; unit < g.c.count * tiles; unit += gridDim.x) {
    const int64_t b = unit / tiles;
    const int n = g.left ? g.c.rows(b) : g.c.cols(b), others = g.left ? g.c.cols(b) : g.c.rows(b);
    const int j0 = (int)(unit % tiles) * WY_COLUMNS, j = j0 + (int)threadIdx.x / 32 * 32;
    if (n < 2 || j0 >= others) continue;
    const int64_t ld = g.c.leading(b), right = g.left ? ld : 1;
    const wy_columns columns = {g.c.at(b) + j * right, g.left ? 1 : ld, right, n, others - j};
    const int groups = (n - 1) / WY_WIDTH + 1;
    for (int l = 0; l < groups; l++)
      apply_group<ADJOINT>(memory, g.v.at(b), g.v.leading(b), n, (ADJOINT ? l : groups - 1 - l) * WY_WIDTH - 1,
                           columns);
  }
}

} // namespace batched_cuda::two_stage

#endif
