/* SPDX-License-Identifier: BSD-3-Clause
 *
 * QR by groups of strips: a block of threads has a matrix, and several neighbouring strips of it at a time. Each
 * block of reflectors passes through shared memory, with its ones and zeros, to all strips of the group: those of
 * earlier groups from memory, the next one on its way while one is applied; the group's own straight from the strip
 * that made them.
 */
#ifndef BATCHED_CUDA_WY_GROUP_CUH
#define BATCHED_CUDA_WY_GROUP_CUH

#include "wy_gram.cuh"

namespace batched_cuda
{

/* A block of reflectors in shared memory, rows counted from its first one: 16 columns, each with 16 zeros before it, as
 * a warp's slices are taken in pairs. Columns are 10 numbers from a multiple of 16 apart, for the banks. */
struct wy_stage {
  static constexpr int front = 16;
  double *at; /* row 0 of column 0 */
  int ld;

  static DEVICE constexpr int leading(int rows)
  {
    return front + rows + 10;
  }
  static DEVICE constexpr int size(int rows)
  {
    return wy_width * leading(rows);
  }
  /* Elements i and i + 1 of reflector c, if they need a closer look. */
  __device__ __forceinline__ void fetch_pair(const wy_reflectors &v, int c, int i) const
  {
    const double *const from = v.at + v.i0 + i + (v.i0 + c) * v.ld;
    double *const to = at + i + c * ld;
    const bool is_there = c < v.k - v.i0;
#pragma unroll
    for (int e = 0; e < 2; e++) {
      if (is_there && i + e > c && i + e < v.m - v.i0)
        start_copy(to + e, from + e);
      else
        to[e] = is_there && i + e == c;
    }
  }
  /* Starts to copy the block of reflectors, by all threads; zeros from its end to the next multiple of `step` rows. */
  __device__ __forceinline__ void fetch(const wy_reflectors &v, int step) const
  {
    const int warp = warp_index(), warps = blockDim.x / 32, left = v.m - v.i0;
    const int rows = (v.m + step - 1) / step * step - v.i0, inner = v.aligned && v.i0 + wy_width <= v.k ? left - 1 : 0;
    const int64_t across = warps * v.ld;
    for (int i = 2 * (threadIdx.x % 32); i < rows; i += 64) {
      if (i < wy_width || i >= inner) {
#pragma unroll 1
        for (int c = warp; c < wy_width; c += warps) fetch_pair(v, c, i);
        continue;
      }
      const double *from = v.at + v.i0 + i + (v.i0 + warp) * v.ld;
      double *to = at + i + warp * ld;
#pragma unroll 4
      for (int c = warp; c < wy_width; c += warps, from += across, to += warps * ld)
        start_copy(reinterpret_cast<double2 *>(to), reinterpret_cast<const double2 *>(from));
    }
  }
};

/* A strip of a matrix of m rows times the reflectors i0 .. that are staged. */
template <int SLICES, bool split> struct wy_staged {
  wy_strip<SLICES, split> &x;
  const wy_stage &v;
  int i0, m;

  template <class F> __device__ __forceinline__ void for_each_group(F f) const
  {
    constexpr int group = wy_strip<SLICES, split>::group;
    const int begin = x.slice_from(i0 / 8), end = x.slice_from((m + 7) / 8);
#pragma unroll
    for (int first = 0; first < SLICES; first += group) {
      if (first + group <= begin || first >= end) continue;
      f(first);
    }
  }
  __device__ __forceinline__ void project(double w[2][4]) const
  {
    constexpr int group = wy_strip<SLICES, split>::group;
    const double *const at[2] = {v.at + x.top(0) - i0 + 2 * x.t + x.g * v.ld,
                                 v.at + x.top(0) - i0 + 2 * x.t + (x.g + 8) * v.ld};
    for_each_group([&](int first) {
      double2 b[group][2];
#pragma unroll
      for (int s = 0; s < group; s++)
#pragma unroll
        for (int h = 0; h < 2; h++) b[s][h] = *reinterpret_cast<const double2 *>(at[h] + x.rows_to(first + s));
#pragma unroll
      for (int s = 0; s < group; s++) {
        const double *const p = x.p[first + s], a[4] = {p[0], p[2], p[1], p[3]};
#pragma unroll
        for (int h = 0; h < 2; h++) {
          const double y[2] = {b[s][h].x, b[s][h].y};
          multiply_16x8x8(w[h], a, y);
        }
      }
    });
  }
  __device__ __forceinline__ void subtract(const double w[2][4])
  {
    constexpr int group = wy_strip<SLICES, split>::group;
    double a[2][4];
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int e = 0; e < 4; e++) a[h][e] = -w[h][e / 2 + e % 2 * 2];
    const double *const at[2] = {v.at + x.top(0) - i0 + x.g + 2 * x.t * v.ld,
                                 v.at + x.top(0) - i0 + x.g + (2 * x.t + 8) * v.ld};
    for_each_group([&](int first) {
      double b[group][2][2];
#pragma unroll
      for (int s = 0; s < group; s++)
#pragma unroll
        for (int h = 0; h < 2; h++)
#pragma unroll
          for (int e = 0; e < 2; e++) b[s][h][e] = at[h][x.rows_to(first + s) + e * v.ld];
#pragma unroll
      for (int s = 0; s < group; s++)
#pragma unroll
        for (int h = 0; h < 2; h++) multiply_16x8x8(x.p[first + s], a[h], b[s][h]);
    });
  }
  /* strip = (I - V T^T V^T) strip */
  __device__ __forceinline__ void apply(const double *triangle)
  {
    double w[2][4] = {}, wt[2][4] = {};
    project(w);
    if constexpr (split) x.sum_warps(w);
#pragma unroll
    for (int j = 0; j < 2; j++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        const double a[4] = {w[j][0], w[j][2], w[j][1], w[j][3]};
        const int k = 8 * j + 2 * x.t, n = 8 * h + x.g;
        const double b[2] = {wy_element(triangle, k, n), wy_element(triangle, k + 1, n)};
        multiply_16x8x8(wt[h], a, b);
      }
    subtract(wt);
  }
};

} // namespace batched_cuda

#endif
