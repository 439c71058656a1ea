/* SPDX-License-Identifier: BSD-3-Clause
 *
 * C in tiles, one block a tile: slices of op(A) and op(B) go through shared memory, copied asynchronously some slices
 * ahead, and each warp keeps its part of the tile in registers.
 */
#ifndef BATCHED_CUDA_GEMM_TILE_CUH
#define BATCHED_CUDA_GEMM_TILE_CUH

#include "bulk.cuh"
#include "gemm_product.cuh"

namespace batched_cuda
{

/* A block's tile is BM x BN, a warp's WM x WN, slices are BK deep, STAGES of them are held; BLOCKS: as many blocks
 * should fit on a multiprocessor, by their registers. */
template <int BM, int BN, int BK, int WM, int WN, int STAGES, int BLOCKS> struct tile_shape {
  static constexpr int bm = BM, bn = BN, bk = BK, wm = WM, wn = WN, stages = STAGES, blocks = BLOCKS;
  static constexpr int warps_m = BM / WM, warps = warps_m * (BN / WN), threads = 32 * warps;
  static constexpr bool pairs = WN % 16 == 0; /* columns of C in pairs of 8-column products, taken alternately */
  static_assert(WM % 16 == 0 && WN % 8 == 0 && BK % 8 == 0 && BM % WM == 0 && BN % WN == 0, "");
};

/* How an X x BK slice lies in shared memory: for the tensor cores as in memory, k fast or slow; for multiply-adds,
 * where each lane reads several x of one k, with k slow.  Leading dimensions of 2 modulo 16, and of 4 modulo 8 where k
 * is fast: the 8 lanes of one phase of a 16-byte access then meet all banks.  `spread`: and of 4 where lanes read
 * neighbouring k. */
template <int X, int BK, bool k_fast, bool spread = false> struct slice_of {
  static constexpr int ld = k_fast ? BK + 4 + BK % 8 : X + (spread ? 4 : 2) + (X % 16 ? 8 : 0);
  static constexpr int size = k_fast ? X * ld : BK * ld;
  static constexpr int k_step = k_fast ? 1 : ld, x_step = k_fast ? ld : 1;
};

__device__ __forceinline__ void copy_commit()
{
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int pending> __device__ __forceinline__ void copy_wait()
{
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

/* Where the X x BK slices of an operand come from; x: along C's rows or columns. */
template <class T> struct operand {
  const T *p; /* element (0, 0) of the slices */
  int64_t ld;
  int x, k; /* how many there are from p on */
};

/* `lanes` neighbouring threads copy elements that are neighbours in memory, so that they fetch whole sectors; the
 * others go over FAST / lanes x SLOW of them.  What is beyond the operand becomes 0. */
template <int THREADS, int FAST, int SLOW, int TO_FAST, int TO_SLOW, class T>
__device__ __forceinline__ void copy_slice(unsigned to, const T *from, int64_t ld, int fast, int slow)
{
  constexpr int lanes = FAST % 32 == 0 ? 32 : FAST % 16 == 0 && TO_FAST == 1 ? 16 : 8, step = THREADS / lanes;
  const int i = threadIdx.x % lanes, j0 = threadIdx.x / lanes;
  from += i + j0 * ld;
  to += (i * TO_FAST + j0 * TO_SLOW) * (int)sizeof(T);
#pragma unroll
  for (int dj = 0; dj < SLOW; dj += step, from += step * ld)
#pragma unroll
    for (int di = 0; di < FAST; di += lanes)
      if (SLOW % step == 0 || j0 + dj < SLOW)
        copy_async(to + (di * TO_FAST + dj * TO_SLOW) * (int)sizeof(T), from + di, i + di < fast && j0 + dj < slow);
}

/* Slice k0 .. k0 + BK - 1 of an operand, whose k is fast or slow in memory. */
template <class S, class P, int X, bool k_fast, class T>
__device__ __forceinline__ void copy_slice(unsigned to, const operand<T> &from, int k0)
{
  if constexpr (k_fast)
    copy_slice<S::threads, S::bk, X, P::k_step, P::x_step>(to, from.p + k0, from.ld, from.k - k0, from.x);
  else
    copy_slice<S::threads, X, S::bk, P::x_step, P::k_step>(to, from.p + k0 * from.ld, from.ld, from.x, from.k - k0);
}

template <class T> struct alignas(sizeof(T) == 16 ? 16 : 2 * sizeof(T)) pair_of {
  T x, y;
};

/* v[s][h] = element k = s, x = h of a slice from p on. */
template <class P, class T> __device__ __forceinline__ void load_2x2(T v[2][2], const T *p)
{
  constexpr bool k_fast = P::k_step == 1;
#pragma unroll
  for (int slow = 0; slow < 2; slow++) {
    const auto w = *reinterpret_cast<const pair_of<T> *>(p + slow * P::ld);
    (k_fast ? v[0][slow] : v[slow][0]) = w.x;
    (k_fast ? v[1][slow] : v[slow][1]) = w.y;
  }
}

/* The part of C that a warp has in registers: products of 16 x 8.  Lane 4 g + t has rows 2 g and 2 g + 1 of each where
 * `row_pairs`, and otherwise g and g + 8; where `pairs`, products 2 j and 2 j + 1 have the even and the odd ones of 16
 * columns, so that the lane has columns 4 t .. 4 t + 3 of these, and otherwise 2 t, 2 t + 1. */
template <class S, class T, bool ROW_PAIRS = true, bool PAIRS = S::pairs> struct fragment {
  static constexpr int nm = S::wm / 16, nn = S::wn / 8;
  static constexpr bool row_pairs = ROW_PAIRS, pairs = PAIRS;
  T d[nm][nn][4];

  DEVICE T value(int i, int j, int e) const
  {
    return d[i][j][e];
  }
  static DEVICE int row(int i, int e, int lane)
  {
    return 16 * i + (row_pairs ? 2 * (lane / 4) + e / 2 : lane / 4 + e / 2 * 8);
  }
  static DEVICE int col(int j, int e, int lane)
  {
    return pairs ? 16 * (j / 2) + 4 * (lane % 4) + 2 * (e % 2) + j % 2 : 8 * j + 2 * (lane % 4) + e % 2;
  }
};

/* The same of complex numbers on the tensor cores: elements as multiply_16x8x8 has them, since one fills 16 bytes. */
template <class S> struct complex_fragment {
  static constexpr int nm = S::wm / 16, nn = S::wn / 8;
  static constexpr bool row_pairs = false;
  double re[nm][nn][4], im[nm][nn][4];

  DEVICE complex<double> value(int i, int j, int e) const
  {
    return {re[i][j][e], im[i][j][e]};
  }
  static DEVICE int row(int i, int e, int lane)
  {
    return 16 * i + lane / 4 + 8 * (e / 2);
  }
  static DEVICE int col(int j, int e, int lane)
  {
    return 8 * j + 2 * (lane % 4) + e % 2;
  }
};
template <class S, class T, bool tensor, bool ka, bool kb>
using fragment_of = std::conditional_t<
  !tensor, fragment<S, T>,
  std::conditional_t<is_complex<T>, complex_fragment<S>, fragment<S, T, !ka, S::pairs && kb && !ka>>>;

/* f += A B for a slice, on the tensor cores.  Products want a lane's numbers in registers in an order (rows before k, in
 * A), and moving them there takes longer than the products; so pairs are read where they are neighbours in that order,
 * and single numbers where not.  Number s of a lane 4 g + t is that of k = 8 i + 2 t + s, but where k is the fast index
 * of A 8 i + t + 4 s: then each half of a warp meets all banks.  The order of the sum is free. */
template <class S, class A, class B, bool ROW_PAIRS, bool PAIRS>
__device__ __forceinline__ void multiply_slice(fragment<S, double, ROW_PAIRS, PAIRS> &f, const double *a,
                                               const double *b)
{
  constexpr int k_of_t = ROW_PAIRS ? 2 : 1, k_of_s = ROW_PAIRS ? 1 : 4;
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  a += (ROW_PAIRS ? 2 : 1) * g * A::x_step + k_of_t * t * A::k_step;
  b += (PAIRS ? 2 : 1) * g * B::x_step + k_of_t * t * B::k_step;
#pragma unroll
  for (int k = 0; k < S::bk; k += 8, a += 8 * A::k_step, b += 8 * B::k_step) {
    double x[f.nm][2][2], y[f.nn][2];
#pragma unroll
    for (int i = 0; i < f.nm; i++) {
      if constexpr (ROW_PAIRS) {
        load_2x2<A>(x[i], a + 16 * i * A::x_step);
      } else {
#pragma unroll
        for (int h = 0; h < 4; h++)
          x[i][h / 2][h % 2] = a[(16 * i + h % 2 * 8) * A::x_step + h / 2 * k_of_s * A::k_step];
      }
    }
    if constexpr (PAIRS) {
#pragma unroll
      for (int j = 0; j < f.nn; j += 2) {
        double v[2][2];
        load_2x2<B>(v, b + 8 * j * B::x_step);
#pragma unroll
        for (int h = 0; h < 4; h++) y[j + h % 2][h / 2] = v[h / 2][h % 2];
      }
    } else {
#pragma unroll
      for (int j = 0; j < f.nn; j++)
#pragma unroll
        for (int s = 0; s < 2; s++) y[j][s] = b[8 * j * B::x_step + s * k_of_s * B::k_step];
    }
#pragma unroll
    for (int i = 0; i < f.nm; i++)
#pragma unroll
      for (int j = 0; j < f.nn; j++) multiply_16x8x8(f.d[i][j], x[i][0], y[j]);
  }
}

/* The same for complex numbers, by four products of real ones; both operands may be conjugated. */
template <class S, class A, class B>
__device__ __forceinline__ void multiply_slice(complex_fragment<S> &f, const complex<double> *a,
                                               const complex<double> *b, bool conja, bool conjb)
{
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  a += g * A::x_step + t * A::k_step;
  b += g * B::x_step + t * B::k_step;
#pragma unroll
  for (int k = 0; k < S::bk; k += 8, a += 8 * A::k_step, b += 8 * B::k_step) {
    double y[f.nn][2], z[f.nn][2]; /* real and imaginary parts */
#pragma unroll
    for (int j = 0; j < f.nn; j++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        const complex<double> v = conj_if(conjb, b[8 * j * B::x_step + h * 4 * B::k_step]);
        y[j][h] = v.re, z[j][h] = v.im;
      }
#pragma unroll
    for (int i = 0; i < f.nm; i++) {
      double u[4], v[4];
#pragma unroll
      for (int h = 0; h < 4; h++) {
        const complex<double> w = conj_if(conja, a[(16 * i + h % 2 * 8) * A::x_step + h / 2 * 4 * A::k_step]);
        u[h] = w.re, v[h] = w.im;
      }
#pragma unroll
      for (int j = 0; j < f.nn; j++) {
        multiply_16x8x8(f.re[i][j], u, y[j]);
        multiply_16x8x8(f.im[i][j], u, z[j]);
        multiply_16x8x8(f.im[i][j], v, y[j]);
      }
#pragma unroll
      for (int h = 0; h < 4; h++) v[h] = -v[h];
#pragma unroll
      for (int j = 0; j < f.nn; j++) multiply_16x8x8(f.re[i][j], v, z[j]);
    }
  }
}

/* The same with fused multiply-adds; both operands may be conjugated. */
template <class S, class A, class B, class T>
__device__ __forceinline__ void add_slice(fragment<S, T> &f, const T *a, const T *b, bool conja, bool conjb)
{
  static_assert(S::pairs, "");
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  a += 2 * g * A::x_step;
  b += 4 * t * B::x_step;
#pragma unroll
  for (int k = 0; k < S::bk; k += 2, a += 2 * A::k_step, b += 2 * B::k_step) {
    T x[S::wm / 16][2][2], y[S::wn / 16][2][2][2];
#pragma unroll
    for (int i = 0; i < S::wm / 16; i++) load_2x2<A>(x[i], a + 16 * i * A::x_step);
#pragma unroll
    for (int j = 0; j < S::wn / 16; j++)
#pragma unroll
      for (int e = 0; e < 2; e++) load_2x2<B>(y[j][e], b + (16 * j + 2 * e) * B::x_step);
#pragma unroll
    for (int s = 0; s < 2; s++)
#pragma unroll
      for (int j = 0; j < S::wn / 16; j++)
#pragma unroll
        for (int e = 0; e < 2; e++)
#pragma unroll
          for (int i = 0; i < S::wm / 16; i++)
#pragma unroll
            for (int h = 0; h < 4; h++) {
              T &d = f.d[i][2 * j + h % 2][h / 2 * 2 + e];
              d = mad(conj_if(conja, x[i][s][h / 2]), conj_if(conjb, y[j][e][s][h % 2]), d);
            }
  }
}

/* C's columns from c on, two rows at a time where they are aligned; i0, j0: where the warp's part is in C (m x n). */
template <class S, class F, class T>
__device__ __forceinline__ void store(const product<T> &p, const F &f, T *c, int64_t ld, int i0, int j0, int m, int n)
{
  const int lane = threadIdx.x % 32;
  const bool reads = !(p.beta == make<T>(0));
  const bool aligned = (reinterpret_cast<uintptr_t>(c) | (uintptr_t)ld * sizeof(T)) % sizeof(pair_of<T>) == 0;
#pragma unroll
  for (int j = 0; j < S::wn / 8; j++)
#pragma unroll
    for (int e = 0; e < 2; e++) {
      const int col = j0 + f.col(j, e, lane);
      if (col >= n) continue;
#pragma unroll
      for (int i = 0; i < S::wm / 16; i++) {
        const int row = i0 + f.row(i, 0, lane), step = F::row_pairs ? 1 : 8;
        T *at = c + row + col * ld;
        if (F::row_pairs && aligned && p.which == WHOLE && row + 1 < m) {
          pair_of<T> v = {f.value(i, j, e), f.value(i, j, 2 + e)};
          const pair_of<T> old = reads ? *reinterpret_cast<pair_of<T> *>(at) : v;
          v = {p.result(v.x, old.x, row, col), p.result(v.y, old.y, row + 1, col)};
          *reinterpret_cast<pair_of<T> *>(at) = v;
        } else {
#pragma unroll
          for (int r = 0; r < 2 * step; r += step) {
            const T v = f.value(i, j, 2 * (r > 0) + e);
            if (row + r < m && p.is_wanted(row + r, col)) at[r] = p.result(v, reads ? at[r] : v, row + r, col);
          }
        }
      }
    }
}

/* Do lanes read neighbouring k of B? */
template <bool tensor, bool ka, class T> static constexpr bool is_spread = !is_complex<T> && tensor && ka;

/* One tile of one matrix, at row i0 and column j0 of C.  ka, kb: k is the fast index of A, of B. */
template <class S, bool tensor, bool ka, bool kb, class T>
__device__ __forceinline__ void compute_tile(const product<T> &p, int64_t matrix, int i0, int j0, int m, int n,
                                             T *shared)
{
  using A = slice_of<S::bm, S::bk, ka && tensor>;
  using B = slice_of<S::bn, S::bk, kb && tensor, is_spread<tensor, ka, T>>;
  const int depth = p.depth(matrix), warp = threadIdx.x / 32;
  const int wi = warp % S::warps_m * S::wm, wj = warp / S::warps_m * S::wn;
  operand<T> a = {nullptr, p.a.leading(matrix), m - i0, depth};
  operand<T> b = {nullptr, p.b.leading(matrix), n - j0, depth};
  if (depth > 0) {
    a.p = p.a.at(matrix) + (ka ? i0 * a.ld : i0);
    b.p = p.b.at(matrix) + (kb ? j0 * b.ld : j0);
  }
  /* a warp with nothing of C but what is not wanted has no products to form */
  const bool idle = i0 + wi >= m || j0 + wj >= n || (p.which == LOWER_PART && i0 + wi + S::wm <= j0 + wj) ||
                    (p.which == UPPER_PART && i0 + wi >= j0 + wj + S::wn);
  const int slices = (depth + S::bk - 1) / S::bk;
  fragment_of<S, T, tensor, ka, kb> f = {};
  const auto fetch = [&](int s) {
    if (s < slices) {
      const unsigned to = (unsigned)__cvta_generic_to_shared(shared + s % S::stages * (A::size + B::size));
      copy_slice<S, A, S::bm, ka>(to, a, s * S::bk);
      copy_slice<S, B, S::bn, kb>(to + A::size * (unsigned)sizeof(T), b, s * S::bk);
    }
    copy_commit();
  };
#pragma unroll
  for (int s = 0; s < S::stages - 1; s++) fetch(s);
#pragma unroll 1
  for (int s = 0; s < slices; s++) {
    copy_wait<S::stages - 2>();
    __syncthreads();
    fetch(s + S::stages - 1);
    const T *as = shared + s % S::stages * (A::size + B::size) + wi * A::x_step;
    const T *bs = shared + s % S::stages * (A::size + B::size) + A::size + wj * B::x_step;
    if (idle) continue;
    if constexpr (tensor && is_complex<T>)
      multiply_slice<S, A, B>(f, as, bs, ka && p.conja, !kb && p.conjb);
    else if constexpr (tensor)
      multiply_slice<S, A, B>(f, as, bs);
    else
      add_slice<S, A, B>(f, as, bs, ka && p.conja, !kb && p.conjb);
  }
  if (!idle) store<S>(p, f, p.c.at(matrix), p.c.leading(matrix), i0 + wi, j0 + wj, m, n);
}

template <class S, bool tensor, bool ka, bool kb, class T>
__global__ void __launch_bounds__(S::threads, S::blocks)
  tile_kernel(const __grid_constant__ product<T> p, int tiles_m, int tiles_n)
{
  T *shared = shared_array<T>();
  const int64_t tiles = (int64_t)tiles_m * tiles_n, work = tiles * p.c.count;
  for (int64_t w = blockIdx.x; w < work; w += gridDim.x) {
    const int64_t matrix = tiles == 1 ? w : w / tiles;
    const int tile = (int)(w - matrix * tiles), i0 = tile % tiles_m * S::bm, j0 = tile / tiles_m * S::bn;
    const int m = p.c.rows(matrix), n = p.c.cols(matrix);
    const bool outside =
      i0 >= m || j0 >= n || (p.which == LOWER_PART && i0 + S::bm <= j0) || (p.which == UPPER_PART && i0 >= j0 + S::bn);
    if (!outside) compute_tile<S, tensor, ka, kb>(p, matrix, i0, j0, m, n, shared);
    if (w + gridDim.x < work) __syncthreads(); /* the next tile overwrites the slices */
  }
}

template <class S, bool tensor, bool ka, bool kb, class T> int launch_tile(batched_ctx *ctx, const product<T> &p)
{
  const int64_t tiles_m = ceil_div(p.c.m, S::bm), tiles_n = ceil_div(p.c.n, S::bn);
  using A = slice_of<S::bm, S::bk, ka && tensor>;
  using B = slice_of<S::bn, S::bk, kb && tensor, is_spread<tensor, ka, T>>;
  return launch(ctx, tile_kernel<S, tensor, ka, kb, T>, tiles_m * tiles_n * p.c.count, S::threads,
                S::stages * (A::size + B::size) * sizeof(T), p, (int)tiles_m, (int)tiles_n);
}

template <class S, bool tensor, class T> int launch_tile(batched_ctx *ctx, const product<T> &p)
{
  if (p.transa)
    return p.transb ? launch_tile<S, tensor, true, false>(ctx, p) : launch_tile<S, tensor, true, true>(ctx, p);
  return p.transb ? launch_tile<S, tensor, false, false>(ctx, p) : launch_tile<S, tensor, false, true>(ctx, p);
}

} // namespace batched_cuda

#endif
