/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.native of gemv: several blocks per matrix, enough of them to fill a GPU with one.
 */
#ifndef BATCHED_PRODUCTS_CUDA_GEMV_NATIVE_CUH
#define BATCHED_PRODUCTS_CUDA_GEMV_NATIVE_CUH

#include "batched/products/cuda/gemv_block.cuh"
#include "batched/products/cuda/gemv_rows.cuh"

namespace batched_cuda::products
{

/* A matrix is cut into `chunks` of its result by `slices` of the sum, a block each; a slice has `depth` terms.  With
 * several slices, their sums go to partial[(b * slices + s) * length + i], and a second kernel adds them. */
struct cut {
  int length, chunks, slices, depth;
};

template <class T> static __device__ __forceinline__ void deliver(const one_product<T> &o, int i, T sum, T *partial)
{
  if (partial)
    partial[i] = sum;
  else
    o.out(i, sum);
}

/* y = alpha A x + beta y, several blocks per matrix.
 *   algorithm  as in gemv_block.cuh, on a chunk of 128 rows and a slice of the columns; then add_slices()
 *   grid       a block of 256 threads per chunk and slice
 *   shared     4 elements per thread
 *   takes      any size, all types, uniform and variable
 *   memory     A once, x once per chunk; the slices' sums to and from global memory
 *   accuracy   sums in an order that m and n alone decide */
template <class T>
static __global__ void __launch_bounds__(256, 2) multiply_native(gemv_product<T> p, cut c, T *partial)
{
  constexpr int P = 4, U = 4, height = 32 * P;
  T *part = shared_array<T>();
  for (int64_t item = blockIdx.x; item < p.y.count * c.chunks * c.slices; item += gridDim.x) {
    const int i0 = (int)(item % c.chunks) * height, s = (int)(item / c.chunks % c.slices);
    const int64_t b = item / c.chunks / c.slices;
    wait_for_stream(gridDim.x <= few_blocks);
    const one_product<T> o(p, b);
    const int begin = s * c.depth, end = begin + c.depth < o.n ? begin + c.depth : o.n;
    T *to = partial ? partial + (b * c.slices + s) * c.length : nullptr;
    rows_of_block<P, U>(o, i0, begin, end, part);
    for (int i = threadIdx.x; i < height && i0 + i < o.m; i += blockDim.x)
      deliver(o, i0 + i, sum_parts(part, height, i), to);
    __syncthreads();
  }
}

/* sum[u] += op(A(r, j + u)) x(r) for 8 columns and 16 bytes of rows r from i on, before `end`. */
template <bool WHOLE, class T>
static __device__ __forceinline__ void add_dots(const one_product<T> &o, bool conjugate, int i, int j, int end,
                                                T (&sum)[dots])
{
  constexpr int V = in_16_bytes<T>;
  T e[dots][V], x[V];
#pragma unroll
  for (int u = 0; u < dots; u++) read_16_bytes<WHOLE>(j + u < o.n, o.a + i + (int64_t)(j + u) * o.ld, end - i, e[u]);
#pragma unroll
  for (int v = 0; v < V; v++) x[v] = o.in(i + v, end);
#pragma unroll
  for (int v = 0; v < V; v++)
#pragma unroll
    for (int u = 0; u < dots; u++) sum[u] = mad(conj_if(conjugate, e[u][v]), x[v], sum[u]);
}

/* y = alpha op(A) x + beta y, op(A) = A^T or A^H: a chunk has 8 columns, and a lane 16 bytes of each at a time. */
template <class T, int BLOCKS>
static __global__ void __launch_bounds__(256, BLOCKS) multiply_native_transposed(gemv_product<T> p, cut c, T *partial)
{
  constexpr int V = in_16_bytes<T>;
  T *part = shared_array<T>();
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  for (int64_t item = blockIdx.x; item < p.y.count * c.chunks * c.slices; item += gridDim.x) {
    const int j0 = (int)(item % c.chunks) * dots, s = (int)(item / c.chunks % c.slices);
    const int64_t b = item / c.chunks / c.slices;
    wait_for_stream(gridDim.x <= few_blocks);
    const one_product<T> o(p, b);
    const int begin = s * c.depth, end = begin + c.depth < o.m ? begin + c.depth : o.m;
    const int step = 32 * warps * V, whole = is_aligned(o) ? end - V : begin - 1;
    T sum[dots] = {}, *to = partial ? partial + (b * c.slices + s) * c.length : nullptr;
    int i = begin + (32 * w + lane) * V;
#pragma unroll 1
    for (; i <= whole; i += step) add_dots<true>(o, p.conj, i, j0, end, sum);
#pragma unroll 1
    for (; i < end; i += step) add_dots<false>(o, p.conj, i, j0, end, sum);
    const T total = sum_transposed<dots, 32>(sum);
    if (lane < dots) part[w * dots + lane] = total;
    __syncthreads();
    if (threadIdx.x < dots && j0 + (int)threadIdx.x < o.n)
      deliver(o, j0 + threadIdx.x, sum_parts(part, dots, threadIdx.x), to);
    __syncthreads();
  }
}

/* y = alpha (sum of the slices' sums) + beta y, 32 elements per block: warps add every eighth slice. */
template <class T> static __global__ void __launch_bounds__(256) add_slices(gemv_product<T> p, cut c, const T *partial)
{
  T *part = shared_array<T>();
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  const int64_t each = (c.length + 31) / 32;
  for (int64_t item = blockIdx.x; item < p.y.count * each; item += gridDim.x) {
    const int64_t b = item / each;
    const int i = (int)(item % each) * 32 + lane;
    wait_for_stream(gridDim.x <= few_blocks);
    const one_product<T> o(p, b);
    const bool there = i < (p.plain ? o.m : o.n);
    const T *from = partial + b * c.slices * c.length + i;
    T sum = make<T>(0);
#pragma unroll 4
    for (int s = w; s < c.slices; s += warps)
      if (there) sum += from[(int64_t)s * c.length];
    part[threadIdx.x] = sum;
    __syncthreads();
    if (w == 0 && there) o.out(i, sum_parts(part, 32, lane));
    __syncthreads();
  }
}

/* Number of blocks that fill a GPU with one matrix, each with at least 64 columns, or 1024 rows, so that the slices'
 * sums are few. */
static cut cut_of(bool plain, int m, int n)
{
  cut c = {plain ? m : n, 0, 0, 0};
  const int inner = plain ? n : m, least = plain ? 64 : 1024;
  c.chunks = (int)ceil_div(c.length, plain ? 128 : dots);
  const int64_t want = ceil_div(plain ? 384 : 128, c.chunks), most = ceil_div(inner > 0 ? inner : 1, least);
  c.slices = (int)(want < most ? want : most);
  c.depth = (int)(ceil_div(ceil_div(inner, c.slices), 32) * 32);
  return c;
}

template <class T> static int multiply_natively(batched_ctx *ctx, const gemv_product<T> &p)
{
  const cut c = cut_of(p.plain, p.a.m, p.a.n);
  const int64_t blocks = p.y.count * c.chunks * c.slices, sums = p.y.count * c.slices * c.length;
  T *partial = nullptr;
  if (c.slices > 1) {
    partial = static_cast<T *>(batched_scratch_push(ctx, (size_t)sums * sizeof(T)));
    if (!partial) return BATCHED_NO_MEMORY;
  }
  const auto go = [&](auto kernel, size_t bytes) {
    return comes_early(p) ? launch_waiting(ctx, kernel, blocks, 256, bytes, p, c, partial)
                          : launch(ctx, kernel, blocks, 256, bytes, p, c, partial);
  };
  int status = p.plain        ? go(multiply_native<T>, 4 * 256 * sizeof(T))
               : blocks > 528 ? go(multiply_native_transposed<T, 3>, 8 * dots * sizeof(T))
                              : go(multiply_native_transposed<T, 2>, 8 * dots * sizeof(T));
  if (!partial) return status;
  if (!status)
    status =
      launch_waiting(ctx, add_slices<T>, p.y.count * ceil_div(c.length, 32), 256, 256 * sizeof(T), p, c, partial);
  batched_scratch_pop(ctx);
  return status;
}

} // namespace batched_cuda::products

#endif
