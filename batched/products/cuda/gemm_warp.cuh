/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.warp of gemm and syrk: C of up to 16 x 16, straight from global memory to registers.  A warp forms C^T =
 * op(B)^T op(A)^T in products of 8 x 8 x 4 (mma.cuh).  Of matrices of up to 4 x 4 or 2 x 2, two or four lie on the
 * diagonal of one such product.
 */
#ifndef BATCHED_PRODUCTS_CUDA_GEMM_WARP_CUH
#define BATCHED_PRODUCTS_CUDA_GEMM_WARP_CUH

#include "batched/cuda/mma.cuh"
#include "batched/products/cuda/gemm_operands.cuh"

namespace batched_cuda::products
{

/* Matrices of up to N x N: `packed` of them in one 8 x 8 product, and `groups` such products per warp; or r x r
 * products per matrix.  4 steps of k are loaded ahead. */
template <int N, class T> struct warp_shape {
  static constexpr int packed = N < 8 ? 8 / N : 1, r = N < 8 ? 1 : N / 8;
  static constexpr int groups = N == 16 ? 1 : is_complex<T> ? 2 : 4;
  static constexpr int steps = N < 8 ? 1 : N / 4;
  static constexpr int warps = 4, per_warp = packed * groups;
};

/* A lane's address in every packed-th matrix of an operand, from matrix `first` on: by a stride, or, in a variable
 * batch, matrix by matrix. */
template <class T, bool variable> struct path {
  const batch<T> &from;
  int64_t first, place, step;
  T *p;

  __device__ __forceinline__ path(const batch<T> &from, int64_t first, int packed, int row, int col)
      : from(from), first(first), place(0), step(packed * from.stride), p(nullptr)
  {
    if (variable) return;
    place = from.i0 + row + (int64_t)(from.j0 + col) * from.ld;
    if (!from.array) p = from.data + first * from.stride + place;
  }
  __device__ __forceinline__ T *at(int q, int64_t matrix, int row, int col) const
  {
    if (variable) return from.at(matrix) + row + (int64_t)col * from.leading(matrix);
    return from.array ? from.array[matrix] + place : p + q * step;
  }
  __device__ __forceinline__ int64_t leading(int64_t matrix) const
  {
    return variable ? from.leading(matrix) : from.ld;
  }
};

struct extents {
  int m, n, k;
};

template <bool variable, class T> __device__ __forceinline__ extents extents_of(const product<T> &p, int64_t matrix)
{
  if constexpr (variable)
    return {p.c.rows(matrix), p.c.cols(matrix), p.depth(matrix)};
  else
    return {p.c.m, p.c.n, p.alpha == make<T>(0) ? 0 : p.transa ? p.a.m : p.a.n};
}

/* C = alpha op(A) op(B) + beta C, or a triangle of it, C of up to N x N.
 *   algorithm  products of 8 x 8 x 4: on the tensor cores (double, complex double), or by shuffles and fused
 *              multiply-adds
 *   grid       four warps per block; a warp per warp_shape::per_warp matrices
 *   registers  two elements of C per lane and 8 x 8 product; no shared memory
 *   takes      m, n <= 16, any k, all types, uniform and variable
 *   memory     A and B once, C once from (beta != 0) and to global memory
 *   accuracy   sums in the order of k, by fours
 * In the 8 x 8 products of lane 4 g + t, g is a column of C; the two columns 2 t + e of a product are rows t + 4 e of
 * C, or for packed matrices row t % N of matrix e + 2 (t / N): so lanes store neighbours. */
template <int N, bool variable, class T>
__global__ void __launch_bounds__(32 * warp_shape<N, T>::warps) warp_kernel(const __grid_constant__ product<T> p)
{
  using S = warp_shape<N, T>;
  constexpr int R = S::r, G = S::groups;
  const int t = threadIdx.x % 4, g = threadIdx.x % 32 / 4;
  const int slot = N < 8 ? g / N : 0, col = N < 8 ? g % N : g;
  const int slot_a = N < 8 ? g % 2 + 2 * (g / 2 / N) : 0, row = N < 8 ? g / 2 % N : g / 2 + 4 * (g % 2);
  const int most = p.alpha == make<T>(0) ? 0 : p.transa ? p.a.m : p.a.n;
  const int64_t warps = (int64_t)gridDim.x * S::warps;
  const bool reads = !(p.beta == make<T>(0)), mine = N >= 8 || 2 * (t / N) == slot - slot % 2;
  for (int64_t w = blockIdx.x * (int64_t)S::warps + threadIdx.x / 32; w * S::per_warp < p.c.count; w += warps) {
    const int64_t first_a = w * S::per_warp + slot_a, first = w * S::per_warp + slot;
    const int left_a = (int)(p.c.count - first_a < S::per_warp ? p.c.count - first_a : S::per_warp);
    const int left = (int)(p.c.count - first < S::per_warp ? p.c.count - first : S::per_warp);
    T d[G][R][R][2] = {};
    for (int k0 = 0; k0 < most; k0 += 4 * S::steps) {
      const int k = k0 + t;
      const path<T, variable> pa(p.a, first_a, S::packed, p.transa ? k : row, p.transa ? row : k);
      const path<T, variable> pb(p.b, first, S::packed, p.transb ? col : k, p.transb ? k : col);
      T a[G][S::steps][R] = {}, b[G][S::steps][R] = {};
#pragma unroll
      for (int q = 0; q < G; q++) {
        if (q * S::packed < left_a) {
          const int64_t matrix = first_a + q * S::packed;
          const extents e = extents_of<variable>(p, matrix);
          if (k < e.k && row < e.m && e.n > 0) {
            const T *x = pa.at(q, matrix, p.transa ? k : row, p.transa ? row : k);
            const int64_t ld = pa.leading(matrix), next = p.transa ? ld : 1, step = p.transa ? 1 : ld;
#pragma unroll
            for (int s = 0; s < S::steps; s++)
#pragma unroll
              for (int i = 0; i < R; i++)
                if (k + 4 * s < e.k && row + 8 * i < e.m) a[q][s][i] = x[4 * s * step + 8 * i * next];
          }
        }
        if (q * S::packed < left) {
          const int64_t matrix = first + q * S::packed;
          const extents e = extents_of<variable>(p, matrix);
          if (k < e.k && col < e.n && e.m > 0) {
            const T *x = pb.at(q, matrix, p.transb ? col : k, p.transb ? k : col);
            const int64_t ld = pb.leading(matrix), next = p.transb ? 1 : ld, step = p.transb ? ld : 1;
#pragma unroll
            for (int s = 0; s < S::steps; s++)
#pragma unroll
              for (int i = 0; i < R; i++)
                if (k + 4 * s < e.k && col + 8 * i < e.n) b[q][s][i] = x[4 * s * step + 8 * i * next];
          }
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
    const int top = N < 8 ? t % N : t;
    const path<T, variable> pc(p.c, first, S::packed, top, col);
#pragma unroll
    for (int q = 0; q < G; q++) {
      const int64_t matrix = first + q * S::packed;
      if (!mine || q * S::packed >= left) continue;
      const extents e = extents_of<variable>(p, matrix);
      if (top >= e.m || col >= e.n) continue;
      T *c = pc.at(q, matrix, top, col);
      const int64_t ld = pc.leading(matrix);
      const auto put = [&](T sum, int i, int j) {
        if (top + i >= e.m || col + j >= e.n || !p.is_wanted(top + i, col + j)) return;
        T *at = c + i + j * ld;
        *at = p.result(sum, reads ? *at : sum, top + i, col + j);
      };
      if constexpr (N < 8) {
        put(slot % 2 ? d[q][0][0][1] : d[q][0][0][0], 0, 0);
      } else {
#pragma unroll
        for (int j = 0; j < R; j++)
#pragma unroll
          for (int i = 0; i < R; i++)
#pragma unroll
            for (int h = 0; h < 2; h++) put(d[q][i][j][h], 4 * h + 8 * i, 8 * j);
      }
    }
  }
}

template <int N, class T> int launch_warp(batched_ctx *ctx, const product<T> &p)
{
  using S = warp_shape<N, T>;
  const bool variable = p.a.is_variable() || p.b.is_variable() || p.c.is_variable();
  return launch(ctx, variable ? warp_kernel<N, true, T> : warp_kernel<N, false, T>,
                ceil_div(p.c.count, S::per_warp * S::warps), 32 * S::warps, 0, p);
}

} // namespace batched_cuda::products

#endif
