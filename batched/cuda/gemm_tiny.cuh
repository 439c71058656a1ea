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

/* Matrices of up to N x N: `packed` of them in one 8 x 8 product and `groups` such a warp, or R x R products for one
 * matrix; 4 x STEPS of k are fetched before they are used. */
template <int N, class T> struct tiny_shape {
  static constexpr int packed = N < 8 ? 8 / N : 1, r = N < 8 ? 1 : N / 8;
  static constexpr int groups = N == 16 ? 1 : is_complex<T> ? 2 : 4;
  static constexpr int steps = N < 8 ? 1 : N / 4;
  static constexpr int warps = 4, per_warp = packed * groups;
};

struct extents {
  int m, n, k;
};

template <bool variable, class T> __device__ __forceinline__ extents extents_of(const product<T> &p, int64_t matrix)
{
  if (matrix >= p.c.count) return {0, 0, 0};
  if constexpr (variable)
    return {p.c.rows(matrix), p.c.cols(matrix), p.depth(matrix)};
  else
    return {p.c.m, p.c.n, p.alpha == make<T>(0) ? 0 : p.transa ? p.a.m : p.a.n};
}

/* Columns k0 + t, k0 + 4 + t, ... of op(A) or rows of op(B): x[s][i] is the number at place `at` + 8 i of the s-th. */
template <class S, class T>
__device__ __forceinline__ void fetch(T (&x)[S::steps][S::r], const batch<T> &from, bool k_fast, int64_t matrix, int k0,
                                      int depth, int at, int end)
{
  const int k = k0 + threadIdx.x % 4, ld = from.leading(matrix);
  const int64_t step = k_fast ? 1 : ld, next = k_fast ? ld : 1;
  const T *p = depth > 0 && end > 0 ? from.at(matrix) + k * step + at * next : nullptr;
#pragma unroll
  for (int s = 0; s < S::steps; s++)
#pragma unroll
    for (int i = 0; i < S::r; i++) {
      x[s][i] = make<T>(0);
      if (k + 4 * s < depth && at + 8 * i < end) x[s][i] = p[4 * s * step + 8 * i * next];
    }
}

/* Lane 4 g + t.  In the 8 x 8 products, g is a column of C; the two columns 2 t + e of a product are rows t + 4 e of C, or
 * for packed matrices row t % N of matrix e + 2 (t / N): so lanes store what is side by side in memory. */
template <int N, bool variable, class T>
__global__ void __launch_bounds__(32 * tiny_shape<N, T>::warps) tiny_kernel(const __grid_constant__ product<T> p)
{
  using S = tiny_shape<N, T>;
  constexpr int R = S::r, G = S::groups;
  const int t = threadIdx.x % 4, g = threadIdx.x % 32 / 4;
  const int slot = N < 8 ? g / N : 0, col = N < 8 ? g % N : g;
  const int slot_a = N < 8 ? g % 2 + 2 * (g / 2 / N) : 0, row_a = N < 8 ? g / 2 % N : g / 2 + 4 * (g % 2);
  const int most = p.alpha == make<T>(0) ? 0 : p.transa ? p.a.m : p.a.n;
  const int64_t warps = (int64_t)gridDim.x * S::warps;
  const bool reads = !(p.beta == make<T>(0)), mine = N >= 8 || 2 * (t / N) == slot - slot % 2;
  for (int64_t w = blockIdx.x * (int64_t)S::warps + threadIdx.x / 32; w * S::per_warp < p.c.count; w += warps) {
    const int64_t first = w * S::per_warp;
    T d[G][R][R][2] = {};
    for (int k0 = 0; k0 < most; k0 += 4 * S::steps) {
      T a[G][S::steps][R], b[G][S::steps][R];
#pragma unroll
      for (int q = 0; q < G; q++) {
        const int64_t matrix_a = first + q * S::packed + slot_a, matrix_b = first + q * S::packed + slot;
        const extents ea = extents_of<variable>(p, matrix_a), eb = extents_of<variable>(p, matrix_b);
        fetch<S>(a[q], p.a, p.transa, matrix_a, k0, ea.n > 0 ? ea.k : 0, row_a, ea.m);
        fetch<S>(b[q], p.b, !p.transb, matrix_b, k0, eb.m > 0 ? eb.k : 0, col, eb.n);
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
#pragma unroll
    for (int q = 0; q < G; q++) {
      const int64_t matrix = first + q * S::packed + slot;
      const extents e = extents_of<variable>(p, matrix);
      if (!mine || e.m == 0 || e.n == 0) continue;
      const int64_t ld = p.c.leading(matrix);
      T *c = p.c.at(matrix) + col * ld;
      const auto put = [&](T sum, int i, int j) {
        if (i >= e.m || j >= e.n || !p.is_wanted(i, j)) return;
        T *at = c + i + (j - col) * ld;
        *at = p.result(sum, reads ? *at : sum, i, j);
      };
      if constexpr (N < 8) {
        put(slot % 2 ? d[q][0][0][1] : d[q][0][0][0], t % N, col);
      } else {
#pragma unroll
        for (int j = 0; j < R; j++)
#pragma unroll
          for (int i = 0; i < R; i++)
#pragma unroll
            for (int h = 0; h < 2; h++) put(d[q][i][j][h], t + 4 * h + 8 * i, col + 8 * j);
      }
    }
  }
}

template <int N, class T> int launch_tiny(batched_ctx *ctx, const product<T> &p)
{
  using S = tiny_shape<N, T>;
  const bool variable = p.a.is_variable() || p.b.is_variable() || p.c.is_variable();
  return launch(ctx, variable ? tiny_kernel<N, true, T> : tiny_kernel<N, false, T>,
                ceil_div(p.c.count, S::per_warp * S::warps), 32 * S::warps, 0, p);
}

} // namespace batched_cuda

#endif
