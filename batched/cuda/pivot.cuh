/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Partial pivoting among the lanes of a warp, with LAPACK's choice: the largest |re| + |im|, the first of equals by
 * row; a NaN is chosen only in the first row.
 */
#ifndef BATCHED_CUDA_PIVOT_CUH
#define BATCHED_CUDA_PIVOT_CUH

#include <climits>

#include "batched/cuda/scalar.cuh"

namespace batched_cuda
{

/* |x| as an unsigned integer that compares as |x| does, and the row's position after the exchanges so far. */
struct alignas(16) pivot_key {
  unsigned high, low;
  int row; /* INT_MAX: no candidate */
};

/* Key of element x in `row` as candidate for row k; rows above k are none. */
template <class T> __device__ __forceinline__ pivot_key key_of(T x, int row, int k, bool exists)
{
  const real_of<T> size = abs1(x);
  pivot_key key = {0, 0, row};
  if constexpr (sizeof(size) == 4) {
    key.high = __float_as_uint(size);
    key.low = 0;
  } else {
    key.high = (unsigned)__double2hiint(size);
    key.low = (unsigned)__double2loint(size);
  }
  if (size != size) key.high = row == k ? 0x7fffffffu : 0, key.low = 0;
  if (!exists || row < k) key = {0, 0, INT_MAX};
  return key;
}

/* True where x is the better candidate. */
__device__ __forceinline__ bool comes_first(pivot_key x, pivot_key y)
{
  if (x.high != y.high) return x.high > y.high;
  if (x.low != y.low) return x.low > y.low;
  return x.row < y.row;
}

template <int WIDTH> __device__ __forceinline__ unsigned max_of_lanes(unsigned x)
{
  if constexpr (WIDTH == 32) {
    return __reduce_max_sync(all_lanes, x);
  } else {
    for (int half = WIDTH / 2; half > 0; half /= 2) {
      const unsigned y = __shfl_xor_sync(all_lanes, x, half);
      x = x > y ? x : y;
    }
    return x;
  }
}

/* Lane of the best key in each group of WIDTH lanes, -1 if it has no candidate. Compares low words and rows only
 * where high words tie, which is rare. All lanes of the warp take part. */
template <int WIDTH> __device__ __forceinline__ int best_lane(pivot_key key)
{
  const unsigned group = WIDTH == 32 ? all_lanes : ((1u << WIDTH % 32) - 1) << (threadIdx.x % 32 / WIDTH * WIDTH);
  const unsigned high = max_of_lanes<WIDTH>(key.high);
  bool best = key.row != INT_MAX && key.high == high;
  unsigned lanes = __ballot_sync(all_lanes, best) & group;
  if (WIDTH == 32 ? (lanes & (lanes - 1)) != 0 : __any_sync(all_lanes, (lanes & (lanes - 1)) != 0)) {
    const unsigned low = max_of_lanes<WIDTH>(best ? key.low : 0);
    best = best && key.low == low;
    const unsigned first = ~max_of_lanes<WIDTH>(best ? ~(unsigned)key.row : 0);
    lanes = __ballot_sync(all_lanes, best && (unsigned)key.row == first) & group;
  }
  return __ffs((int)lanes) - 1;
}

/* High word of |x|'s key. */
template <class T> __device__ __forceinline__ unsigned high_word(T x)
{
  if constexpr (is_complex<T>)
    return key_of(x, 0, 0, true).high;
  else if constexpr (sizeof(T) == 4)
    return __float_as_uint(x) & 0x7fffffffu;
  else
    return (unsigned)__double2hiint(x) & 0x7fffffffu;
}

/* Exact pivot for row k among the candidates x (in row place_x) and, if R = 2, y (in place_y) of each group of WIDTH
 * lanes, where high words do not decide. Returns its lane, plus 256 if it is the lane's y; -1 for none. */
template <int WIDTH, int R, class T> __device__ __noinline__ int settle_pivot(T x, T y, int place_x, int place_y, int k)
{
  int own = 0;
  pivot_key key = key_of(x, place_x, k, true);
  if (R > 1) {
    const pivot_key other = key_of(y, place_y, k, true);
    if (comes_first(other, key)) {
      key = other;
      own = 1;
    }
  }
  const int best = best_lane<WIDTH>(key);
  return best < 0 ? -1 : best + 256 * own;
}

/* Is a pivot with this high word safe to divide by through its reciprocal: not zero, NaN, or near over- or
 * underflow? */
template <class T> __device__ __forceinline__ bool is_usual_pivot(unsigned high)
{
  constexpr unsigned least = sizeof(real_of<T>) == 4 ? 67u << 23 : 0x20b00000u,
                     range = sizeof(real_of<T>) == 4 ? 120u << 23 : 0x3e800000u;
  return high - least < range;
}

/* True for pivots that info reports: zero or NaN. */
template <class T> __device__ __forceinline__ bool is_bad_pivot(T x)
{
  return !(abs1(x) > 0);
}

/* N elements in shared memory, read by all lanes at once, 16 bytes each; padded so that several rows fall into
 * different banks. */
template <class T, int N> struct alignas(16) shared_row {
  T x[N + 16 / sizeof(T)];
};

} // namespace batched_cuda

#endif
