/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Slices of op(A) and op(B) of gemm_tile.cuh in shared memory: their shapes and layouts, and how they are copied there.
 */
#ifndef BATCHED_PRODUCTS_CUDA_TILE_SLICES_CUH
#define BATCHED_PRODUCTS_CUDA_TILE_SLICES_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/products/cuda/gemm_operands.cuh"

namespace batched_cuda::products
{

/* N neighbours of T, read and written at once. */
template <int N, class T> struct alignas(N * sizeof(T)) run_of {
  T v[N];
};

/* A block's tile of C is BM x BN, a warp's WM x WN; slices are BK deep, and STAGES of them are held; BLOCKS: resident
 * blocks per multiprocessor that the registers should allow. */
template <int BM, int BN, int BK, int WM, int WN, int STAGES, int BLOCKS> struct tile_shape {
  static constexpr int bm = BM, bn = BN, bk = BK, wm = WM, wn = WN, stages = STAGES, blocks = BLOCKS;
  static constexpr int warps_m = BM / WM, warps = warps_m * (BN / WN), threads = 32 * warps;
  static constexpr bool pairs = WN % 16 == 0; /* columns of C in pairs of 8-column products, taken alternately */
  static_assert(WM % 8 == 0 && WN % 4 == 0 && BK % 8 == 0 && BM % WM == 0 && BN % WN == 0, "");
};

/* The layout of an X x BK slice: for the tensor cores as in global memory, k fast or slow; for fused multiply-adds,
 * where each lane reads several x of one k, with k slow.  On the tensor cores the imaginary parts of complex numbers
 * are in a plane of their own behind the real ones, so that loads bring registers in the order that products want.  The
 * leading dimension is 2 modulo 16, or 4 modulo 8 where k is fast, so that the 8 lanes of one phase of a 16-byte access
 * have no bank conflicts; and 4 modulo 16 for numbers of single precision, which lanes read 16 bytes at a time, and
 * where lanes read neighbouring k (`spread`). */
template <class NUMBER, int X, int BK, bool k_fast, int PLANES, bool spread = false> struct slice_of {
  using number = NUMBER;
  static constexpr bool single = sizeof(real_of<number>) == 4;
  static constexpr int ld = k_fast ? BK + 4 + BK % 8 : X + (spread || single ? 4 : 2) + (X % 16 ? 8 : 0);
  static constexpr int planes = PLANES, plane = (k_fast ? X : BK) * ld, size = planes * plane;
  static constexpr int k_step = k_fast ? 1 : ld, x_step = k_fast ? ld : 1;
};

/* The slices of a product with elements T.  ka, kb: k is the fast index of A, of B. */
template <class S, bool tensor, bool ka, bool kb, class T> struct slices_of {
  using number = std::conditional_t<tensor, real_of<T>, T>;
  static constexpr int planes = sizeof(T) / sizeof(number);
  static constexpr bool spread = tensor && is_complex<T>;
  using a = slice_of<number, S::bm, S::bk, ka && tensor, planes, spread>;
  using b = slice_of<number, S::bn, S::bk, kb && tensor, planes, spread || (tensor && ka)>;
  static constexpr int size = a::size + b::size;
};

/* Copies of an X x BK slice by a block's threads, WIDTH numbers at once: `lanes` adjacent threads copy neighbours in
 * memory, so that they fetch whole sectors, of FAST x SLOW copies. */
template <class S, class P, int X, bool k_fast, int WIDTH> struct copy_of {
  static constexpr int fast = (k_fast ? S::bk : X) / WIDTH, slow = k_fast ? X : S::bk;
  static constexpr int to_fast = WIDTH * (k_fast ? P::k_step : P::x_step), to_slow = k_fast ? P::x_step : P::k_step;
  static constexpr int few = fast % 16 || to_fast > WIDTH ? 8 : S::threads % fast ? 16 : fast;
  static constexpr int lanes = fast % 32 ? few : 32, step = S::threads / lanes;
  static_assert(fast % lanes == 0, "");
  static DEVICE int i()
  {
    return threadIdx.x % lanes;
  }
  static DEVICE int j()
  {
    return threadIdx.x / lanes;
  }
};

/* Keeps the compiler from finding x anew each time in a loop, for want of registers. */
__device__ __forceinline__ void keep(int &x)
{
  asm volatile("" : "+r"(x));
}

/* An operand as one thread copies it from global to shared memory, slice by slice.  `whole`: its slices reach over no
 * edge, so that nothing is tested, and begin at multiples of 16 bytes where x is fast, so that copies take as much. */
template <class S, class P, int X, bool k_fast, bool whole, class T> struct operand {
  using number = typename P::number;
  static constexpr int most = 16 / sizeof(number),
                       width = whole && !k_fast && P::planes == 1 && X % most == 0 ? most : 1;
  using copy = copy_of<S, P, X, k_fast, width>;
  const T *next; /* the thread's first element of the next slice */
  int64_t ld;
  int x;  /* the extent along C's rows or columns from the slices' first one on */
  int at; /* where the thread's first element stands in a slice, in bytes */

  __device__ __forceinline__ operand(const T *p, int64_t leading, int extent)
      : next(p + copy::i() * width + copy::j() * leading), ld(leading), x(extent),
        at((copy::i() * copy::to_fast + copy::j() * copy::to_slow) * (int)sizeof(number))
  {
    if (whole && is_complex<T>) keep(at);
  }
  /* Starts to copy the next slice, from which on there are k along the sum.  Elements beyond the operand become 0. */
  __device__ __forceinline__ void fetch(unsigned to, int k)
  {
    const int fast = (k_fast ? k : x) - copy::i(), slow = (k_fast ? x : k) - copy::j();
    const T *from = next;
    to += at;
#pragma unroll
    for (int dj = 0; dj < copy::slow; dj += copy::step, from += copy::step * ld)
#pragma unroll
      for (int di = 0; di < copy::fast; di += copy::lanes)
#pragma unroll
        for (int q = 0; q < P::planes; q++)
          if (copy::slow % copy::step == 0 || copy::j() + dj < copy::slow)
            copy_async(to + (di * copy::to_fast + dj * copy::to_slow + q * P::plane) * (int)sizeof(number),
                       reinterpret_cast<const run_of<width, number> *>(from + di * width) + q,
                       whole || (di < fast && dj < slow));
    next += k_fast ? S::bk : S::bk * ld;
  }
};

} // namespace batched_cuda::products

#endif
