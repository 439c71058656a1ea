/* SPDX-License-Identifier: BSD-3-Clause
 *
 * 8 x 8 tiles of potrf_native.cuh: in shared memory, as operands of products, and a diagonal one that a warp factors
 * and inverts.
 */
#ifndef BATCHED_CHOLESKY_CUDA_NATIVE_OPERANDS_CUH
#define BATCHED_CHOLESKY_CUDA_NATIVE_OPERANDS_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/cholesky/cuda/native/order.cuh"
#include "batched/cholesky/cuda/pivot.cuh"
#include "batched/cholesky/cuda/strip_block.cuh"

namespace batched_cuda::cholesky
{

/* A number in another precision. */
template <class U, class T> static __device__ __forceinline__ U convert(T x)
{
  if constexpr (std::is_same_v<U, T>)
    return x;
  else
    return make<U>(real(x), imag(x));
}

/* Tiles in shared memory: of doubles as panels_tc has them, so that the tensor cores' operands need no moves. */
template <class T> DEVICE int staged_at(int i, int j)
{
  if constexpr (std::is_same_v<T, double>)
    return strip_place(i, j);
  else
    return tile_at<T>(i, j);
}
template <class T> struct tile_operand {
  const T *at;
  __device__ __forceinline__ pair<native_sum<T>> operator()(int i, int p) const
  {
    if constexpr (std::is_same_v<T, double>) {
      const int first = strip_place(i, 2 * p);
      return {at[first], at[first ^ 1]};
    } else {
      const pair<T> v = shared_tile<T>{at}(i, p);
      return {convert<native_sum<T>>(v.x), convert<native_sum<T>>(v.y)};
    }
  }
};

/* A warp's tile in registers as an operand. */
template <class W> struct own_tile {
  tile_part<W> part;
  __device__ __forceinline__ pair<W> operator()(int, int) const
  {
    return {part.x, part.y};
  }
};

template <class T> static __device__ __forceinline__ void put(T *tile, const tile_part<native_sum<T>> &p)
{
  const int lane = threadIdx.x % warp_size;
  if constexpr (std::is_same_v<T, double>)
    lane_place().write(tile, p.x, p.y);
  else
    *reinterpret_cast<aligned_pair<T> *>(tile + tile_pair<T>(lane / 4, lane % 4)) = {convert<T>(p.x), convert<T>(p.y)};
}
template <class T> static __device__ __forceinline__ tile_part<native_sum<T>> get(const T *tile)
{
  const pair<native_sum<T>> v = tile_operand<T>{tile}(threadIdx.x % warp_size / 4, threadIdx.x % 4);
  tile_part<native_sum<T>> p;
  p.x = v.x, p.y = v.y;
  return p;
}
template <class W> static __device__ __forceinline__ tile_part<W> negative(const tile_part<W> &p)
{
  tile_part<W> q;
  q.x = -p.x, q.y = -p.y;
  return q;
}

/* Column lane % 8 of the inverse of L, whose rows the lanes hold, to `to`; 1 / L(i, i) in inverse[i]. */
template <class T>
static __device__ __forceinline__ void invert_triangle(const T (&row)[tile_edge],
                                                       const real_of<T> (&inverse)[tile_edge], T *to)
{
  const int c = threadIdx.x % tile_edge;
  T w[tile_edge];
#pragma unroll
  for (int i = 0; i < tile_edge; i++) w[i] = make<T>(i == c);
#pragma unroll
  for (int i = 0; i < tile_edge; i++) {
    w[i] = inverse[i] * w[i];
#pragma unroll
    for (int k = i + 1; k < tile_edge; k++) w[k] = mad(-shuffle(row[i], k, tile_edge), w[i], w[k]);
  }
#pragma unroll
  for (int i = 0; i < tile_edge; i++) to[tile_at<T>(i, c)] = i < c ? make<T>(0) : w[i];
}

/* Factors a tile in shared memory by one warp, and inverts its triangle; the first bad pivot, from 1, or 0.  For any
 * pivots. */
template <class T> static __device__ __forceinline__ int factor_any_triangle(T *tile, T *inverse_to)
{
  using R = real_of<T>;
  const int i = threadIdx.x % tile_edge;
  T row[tile_edge];
  R inverse[tile_edge];
  int found = 0;
#pragma unroll
  for (int k = 0; k < tile_edge; k++) row[k] = k <= i ? tile[tile_at<T>(i, k)] : make<T>(0);
#pragma unroll
  for (int k = 0; k < tile_edge; k++) {
    const R d = shuffle(real(row[k]), k, tile_edge);
    const pivot<R, true> p(d);
    if (!(d > 0) && !found) found = k + 1;
    const R bad = d > 0 ? R(1) : R(__int_as_float(0x7fc00000));
    inverse[k] = p.inverse * bad;
    T column[tile_edge];
#pragma unroll
    for (int c = k + 1; c < tile_edge; c++) column[c] = conj(shuffle(row[k], c, tile_edge)) * inverse[k];
    row[k] = i == k ? make<T>(p.root * bad) : row[k] * inverse[k];
    if (i < k) row[k] = make<T>(0);
#pragma unroll
    for (int c = k + 1; c < tile_edge; c++) row[c] = mad(-row[k], column[c], row[c]);
  }
  __syncwarp();
  if (threadIdx.x % warp_size < tile_edge)
#pragma unroll
    for (int k = 0; k < tile_edge; k++) tile[tile_at<T>(i, k)] = k <= i ? row[k] : make<T>(0);
  invert_triangle(row, inverse, inverse_to);
  __syncwarp();
  return found;
}

/* The same.  If all pivots are far enough from under- and overflow, lanes hold the tile as an operand, and the chain
 * from pivot to pivot is a reciprocal and a multiply-add, as in potrf_warp_tc.cuh. */
template <class T> static __device__ __forceinline__ int factor_triangle(T *tile, T *inverse_to)
{
  const int lane = threadIdx.x % warp_size, g = lane / 4, t = lane % 4;
  const pair<T> both = tile_operand<T>{tile}(g, t);
  T top[2] = {both.x, both.y}, inverse[2] = {make<T>(g == 2 * t), make<T>(g == 2 * t + 1)};
  double pivots[2] = {1, 1}; /* of the lane's own columns */
  bool plain = true;
#pragma unroll
  for (int e = 0; e < 2; e++)
    if (g == 2 * t + e) plain = plain && real(top[e]) >= 0x1p-400 && real(top[e]) <= 0x1p400;
  if (!__all_sync(all_lanes, plain)) return factor_any_triangle(tile, inverse_to);
  double d = shuffle(real(top[0]), 0);
#pragma unroll
  for (int k = 0; k < tile_edge; k++) {
    const int half = k / 2, e = k % 2, next = 4 * (k + 1);
    const double r = inverse_of(d);
    const T v = top[e], own = shuffle(v, half, 4), other = shuffle(inverse[e], half, 4);
    const T above = -r * conj(shuffle(v, 8 * t + half)), below = -r * conj(shuffle(v, 8 * t + 4 + half));
    if (t == half) pivots[e] = d;
    if (k + 1 < tile_edge) d = fma(-square(shuffle(v, next + half)), r, shuffle(real(top[1 - e]), next + (k + 1) / 2));
    if (2 * t > k) top[0] = mad(own, above, top[0]), inverse[0] = mad(other, above, inverse[0]);
    if (2 * t + 1 > k) top[1] = mad(own, below, top[1]), inverse[1] = mad(other, below, inverse[1]);
  }
  int found = 0;
  tile_triangle<1>::note_pivots(0, pivots, found);
  __syncwarp();
#pragma unroll
  for (int e = 0; e < 2; e++) {
    const pivot<double, false> p(pivots[e]);
    const int c = 2 * t + e;
    tile[tile_at<T>(g, c)] = g == c ? make<T>(p.root) : g < c ? make<T>(0) : p.inverse * top[e];
    inverse_to[tile_at<T>(c, g)] = conj(p.inverse * inverse[e]);
  }
  __syncwarp();
  return found;
}

} // namespace batched_cuda::cholesky

#endif
