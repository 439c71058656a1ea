/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products of matrices of up to 16 x 16, straight from memory to registers: a warp forms C^T = op(B)^T op(A)^T in products
 * of 8 x 8.  Of matrices of up to 4 x 4 or 2 x 2, two or four lie on the diagonal of one such product.
 */
#ifndef BATCHED_CUDA_GEMM_TINY_CUH
#define BATCHED_CUDA_GEMM_TINY_CUH

#include "gemm_product.cuh"

namespace batched_cuda
{

/* Matrices of up to N x N: `packed` of them in one 8 x 8 product, `groups` such a warp at a time, or R x R products for
 * one matrix; STEPS x 4 of k are fetched before they are used. */
template <int N> struct tiny_shape {
  static constexpr int packed = N < 8 ? 8 / N : 1, r = N < 8 ? 1 : N / 8;
  static constexpr int groups = N < 8 ? 4 : N == 8 ? 4 : 1, steps = N < 8 ? 1 : N / 4;
  static constexpr int warps = 4, per_warp = packed * groups;
};

/* What lane 4 g + t does: its g is a column and a row of C, its t a k or a pair of rows. */
template <class T> struct tiny_lane {
  const T *a, *b;
  T *c;
  int64_t a_step, b_step; /* from one k to the next */
  int64_t a_next, b_next; /* from one row or column of C to the next */
  int64_t ldc;
  int m, n, k;
};

template <class S, class T>
__device__ __forceinline__ tiny_lane<T> open(const product<T> &p, int64_t matrix, int slot, int N)
{
  tiny_lane<T> l = {};
  if (matrix >= p.c.count) return l;
  l.m = p.c.rows(matrix);
  l.n = p.c.cols(matrix);
  if (l.m == 0 || l.n == 0) return l;
  l.k = p.depth(matrix);
  l.c = p.c.at(matrix);
  l.ldc = p.c.leading(matrix);
  if (l.k == 0) return l;
  const int64_t lda = p.a.leading(matrix), ldb = p.b.leading(matrix);
  l.a = p.a.at(matrix);
  l.b = p.b.at(matrix);
  l.a_step = p.transa ? 1 : lda;
  l.a_next = p.transa ? lda : 1;
  l.b_step = p.transb ? ldb : 1;
  l.b_next = p.transb ? 1 : ldb;
  return l;
}

template <int N, class T>
__global__ void __launch_bounds__(32 * tiny_shape<N>::warps) tiny_kernel(const __grid_constant__ product<T> p)
{
  using S = tiny_shape<N>;
  constexpr int R = S::r, G = S::groups;
  const int lane = threadIdx.x % 32, t = lane % 4, g = lane / 4, slot = N < 8 ? g / N : 0, x = N < 8 ? g % N : g;
  const int most = p.transa ? p.a.m : p.a.n;
  const int64_t warps = (int64_t)gridDim.x * S::warps;
  for (int64_t w = blockIdx.x * (int64_t)S::warps + threadIdx.x / 32; w * S::per_warp < p.c.count; w += warps) {
    tiny_lane<T> l[G];
    T d[G][R][R][2];
#pragma unroll
    for (int q = 0; q < G; q++) {
      l[q] = open<S>(p, w * S::per_warp + q * S::packed + slot, slot, N);
#pragma unroll
      for (int i = 0; i < R; i++)
#pragma unroll
        for (int j = 0; j < R; j++) d[q][i][j][0] = d[q][i][j][1] = make<T>(0);
    }
    for (int k0 = 0; k0 < most; k0 += 4 * S::steps) {
      T a[G][S::steps][R], b[G][S::steps][R];
#pragma unroll
      for (int q = 0; q < G; q++)
#pragma unroll
        for (int s = 0; s < S::steps; s++) {
          const int k = k0 + 4 * s + t;
#pragma unroll
          for (int i = 0; i < R; i++) {
            const int at = x + 8 * i;
            a[q][s][i] = b[q][s][i] = make<T>(0);
            if (k < l[q].k && at < l[q].m) a[q][s][i] = l[q].a[k * l[q].a_step + at * l[q].a_next];
            if (k < l[q].k && at < l[q].n) b[q][s][i] = l[q].b[k * l[q].b_step + at * l[q].b_next];
          }
        }
#pragma unroll
      for (int q = 0; q < G; q++)
#pragma unroll
        for (int s = 0; s < S::steps; s++)
#pragma unroll
          for (int j = 0; j < R; j++)
#pragma unroll
            for (int i = 0; i < R; i++)
              multiply_8x8x4(d[q][i][j], conj_if(p.conjb, b[q][s][j]), conj_if(p.conja, a[q][s][i]));
    }
    const bool reads = !(p.beta == make<T>(0)), mine = N >= 8 || 2 * t / N == slot;
#pragma unroll
    for (int q = 0; q < G; q++)
#pragma unroll
      for (int j = 0; j < R; j++)
#pragma unroll
        for (int i = 0; i < R; i++)
#pragma unroll
          for (int e = 0; e < 2; e++) {
            const int row = (2 * t + e) % N + 8 * i, col = x + 8 * j;
            if (!mine || row >= l[q].m || col >= l[q].n || !p.is_wanted(row, col)) continue;
            T *c = l[q].c + row + col * l[q].ldc;
            *c = p.result(d[q][i][j][e], reads ? *c : make<T>(0), row, col);
          }
  }
}

template <int N, class T> int launch_tiny(batched_ctx *ctx, const product<T> &p)
{
  using S = tiny_shape<N>;
  return launch(ctx, tiny_kernel<N, T>, ceil_div(p.c.count, S::per_warp * S::warps), 32 * S::warps, 0, p);
}

} // namespace batched_cuda

#endif
