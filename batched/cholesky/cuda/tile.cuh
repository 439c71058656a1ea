/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tiles of 8 x 8 elements as the FP64 tensor cores multiply them: lane 4 g + t of a warp holds elements (g, 2 t) and
 * (g, 2 t + 1) of each operand and of the accumulator, the inner index taken in the order 0 2 4 6 1 3 5 7, so that the
 * result of a product is an operand of the next one without any exchange.  Complex doubles take four such products;
 * single precision uses the same layout with fused multiply-adds.
 */
#ifndef BATCHED_CHOLESKY_CUDA_TILE_CUH
#define BATCHED_CHOLESKY_CUDA_TILE_CUH

#include "batched/cuda/launch.cuh"
#include "batched/cuda/mma.cuh"

namespace batched_cuda::cholesky
{

constexpr int tile_edge = 8, tile_size = tile_edge * tile_edge;

template <class T> struct pair {
  T x, y;
};

/* Place of element (i, j) of a tile: pairs of elements change places so that neither the rows of a tile nor its
 * fragments meet in one bank. */
template <class T> DEVICE int tile_pair(int i, int p)
{
  constexpr int shift = sizeof(T) == 4 ? 2 : sizeof(T) == 8 ? 1 : 0;
  return i * tile_edge + 2 * (p ^ ((i >> shift) & 3));
}
template <class T> DEVICE int tile_at(int i, int j)
{
  return tile_pair<T>(i, j / 2) + j % 2;
}

template <class T> struct alignas(sizeof(T) <= 8 ? 2 * sizeof(T) : 16) aligned_pair {
  T x, y;
};

/* A tile in shared memory as an operand. */
template <class T> struct shared_tile {
  const T *at;

  /* Reads a pair; of elements of 16 bytes, odd rows read the second first, so that no two rows share a bank. */
  __device__ __forceinline__ pair<T> operator()(int i, int p) const
  {
    if constexpr (sizeof(T) == 16) {
      const T *const both = at + tile_pair<T>(i, p), u = both[i % 2], v = both[1 - i % 2];
      return {select(i % 2, v, u), select(i % 2, u, v)};
    }
    const auto v = *reinterpret_cast<const aligned_pair<T> *>(at + tile_pair<T>(i, p));
    return {v.x, v.y};
  }
};

/* The lane's elements (g, 2t) and (g, 2t + 1) of a tile. */
template <class T> struct tile_part {
  T x, y;

  __device__ __forceinline__ tile_part() : x(make<T>(0)), y(make<T>(0))
  {
  }
};

/* Double precision, real or complex; there is none for single precision that would keep it. */
template <class T> constexpr bool has_tensor_tiles = sizeof(real_of<T>) == 8;

/* The four real products of complex tiles: re += re re + im im, im += im re - re im. */
template <class P, class C>
__device__ __forceinline__ void multiply_complex(C &c0, C &c1, const P &u, const P &v, const P &w)
{
  multiply_two_8x8(c0.x.re, c0.y.re, c1.x.re, c1.y.re, u.x.re, u.y.re, v.x.re, v.y.re, w.x.re, w.y.re);
  multiply_two_8x8(c0.x.im, c0.y.im, c1.x.im, c1.y.im, u.x.im, u.y.im, v.x.im, v.y.im, w.x.re, w.y.re);
  multiply_two_8x8(c0.x.re, c0.y.re, c1.x.re, c1.y.re, u.x.im, u.y.im, v.x.im, v.y.im, w.x.im, w.y.im);
  multiply_two_8x8(c0.x.im, c0.y.im, c1.x.im, c1.y.im, u.x.re, u.y.re, v.x.re, v.y.re, -w.x.im, -w.y.im);
}

/* C0 += A0 B^H and C1 += A1 B^H. */
template <class T, class A, class B>
__device__ __forceinline__ void multiply(tile_part<T> &c0, tile_part<T> &c1, const A &a0, const A &a1, const B &b)
{
  const int lane = threadIdx.x % warp_size, g = lane / 4, t = lane % 4;
  if constexpr (has_tensor_tiles<T>) {
    const pair<T> u = a0(g, t), v = a1(g, t), w = b(g, t);
    if constexpr (is_complex<T>)
      multiply_complex(c0, c1, u, v, w);
    else
      multiply_two_8x8(c0.x, c0.y, c1.x, c1.y, u.x, u.y, v.x, v.y, w.x, w.y);
  } else {
#pragma unroll
    for (int p = 0; p < 4; p++) {
      const pair<T> u = a0(g, p), v = a1(g, p), w = b(2 * t, p), z = b(2 * t + 1, p);
      c0.x = mad(u.y, conj(w.y), mad(u.x, conj(w.x), c0.x));
      c0.y = mad(u.y, conj(z.y), mad(u.x, conj(z.x), c0.y));
      c1.x = mad(v.y, conj(w.y), mad(v.x, conj(w.x), c1.x));
      c1.y = mad(v.y, conj(z.y), mad(v.x, conj(z.x), c1.y));
    }
  }
}

} // namespace batched_cuda::cholesky

#endif
