/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.block of gemv: a block per matrix.
 */
#ifndef BATCHED_PRODUCTS_CUDA_GEMV_BLOCK_CUH
#define BATCHED_PRODUCTS_CUDA_GEMV_BLOCK_CUH

#include "batched/products/cuda/gemv.cuh"

namespace batched_cuda::products
{

/* Sums of rows i0 .. i0 + 32 P of this block over columns [begin, end), warps taking U columns in turn.  After the
 * barrier part[w][i - i0] is the sum of warp w. */
template <int P, int U, class T>
static __device__ __forceinline__ void rows_of_block(const one_product<T> &o, int i0, int begin, int end, T *part)
{
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  T sum[P] = {};
  for (int j = begin + w * U; j < end; j += warps * U) add_columns<P, U>(o, i0 + lane, j, 1, end, sum);
#pragma unroll
  for (int q = 0; q < P; q++) part[(w * P + q) * 32 + lane] = sum[q];
  __syncthreads();
}

template <class T> static __device__ __forceinline__ T sum_parts(const T *part, int each, int i)
{
  T sum = part[i];
  for (int w = 1; w < (int)blockDim.x / 32; w++) sum += part[w * each + i];
  return sum;
}

/* y = alpha A x + beta y.
 *   algorithm  warps share the columns, lanes have rows; the warps' sums are added in shared memory
 *   grid       a block of 64 to 256 threads per matrix
 *   registers  4 to 8 columns of A ahead per lane
 *   shared     P elements per thread
 *   takes      any size, all types, uniform and variable, A shared or not
 *   memory     A and x once, y once from (beta != 0) and to global memory
 *   accuracy   sums in an order that m and n alone decide
 * (T. Dong et al., MAGMA Batched: A Batched BLAS Approach for Small Matrix Factorizations and Applications on GPUs.) */
template <class T, int P> static __global__ void __launch_bounds__(256, 2) multiply_block(gemv_product<T> p)
{
  constexpr int U = sizeof(T) == 16 || P == 4 ? 4 : 8;
  T *part = shared_array<T>();
  for (int64_t b = blockIdx.x; b < p.y.count; b += gridDim.x) {
    const one_product<T> o(p, b);
    for (int i0 = 0; i0 < o.m; i0 += 32 * P) {
      rows_of_block<P, U>(o, i0, 0, o.n, part);
      for (int i = threadIdx.x; i < 32 * P && i0 + i < o.m; i += blockDim.x) o.out(i0 + i, sum_parts(part, 32 * P, i));
      __syncthreads();
    }
  }
}

static constexpr int dots = 8; /* columns per warp and pass */

/* y = alpha op(A) x + beta y, op(A) = A^T or A^H: the same, but each warp has 8 columns at a time, and no shared
 * memory. */
template <class T> static __global__ void __launch_bounds__(256, 2) multiply_block_transposed(gemv_product<T> p)
{
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  for (int64_t b = blockIdx.x; b < p.y.count; b += gridDim.x) {
    const one_product<T> o(p, b);
    for (int j = w * dots; j < o.n; j += warps * dots) {
      T sum[dots] = {};
#pragma unroll 2
      for (int i = lane; i - lane < o.m; i += 32) add_row<dots>(o, p.conj, i, j, 1, sum);
      const T total = sum_transposed<dots, 32>(sum);
      if (lane < dots && j + lane < o.n) o.out(j + lane, total);
    }
  }
}

/* More warps for more elements; transposed: as many as share the groups of columns most evenly. */
static int block_threads(bool plain, int m, int n)
{
  const int64_t elements = (int64_t)m * n, groups = ceil_div(n, dots);
  const int most = plain && elements <= 2048 ? 2 : elements <= 64 * 64 ? 4 : 8;
  int warps = most;
  for (int w = most; !plain && w >= (most + 1) / 2; w--)
    if (ceil_div(groups, w) * w < ceil_div(groups, warps) * warps) warps = w;
  return 32 * (plain || groups > warps ? warps : (int)groups);
}

template <class T> static int multiply_blocks(batched_ctx *ctx, const gemv_product<T> &p)
{
  const int threads = block_threads(p.plain, p.a.m, p.a.n);
  if (!p.plain) return launch(ctx, multiply_block_transposed<T>, p.y.count, threads, 0, p);
  if (p.a.m <= 32) return launch(ctx, multiply_block<T, 1>, p.y.count, threads, threads * sizeof(T), p);
  if (p.a.m <= 64) return launch(ctx, multiply_block<T, 2>, p.y.count, threads, 2 * threads * sizeof(T), p);
  return launch(ctx, multiply_block<T, 4>, p.y.count, threads, 4 * threads * sizeof(T), p);
}

} // namespace batched_cuda::products

#endif
