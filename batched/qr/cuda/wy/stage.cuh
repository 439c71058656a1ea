/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks of 16 reflectors in shared memory, for several strips (strip.cuh), and how a strip is written there or to
 * where they are kept in global memory.
 */
#ifndef BATCHED_QR_CUDA_WY_STAGE_CUH
#define BATCHED_QR_CUDA_WY_STAGE_CUH

#include "batched/qr/cuda/wy/strip.cuh"

namespace batched_cuda::qr
{

/* A block of reflectors in shared memory, with its ones and zeros, for several strips: rows of 16 numbers from its
 * first row on, reflectors c and c + 8 side by side, swizzled; 16 rows of zeros before it, as the slices of two
 * warps go in pairs. Kept in the same format in global memory, from where bulk copies fetch it for later strips. */
struct wy_stage {
  static constexpr bool is_whole = true;
  template <int WARPS> static constexpr int front = WARPS == 1 ? 0 : 16;
  double *at; /* row 0 */
  int i0, m;  /* first row in the matrix, and the matrix's rows */

  template <int WARPS> static DEVICE constexpr int size(int rows)
  {
    return wy_width * (front<WARPS> + rows);
  }
  /* Rows that are read; the last ones may be zeros. */
  template <int WARPS> __device__ __forceinline__ int padded() const
  {
    return (m + 16 * WARPS - 1) / (16 * WARPS) * (16 * WARPS) - i0;
  }
  __device__ __forceinline__ int whole_from() const
  {
    return 0;
  }
  /* Offset of row i of reflectors c and c + 8. */
  static DEVICE constexpr int place(int i, int c)
  {
    return wy_width * i + 2 * (c ^ wy_turn(i % 8));
  }

  static DEVICE constexpr int bytes(int rows)
  {
    return wy_width * rows * (int)sizeof(double);
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

/* Writes V of a strip, with its ones and zeros, to a stage or to where it is kept, `rows` of it. */
template <int SLICES, int WARPS>
static __device__ __forceinline__ void publish(const wy_strip<SLICES, WARPS> &x, double *at, int rows, int count)
{
  double *const to[2] = {at + wy_stage::place(2 * x.t, x.g), at + wy_stage::place(2 * x.t + 1, x.g)};
  const bool is_whole = count == wy_width;
#pragma unroll
  for (int s = 0; s < SLICES; s++) {
    if (x.top(s) >= rows) break;
    double v[4] = {x.p[s][0], x.p[s][1], x.p[s][2], x.p[s][3]};
    if (s < 2 || !is_whole) {
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const int below = x.top(s) + 2 * x.t + e % 2 - (x.g + e / 2 * 8);
        v[e] = below > 0 ? v[e] : below == 0;
        if (x.g + e / 2 * 8 >= count) v[e] = 0;
      }
      keep_branch();
    }
#pragma unroll
    for (int e = 0; e < 2; e++) *reinterpret_cast<double2 *>(to[e] + wy_width * x.top(s)) = {v[e], v[2 + e]};
  }
}

/* Offset of block q among the kept blocks of a matrix of `rows` rows. */
static DEVICE constexpr int64_t wy_kept(int q, int rows)
{
  return wy_width * ((int64_t)rows * q - wy_width / 2 * q * (q - 1));
}

} // namespace batched_cuda::qr

#endif
