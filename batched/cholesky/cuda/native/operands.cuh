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

/* Tiles in shared memory: of doubles as panels_tc has them, so that the tensor cores' operands need no moves. */
template <class T> DEVICE int staged_at(int i, int j)
{
  if constexpr (native_shape<T, 64>::by_columns)
    return strip_place(i, j);
  else
    return tile_at<T>(i, j);
}
template <class T> struct tile_operand {
  const T *at;
  __device__ __forceinline__ pair<T> operator()(int i, int p) const
  {
    if constexpr (native_shape<T, 64>::by_columns) {
      const int first = strip_place(i, 2 * p);
      return {at[first], at[first ^ 1]};
    } else {
      return shared_tile<T>{at}(i, p);
    }
  }
};

/* A warp's tile in registers as an operand. */
template <class T> struct own_tile {
  tile_part<T> part;
  __device__ __forceinline__ pair<T> operator()(int g, int p) const
  {
    if constexpr (has_tensor_tiles<T>)
      return {part.x, part.y};
    else
      return {shuffle(part.x, 4 * g + p), shuffle(part.y, 4 * g + p)};
  }
};

template <class T> static __device__ __forceinline__ void put(T *tile, const tile_part<T> &p)
{
  const int lane = threadIdx.x % warp_size;
  if constexpr (native_shape<T, 64>::by_columns)
    lane_place().write(tile, p.x, p.y);
  else
    *reinterpret_cast<aligned_pair<T> *>(tile + tile_pair<T>(lane / 4, lane % 4)) = {p.x, p.y};
}
template <class T> static __device__ __forceinline__ tile_part<T> get(const T *tile)
{
  const pair<T> v = tile_operand<T>{tile}(threadIdx.x % warp_size / 4, threadIdx.x % 4);
  tile_part<T> p;
  p.x = v.x, p.y = v.y;
  return p;
}
template <class T> static __device__ __forceinline__ tile_part<T> negative(const tile_part<T> &p)
{
  tile_part<T> q;
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

/* Factors a tile in shared memory by one warp, and inverts its triangle; the first bad pivot, from 1, or 0. */
template <class T> static __device__ __forceinline__ int factor_triangle(T *tile, T *inverse_to)
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

} // namespace batched_cuda::cholesky

#endif
