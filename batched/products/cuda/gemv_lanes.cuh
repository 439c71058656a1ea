/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.lanes of gemv: 4 to 32 lanes per matrix, a row each.
 */
#ifndef BATCHED_PRODUCTS_CUDA_GEMV_LANES_CUH
#define BATCHED_PRODUCTS_CUDA_GEMV_LANES_CUH

#include "batched/products/cuda/gemv.cuh"

namespace batched_cuda::products
{

static constexpr int lanes_threads = 128;

/* y = alpha A x + beta y.
 *   algorithm  R lanes of rows by `slices` of columns make a group, which does a matrix; sums over slices by shuffles
 *   grid       a block of 128 threads per 128 / (R slices) matrices
 *   registers  up to 8 elements of A per lane; no shared memory
 *   takes      any size, all types, uniform and variable, A shared or not
 *   memory     A and x once, y once from (beta != 0) and to global memory
 *   accuracy   sums in an order that m and n alone decide
 * Loops are as long as the largest matrix of the warp needs, so that the lanes stay together. */
template <class T, int R>
static __global__ void __launch_bounds__(lanes_threads, 4) multiply_lanes(gemv_product<T> p, int slices)
{
  constexpr int U = R < 8 ? R : 8;
  const int group = R * slices, r = threadIdx.x % R, c = threadIdx.x / R % slices, each = blockDim.x / group;
  for (int64_t first = (int64_t)blockIdx.x * each; first < p.y.count; first += (int64_t)gridDim.x * each) {
    const int64_t b = first + threadIdx.x / group;
    const one_product<T> o = b < p.y.count ? one_product<T>(p, b) : one_product<T>();
    const int m = __reduce_max_sync(all_lanes, o.m), n = __reduce_max_sync(all_lanes, o.n);
    for (int i = r; i - r < m; i += R) {
      T sum[1] = {make<T>(0)};
      for (int j = c; j - c < n; j += U * slices) add_columns<1, U>(o, i, j, slices, o.n, sum);
      for (int lanes = R; lanes < group; lanes *= 2) sum[0] += shuffle_xor(sum[0], lanes);
      if (c == 0 && i < o.m) o.out(i, sum[0]);
    }
  }
}

/* y = alpha op(A) x + beta y, op(A) = A^T or A^H: the same, each group's sums of U columns transposed among the
 * lanes. */
template <class T, int R>
static __global__ void __launch_bounds__(lanes_threads, 4) multiply_lanes_transposed(gemv_product<T> p, int slices)
{
  constexpr int U = R < 8 ? R : 8;
  const int group = R * slices, r = threadIdx.x % R, c = threadIdx.x / R % slices, each = blockDim.x / group;
  for (int64_t first = (int64_t)blockIdx.x * each; first < p.y.count; first += (int64_t)gridDim.x * each) {
    const int64_t b = first + threadIdx.x / group;
    const one_product<T> o = b < p.y.count ? one_product<T>(p, b) : one_product<T>();
    const int m = __reduce_max_sync(all_lanes, o.m), n = __reduce_max_sync(all_lanes, o.n);
    for (int j = c; j - c < n; j += U * slices) {
      T sum[U] = {};
#pragma unroll 1
      for (int i = r; i - r < m; i += R) add_row<U>(o, p.conj, i, j, slices, sum);
      const T total = sum_transposed<U, R>(sum);
      const int column = j + r * slices;
      if (r < U && column < o.n) o.out(column, total);
    }
  }
}

/* Number of slices of columns that leave a lane 16 elements or more. */
template <class T, int R> static int multiply_in_lanes(batched_ctx *ctx, const gemv_product<T> &p)
{
  int slices = 1;
  while (R * slices < 32 && (int64_t)p.a.m * p.a.n > 16 * R * slices) slices *= 2;
  const int64_t blocks = ceil_div(p.y.count, lanes_threads / (R * slices));
  return p.plain ? launch(ctx, multiply_lanes<T, R>, blocks, lanes_threads, 0, p, slices)
                 : launch(ctx, multiply_lanes_transposed<T, R>, blocks, lanes_threads, 0, p, slices);
}

/* Rows to as few lanes as leave few of them idle. */
template <class T> static int multiply_lanes_of(batched_ctx *ctx, const gemv_product<T> &p)
{
  const int m = p.a.m;
  if (m <= 4) return multiply_in_lanes<T, 4>(ctx, p);
  if (m <= 8 || (m > 16 && m <= 24)) return multiply_in_lanes<T, 8>(ctx, p);
  if (m <= 16) return multiply_in_lanes<T, 16>(ctx, p);
  return multiply_in_lanes<T, 32>(ctx, p);
}

} // namespace batched_cuda::products

#endif
