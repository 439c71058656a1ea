/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A block's view of a tile of the matrix in potrf_native.cuh, of its shared memory, and of L(j, j) there.
 */
#ifndef BATCHED_CHOLESKY_CUDA_NATIVE_VIEW_CUH
#define BATCHED_CHOLESKY_CUDA_NATIVE_VIEW_CUH

#include "batched/cholesky/cuda/native/operands.cuh"
#include "batched/cuda/access.cuh"

namespace batched_cuda::cholesky
{

/* 16 bytes to shared memory in the background, the first `bytes` of them from global memory and zeros behind. */
__device__ __forceinline__ void copy_async_16(unsigned to, const void *from, int bytes)
{
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

/* A block's view of its tile. */
template <class T, int B> struct native_view {
  using S = native_shape<T, B>;
  using W = typename S::sum;
  strided<T> l; /* the matrix whose lower triangle is factored: A, or A^T where the upper one is stored */
  int n, i, j;  /* the order; the tile */
  T *memory;    /* shared */

  __device__ __forceinline__ native_view(const strided<T> &matrix, int order, int row, int column, T *shared)
      : l(matrix), n(order), i(row), j(column), memory(shared)
  {
  }
  __device__ __forceinline__ T *tile(int r, int c) const
  {
    return memory + (r * S::edge + c) * tile_size;
  }
  /* Tile (r, c) of L(j, j), and the inverses of its diagonal tiles. */
  __device__ __forceinline__ W *packed() const
  {
    return reinterpret_cast<W *>(reinterpret_cast<char *>(memory) + S::before);
  }
  __device__ __forceinline__ W *packed(int r, int c) const
  {
    return packed() + (r * (r + 1) / 2 + c) * tile_size;
  }
  __device__ __forceinline__ W *inverse(int c) const
  {
    return packed() + S::triangle + c * tile_size;
  }
  __device__ __forceinline__ bool lower() const
  {
    return l.row == 1;
  }

  /* Elements of column k, or k + 4, of a slice in columns lie so many places further down, 0 or 1, so that pairs of
   * them that lie at 16 bytes in memory do so here, too. */
  __device__ __forceinline__ int shift(int k) const
  {
    return lower() ? (int)(reinterpret_cast<uintptr_t>(l.at) / sizeof(T) + k * l.col) & 1 : 0;
  }

  /* L(j, j) and its inverted triangles from shared memory to `diagonal`, and back. */
  __device__ __forceinline__ void pack_diagonal(W *diagonal) const
  {
    constexpr int size = pack<W>::size;
#pragma unroll 4
    for (int e = threadIdx.x; e < S::packed / size; e += S::threads)
      reinterpret_cast<pack<W> *>(diagonal)[e] = reinterpret_cast<const pack<W> *>(packed())[e];
  }
  __device__ __forceinline__ void fetch_diagonal(const W *diagonal) const
  {
    constexpr int size = pack<W>::size;
#pragma unroll 4
    for (int e = threadIdx.x; e < S::packed / size; e += S::threads)
      copy_async_16(shared_address(packed() + e * size), diagonal + e * size, 16);
  }
};

} // namespace batched_cuda::cholesky

#endif
