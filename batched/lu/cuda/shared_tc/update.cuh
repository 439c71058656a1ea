/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Updates of getrf_shared_tc.cuh: a panel's exchanges and products in the columns behind it, on the tensor cores.
 */
#ifndef BATCHED_LU_CUDA_SHARED_TC_UPDATE_CUH
#define BATCHED_LU_CUDA_SHARED_TC_UPDATE_CUH

#include "batched/cuda/mma.cuh"
#include "batched/lu/cuda/shared_tc/memory.cuh"

namespace batched_cuda::lu
{

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

} // namespace batched_cuda::lu

#endif
