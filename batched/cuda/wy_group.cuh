/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks of reflectors in shared memory, with their ones and zeros, for several strips at a time.
 */
#ifndef BATCHED_CUDA_WY_GROUP_CUH
#define BATCHED_CUDA_WY_GROUP_CUH

#include "wy.cuh"

namespace batched_cuda
{

/* A block of reflectors in shared memory, rows counted from its first one: 16 numbers a row, reflectors c and c + 8
 * side by side, and 16 rows of zeros before it, as the slices of two warps are taken in pairs. */
struct wy_stage {
  static constexpr bool is_whole = true;
  template <int WARPS> static constexpr int front = WARPS == 1 ? 0 : 16;
  double *at; /* row 0 */
  int i0, m;  /* of the matrix: the first row, and their number */

  template <int WARPS> static DEVICE constexpr int size(int rows)
  {
    return wy_width * (front<WARPS> + rows);
  }
  /* Rows that are read, though there may be nothing but zeros in the last of them. */
  template <int WARPS> __device__ __forceinline__ int padded() const
  {
    return (m + 16 * WARPS - 1) / (16 * WARPS) * (16 * WARPS) - i0;
  }
  __device__ __forceinline__ int whole_from() const
  {
    return 0;
  }
  /* Row i of reflectors c and c + 8. */
  static DEVICE constexpr int place(int i, int c)
  {
    return wy_width * i + 2 * (c ^ wy_turn(i % 8));
  }

  /* Starts to copy the block of reflectors, by `warps` warps; zeros from its end on where rows are read. A warp takes 8
   * rows of 4 columns at a time, so that it meets all banks. */
  template <int WARPS> __device__ __forceinline__ void fetch(const wy_reflectors &v, int warp, int warps) const
  {
    const int lane = threadIdx.x % 32, first = lane % 4 + lane / 16 * 4, half = lane / 8 % 2, left = v.m - v.i0;
    const int inner = v.i0 + wy_width <= v.k ? left / 8 * 8 : 0, rows = padded<WARPS>();
#pragma unroll 1
    for (int pair = 2 * warp; pair < 8; pair += 2 * warps) {
      const int c = pair + lane / 4 % 2, col = c + 8 * half;
      const bool is_there = col < v.k - v.i0;
      const double *from = v.at + v.i0 + first + (v.i0 + col) * v.ld;
      double *to = at + place(first, c) + half;
      const auto closer_look = [&](int i) {
        if (is_there && i > col && i < left)
          start_copy(to, from);
        else
          *to = is_there && i == col;
        from += 8;
        to += 8 * wy_width;
      };
      int i = 0;
#pragma unroll 1
      for (; i < wy_width; i += 8) closer_look(i + first);
#pragma unroll 4
      for (; i < inner; i += 8) {
        start_copy(to, from);
        from += 8;
        to += 8 * wy_width;
      }
#pragma unroll 1
      for (; i < rows; i += 8) closer_look(i + first);
    }
  }

  struct first_factors {
    const double *even, *odd;
    template <bool> __device__ __forceinline__ void get(int i, double a[4]) const
    {
      const double2 x = *reinterpret_cast<const double2 *>(even + wy_width * i),
                    y = *reinterpret_cast<const double2 *>(odd + wy_width * i);
      a[0] = x.x;
      a[1] = x.y;
      a[2] = y.x;
      a[3] = y.y;
    }
  };
  struct second_factors {
    const double *low, *high;
    template <bool> __device__ __forceinline__ void get(int i, double b[2][2]) const
    {
      const double2 x = *reinterpret_cast<const double2 *>(low + wy_width * i),
                    y = *reinterpret_cast<const double2 *>(high + wy_width * i);
      b[0][0] = x.x;
      b[0][1] = x.y;
      b[1][0] = y.x;
      b[1][1] = y.y;
    }
  };
  template <class S> __device__ __forceinline__ first_factors first_factor(const S &x) const
  {
    const double *const from = at + wy_width * (x.top(0) - i0);
    return {from + place(2 * x.t, x.g), from + place(2 * x.t + 1, x.g)};
  }
  template <class S> __device__ __forceinline__ second_factors second_factor(const S &x) const
  {
    const double *const from = at + wy_width * (x.top(0) - i0);
    return {from + place(x.g, x.t), from + place(x.g, x.t + 4)};
  }
};

} // namespace batched_cuda

#endif
