/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.rows of symv and hemv: y = alpha A x + beta y of one matrix that the L2 cache holds, in one launch.
 */
#ifndef BATCHED_PRODUCTS_CUDA_SYMV_ROWS_CUH
#define BATCHED_PRODUCTS_CUDA_SYMV_ROWS_CUH

#include "batched/products/cuda/gemv_native.cuh"
#include "batched/products/cuda/symv.cuh"

namespace batched_cuda::products
{

/* Element (i, c) of the whole matrix, of which a triangle is stored. */
template <class T> static __device__ __forceinline__ T whole_element(const triangle<T> &t, int i, int c)
{
  const bool mirrored = t.lower ? i < c : i > c;
  const T e = mirrored ? conj_if(t.hermitian, t.a[c + (int64_t)i * t.ld]) : t.a[i + (int64_t)c * t.ld];
  return t.hermitian && i == c ? make<T>(real(e)) : e;
}

/* y = alpha A x + beta y, R rows per block.
 *   algorithm  R rows of the triangle beside the diagonal as in multiply_rows(); of its R columns, which are mirrored,
 *              8 per warp, and a strip of their rows; the R x R elements at the diagonal one by one.  So an element is
 *              read twice, the second time from the L2 cache, and blocks have nothing to add
 *   grid       a block of 512 threads per R rows
 *   shared     2 R elements per warp
 *   takes      any n, all types, uniform and variable
 *   memory     the triangle twice, x once per block
 *   accuracy   sums in an order that R and n alone decide */
template <class T, int R>
static __global__ void __launch_bounds__(32 * rows_warps, 1) symmetric_rows(symmetric_product<T> p)
{
  constexpr int V = in_16_bytes<T>, high = R / V, wide = 32 / high, warps = rows_warps;
  constexpr int U = sizeof(T) == 16 ? 4 : 8, groups = R / dots, strips = warps / groups;
  T *part = shared_array<T>(), *mirrored = part + warps * R;
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int64_t each = (p.a.n + R - 1) / R;
  wait_for_stream(true);
  for (int64_t item = blockIdx.x; item < p.y.count * each; item += gridDim.x) {
    const triangle<T> t(p, item / each);
    const int i0 = (int)(item % each) * R, i = i0 + lane % high * V, c = w * wide + lane / high;
    if (i0 >= t.n) continue;
    const int after = i0 + R < t.terms ? i0 + R : t.terms, left = t.terms < i0 ? 0 : i0;
    T sum[V] = {}, dot[dots] = {};
#pragma unroll
    for (int k = c; k < R; k += warps * wide)
#pragma unroll
      for (int v = 0; v < V; v++)
        if (i + v < t.terms && i0 + k < t.terms) sum[v] = mad(whole_element(t, i + v, i0 + k), t.in(i0 + k), sum[v]);
    one_product<T> stored, other;
    const int first = t.lower ? 0 : after, begin = t.lower ? after : 0;
    stored.a = t.a + (int64_t)first * t.ld;
    stored.x = t.x + (int64_t)first * t.incx;
    stored.m = after;
    stored.n = t.lower ? left : t.terms - after;
    other.a = t.a + begin;
    other.x = t.x + (int64_t)begin * t.incx;
    other.m = t.lower ? t.terms - after : left;
    other.n = after;
    stored.ld = other.ld = t.ld;
    stored.incx = other.incx = t.incx;
    if (i + V <= after && is_aligned(stored))
      add_rows<true, U>(stored, i, c, warps * wide, sum);
    else
      add_rows<false, U>(stored, i, c, warps * wide, sum);
    const int j0 = i0 + w % groups * dots, step = strips * 32 * V;
    int r = (w / groups * 32 + lane) * V;
    const int whole = is_aligned(other) ? other.m - V : -1;
    if (j0 < after) {
#pragma unroll 1
      for (; r <= whole; r += step) add_dots<true>(other, t.hermitian, r, j0, other.m, dot);
#pragma unroll 1
      for (; r < other.m; r += step) add_dots<false>(other, t.hermitian, r, j0, other.m, dot);
    }
#pragma unroll
    for (int v = 0; v < V; v++) {
#pragma unroll
      for (int lanes = high; lanes < 32; lanes *= 2) sum[v] += shuffle_xor(sum[v], lanes);
      if (lane < high) part[w * R + lane * V + v] = sum[v];
    }
    const T total = sum_transposed<dots, 32>(dot);
    if (lane < dots) mirrored[w / groups * R + w % groups * dots + lane] = total;
    __syncthreads();
    if (threadIdx.x < R && i0 + (int)threadIdx.x < t.n) {
      T sums[4] = {};
#pragma unroll
      for (int k = 0; k < warps; k++) sums[k % 4] += part[k * R + threadIdx.x];
#pragma unroll
      for (int k = 0; k < strips; k++) sums[k % 4] += mirrored[k * R + threadIdx.x];
      t.out(i0 + threadIdx.x, (sums[0] + sums[1]) + (sums[2] + sums[3]));
    }
    __syncthreads();
  }
}

template <class T, int R> static int launch_symmetric_rows(batched_ctx *ctx, const symmetric_product<T> &p)
{
  const size_t bytes = (size_t)2 * R * rows_warps * sizeof(T);
  return launch_waiting(ctx, symmetric_rows<T, R>, p.y.count * ceil_div(p.a.n, R), 32 * rows_warps, bytes, p);
}

template <class T> static int multiply_symmetric_rows(batched_ctx *ctx, const symmetric_product<T> &p)
{
  constexpr int R = bytes_of_rows / (int)sizeof(T);
  return p.a.n < most_rows ? launch_symmetric_rows<T, R>(ctx, p) : launch_symmetric_rows<T, 2 * R>(ctx, p);
}

} // namespace batched_cuda::products

#endif
