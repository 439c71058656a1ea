/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks of 16 reflectors in global memory, in the columns of a matrix below its diagonal, as the factors of products
 * on the tensor cores (strip.cuh): with their ones and zeros, and zeros behind the last reflector and the last row.
 */
#ifndef BATCHED_QR_CUDA_WY_REFLECTORS_CUH
#define BATCHED_QR_CUDA_WY_REFLECTORS_CUH

#include "batched/cuda/compiler.cuh"
#include "batched/cuda/launch.cuh"

namespace batched_cuda::qr
{

static constexpr int wy_width = 16, wy_block = wy_width * wy_width;

/* An m x n matrix whose element (i, j) is at[i row + j col]. */
template <class T> struct wy_matrix {
  T *at;
  int64_t row, col;
  int m, n;
};

/* Reflectors i0 .. i0 + 15 of the k in the columns of a matrix with m rows. */
template <class T> struct wy_reflectors {
  static constexpr bool is_whole = false; /* can all elements be read without checks? */
  const T *at;
  int64_t ld;
  int i0, k, m;
  bool aligned; /* are pairs of rows aligned? */

  /* First row from which on no check is needed; -1: none. */
  __device__ __forceinline__ int whole_from() const
  {
    return i0 + wy_width <= k ? i0 + wy_width : -1;
  }
  /* V^T as first operand of V^T strip, and as second operand of what is added to strip^T. */
  template <class S> __device__ __forceinline__ auto first_factor(const S &x) const;
  template <class S> __device__ __forceinline__ auto second_factor(const S &x) const;

  static __device__ bool is_aligned(const T *at, int64_t ld)
  {
    return (reinterpret_cast<uintptr_t>(at) | (uintptr_t)ld * sizeof(T)) % (2 * sizeof(T)) == 0;
  }
};

/* N columns first, first + STEP, ... of a block of V, from a row on. */
template <int N, int STEP, class T> struct wy_columns {
  const T *at[N];
  int below, left, live; /* rows from the first column's diagonal; rows to V's end; columns that exist */
  bool aligned;

  __device__ __forceinline__ wy_columns(const wy_reflectors<T> &v, int row, int first)
  {
    const int col = v.i0 + first;
#pragma unroll
    for (int n = 0; n < N; n++) at[n] = v.at + row + (col + n * STEP) * v.ld;
    below = row - col;
    left = v.m - row;
    live = v.k - col;
    aligned = v.aligned;
  }
  /* Lets derived values be recomputed, to free registers. */
  __device__ __forceinline__ void forget()
  {
    recompute(below, left, live);
  }
  /* Element of column n, i rows down; inner: below the diagonal and inside the matrix. */
  template <bool inner> __device__ __forceinline__ double element(int n, int i) const
  {
    if constexpr (inner) return at[n][i];
    const bool is_there = n * STEP < live;
    const int down = below + i - n * STEP;
    double x = 0;
    if (is_there && down > 0 && i < left) x = at[n][i];
    return is_there && down == 0 ? 1 : x;
  }
  /* The same and the next. */
  template <bool inner> __device__ __forceinline__ double2 pair(int n, int i) const
  {
    if constexpr (inner) {
      struct alignas(2 * sizeof(T)) two {
        T x, y;
      };
      if (!aligned) return {at[n][i], at[n][i + 1]};
      const two v = *reinterpret_cast<const two *>(at[n] + i);
      return {v.x, v.y};
    }
    const bool is_there = n * STEP < live;
    const int down = below + i - n * STEP;
    double2 x = {0, 0};
    if (is_there && down > 0 && i < left) x.x = at[n][i];
    if (is_there && down >= 0 && i + 1 < left) x.y = at[n][i + 1];
    if (is_there && down == 0) x.x = 1;
    if (is_there && down == -1) x.y = 1;
    return x;
  }
};

/* These operands by slices, i rows from the first one. */
template <class T> struct wy_first_factor {
  wy_columns<2, 8, T> columns;
  template <bool inner> __device__ __forceinline__ void get(int i, double a[4]) const
  {
    const double2 x = columns.template pair<inner>(0, i), y = columns.template pair<inner>(1, i);
    a[0] = x.x;
    a[1] = y.x;
    a[2] = x.y;
    a[3] = y.y;
  }
};
template <class T> struct wy_second_factor {
  wy_columns<4, 4, T> columns;
  template <bool inner> __device__ __forceinline__ void get(int i, double b[2][2]) const
  {
#pragma unroll
    for (int n = 0; n < 4; n++) b[n % 2][n / 2] = columns.template element<inner>(n, i);
  }
};
template <class T> template <class S> __device__ __forceinline__ auto wy_reflectors<T>::first_factor(const S &x) const
{
  return wy_first_factor<T>{wy_columns<2, 8, T>(*this, x.top(0) + 2 * x.t, x.g)};
}
template <class T> template <class S> __device__ __forceinline__ auto wy_reflectors<T>::second_factor(const S &x) const
{
  return wy_second_factor<T>{wy_columns<4, 4, T>(*this, x.top(0) + x.g, x.t)};
}

} // namespace batched_cuda::qr

#endif
