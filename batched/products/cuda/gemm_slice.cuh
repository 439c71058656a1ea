/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Slices of op(A) and op(B) in shared memory: how they lie there, and how they are copied asynchronously.
 */
#ifndef BATCHED_CUDA_GEMM_SLICE_CUH
#define BATCHED_CUDA_GEMM_SLICE_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/products/cuda/gemm_operands.cuh"

namespace batched_cuda::products
{

/* A block's tile is BM x BN, a warp's WM x WN, slices are BK deep, STAGES of them are held; BLOCKS: as many blocks
 * should fit on a multiprocessor, by their registers. */
template <int BM, int BN, int BK, int WM, int WN, int STAGES, int BLOCKS> struct tile_shape {
  static constexpr int bm = BM, bn = BN, bk = BK, wm = WM, wn = WN, stages = STAGES, blocks = BLOCKS;
  static constexpr int warps_m = BM / WM, warps = warps_m * (BN / WN), threads = 32 * warps;
  static constexpr bool pairs = WN % 16 == 0; /* columns of C in pairs of 8-column products, taken alternately */
  static_assert(WM % 16 == 0 && WN % 8 == 0 && BK % 8 == 0 && BM % WM == 0 && BN % WN == 0, "");
};

/* How an X x BK slice of numbers lies in shared memory: for the tensor cores as in memory, k fast or slow; for
 * multiply-adds, where each lane reads several x of one k, with k slow, and the imaginary parts of complex numbers in a
 * plane of their own behind the real ones.  Leading dimensions of 2 modulo 16, and of 4 modulo 8 where k is fast: the 8
 * lanes of one phase of a 16-byte access then meet all banks.  And of 4 modulo 16 for numbers of 4 bytes, which are
 * read four at a time, and where lanes read neighbouring k (`spread`). */
template <class NUMBER, int X, int BK, bool k_fast, int PLANES, bool spread = false> struct slice_of {
  using number = NUMBER;
  static constexpr int ld = k_fast ? BK + 4 + BK % 8 : X + (spread || sizeof(number) == 4 ? 4 : 2) + (X % 16 ? 8 : 0);
  static constexpr int planes = PLANES, plane = (k_fast ? X : BK) * ld, size = planes * plane;
  static constexpr int k_step = k_fast ? 1 : ld, x_step = k_fast ? ld : 1;
};

/* The slices of a product with elements T.  ka, kb: k is the fast index of A, of B. */
template <class S, bool tensor, bool ka, bool kb, class T> struct slices_of {
  using number = std::conditional_t<tensor, T, real_of<T>>;
  static constexpr int planes = sizeof(T) / sizeof(number);
  using a = slice_of<number, S::bm, S::bk, ka && tensor, planes>;
  using b = slice_of<number, S::bn, S::bk, kb && tensor, planes, tensor && ka && !is_complex<T>>;
  static constexpr int size = a::size + b::size;
};

/* Where the X x BK slices of an operand come from; x: along C's rows or columns. */
template <class T> struct operand {
  const T *p; /* element (0, 0) of the slices */
  int64_t ld;
  int x, k; /* how many there are from p on */
};

/* `lanes` neighbouring threads copy elements that are neighbours in memory, so that they fetch whole sectors; the
 * others go over FAST / lanes x SLOW of them.  What is beyond the operand becomes 0. */
template <class P, int THREADS, int FAST, int SLOW, int TO_FAST, int TO_SLOW, class T>
__device__ __forceinline__ void copy_slice(unsigned to, const T *from, int64_t ld, int fast, int slow)
{
  using number = typename P::number;
  constexpr int few = FAST % 16 || TO_FAST > 1 ? 8 : THREADS % FAST ? 16 : FAST;
  constexpr int lanes = FAST % 32 ? few : 32, step = THREADS / lanes, size = sizeof(number);
  const int i = threadIdx.x % lanes, j0 = threadIdx.x / lanes;
  from += i + j0 * ld;
  to += (i * TO_FAST + j0 * TO_SLOW) * size;
#pragma unroll
  for (int dj = 0; dj < SLOW; dj += step, from += step * ld)
#pragma unroll
    for (int di = 0; di < FAST; di += lanes)
#pragma unroll
      for (int q = 0; q < P::planes; q++)
        if (SLOW % step == 0 || j0 + dj < SLOW)
          copy_async(to + (di * TO_FAST + dj * TO_SLOW + q * P::plane) * size,
                     reinterpret_cast<const number *>(from + di) + q, i + di < fast && j0 + dj < slow);
}

/* Slice k0 .. k0 + BK - 1 of an operand, whose k is fast or slow in memory. */
template <class S, class P, int X, bool k_fast, class T>
__device__ __forceinline__ void copy_slice(unsigned to, const operand<T> &from, int k0)
{
  if constexpr (k_fast)
    copy_slice<P, S::threads, S::bk, X, P::k_step, P::x_step>(to, from.p + k0, from.ld, from.k - k0, from.x);
  else
    copy_slice<P, S::threads, X, S::bk, P::x_step, P::k_step>(to, from.p + k0 * from.ld, from.ld, from.x, from.k - k0);
}

} // namespace batched_cuda::products

#endif
