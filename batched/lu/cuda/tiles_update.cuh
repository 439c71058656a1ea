/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of a matrix by one block with tiles of columns: what panels do to a tile.
 */
#ifndef BATCHED_LU_CUDA_TILES_UPDATE_CUH
#define BATCHED_LU_CUDA_TILES_UPDATE_CUH

#include "batched/cuda/mma.cuh"
#include "batched/products/cuda/gemm_operands.cuh"
#include "batched/lu/cuda/tiles_memory.cuh"

namespace batched_cuda::lu
{

struct lu_tiles_update : lu_tiles_memory {
  using lu_tiles_memory::lu_tiles_memory;

  /* 16 N rows of a tile += those of a panel times b. */
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
  /* 8 rows of it. */
  __device__ __forceinline__ void subtract_half(double *to, const double *from, const double (&b)[2]) const
  {
    const double x[4] = {from[0], 0, from[at.ld], 0};
    double d[4] = {to[0], to[at.ld], 0, 0};
    multiply_16x8x8(d, x, b);
    to[0] = d[0];
    to[at.ld] = d[1];
  }
  /* U = L11^-1 A1 in rows r0 .. r0 + 7 of a tile; b: the factor of a product with -U. */
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
  /* What the panel at rows and columns r0 .. r0 + 7, which is l, does to a tile: U = L11^-1 A1, A2 -= L21 U. */
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
  /* The inverse of the unit triangle at row r0 of a tile, column by column. */
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
  /* Group i of 16 rows of this warp's tile, as the tensor cores have products: from shared memory, or to it. */
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
  /* apply() of two panels, q and the next, to a tile whose rows from those of panel q on are in registers. */
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
  /* Reads column block J, and applies the earlier ones. */
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

} // namespace batched_cuda::lu

#endif
