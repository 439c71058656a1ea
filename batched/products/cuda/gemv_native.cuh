/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.native of gemv: several blocks per matrix, enough of them to fill a GPU with one.
 */
#ifndef BATCHED_PRODUCTS_CUDA_GEMV_NATIVE_CUH
#define BATCHED_PRODUCTS_CUDA_GEMV_NATIVE_CUH

#include <cstring>

#include "batched/cuda/cluster.cuh"
#include "batched/products/cuda/gemv_block.cuh"

namespace batched_cuda::products
{

/* A matrix is cut into `chunks` of its result by `slices` of the sum, a block each; a slice has `depth` terms.  With
 * several slices, their sums go to partial[(b * slices + s) * length + i], and a second kernel adds them. */
struct cut {
  int length, chunks, slices, depth;
};

/* Elements in 16 bytes. */
template <class T> constexpr int in_16_bytes = 16 / (int)sizeof(T);

/* Do columns begin at multiples of 16 bytes?  Sums have the same order if not. */
template <class T> static __device__ __forceinline__ bool is_aligned(const one_product<T> &o)
{
  return (reinterpret_cast<uintptr_t>(o.a) | (uintptr_t)o.ld * sizeof(T)) % 16 == 0;
}

/* 16 bytes of A from `at` on, zeros unless `yes`, and without a branch, for loads to come one behind the other; not
 * WHOLE: element by element, `left` of them. */
template <bool WHOLE, class T>
static __device__ __forceinline__ void read_16_bytes(bool yes, const T *at, int left, T (&e)[in_16_bytes<T>])
{
  if constexpr (WHOLE) {
    unsigned word[4] = {};
    asm volatile("{ .reg .pred q; setp.ne.s32 q, %5, 0; @q ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4]; }"
                 : "+r"(word[0]), "+r"(word[1]), "+r"(word[2]), "+r"(word[3])
                 : "l"(at), "r"((int)yes)
                 : "memory");
    memcpy(e, word, sizeof word);
  } else {
#pragma unroll
    for (int v = 0; v < in_16_bytes<T>; v++) e[v] = yes && v < left ? read_once(at + v) : make<T>(0);
  }
}

/* sum[v] += A(i + v, j) x(j) of every `step`th column from j on. */
template <bool WHOLE, int U, class T>
static __device__ __forceinline__ void add_rows(const one_product<T> &o, int i, int j, int step,
                                                T (&sum)[in_16_bytes<T>])
{
  constexpr int V = in_16_bytes<T>;
  const int left = o.m - i;
#pragma unroll 1
  for (; j < o.n; j += U * step) {
    T e[U][V], x[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
      const int c = j + u * step;
      const T there = o.x[(int64_t)(c < o.n ? c : j) * o.incx];
      x[u] = c < o.n ? there : make<T>(0);
      read_16_bytes<WHOLE>(c < o.n, o.a + i + (int64_t)c * o.ld, left, e[u]);
    }
#pragma unroll
    for (int u = 0; u < U; u++)
#pragma unroll
      for (int v = 0; v < V; v++) sum[v] = mad(e[u][v], x[u], sum[v]);
  }
}

constexpr int rows_threads = 512;

/* y = alpha A x + beta y, R rows per cluster of `parts` blocks, which share the columns.
 *   algorithm  a lane has 16 bytes of a column, a warp some columns beside each other; sums of lanes by shuffles, of
 *              warps in shared memory, of blocks by the first one of the cluster.  R is 128 bytes, so that reads from
 *              memory are whole lines, or 256 where there are many rows
 *   grid       clusters of 1 to 8 blocks of 512 threads, BLOCKS of these per multiprocessor
 *   registers  4 to 8 times 16 bytes of A ahead per lane
 *   shared     R elements per warp, and R
 *   takes      any size, all types, uniform and variable
 *   memory     A once, x once per cluster
 *   accuracy   sums in an order that m and n alone decide */
template <class T, int R, int BLOCKS>
static __global__ void __launch_bounds__(rows_threads, BLOCKS) multiply_rows(gemv_product<T> p, int parts)
{
  constexpr int V = in_16_bytes<T>, high = R / V, wide = 32 / high, warps = rows_threads / 32;
  constexpr int U = sizeof(T) == 16 ? 4 : 8;
  T *part = shared_array<T>(), *total = part + warps * R;
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32, t = threadIdx.x, rank = parts > 1 ? cluster_rank() : 0;
  const int64_t each = (p.a.m + R - 1) / R;
  for (int64_t item = blockIdx.x / parts; item < p.y.count * each; item += gridDim.x / parts) {
    const int i0 = (int)(item % each) * R, i = i0 + lane % high * V, j = (rank * warps + w) * wide + lane / high;
    const one_product<T> o(p, item / each);
    T sum[V] = {};
    if (i + V <= o.m && is_aligned(o))
      add_rows<true, U>(o, i, j, parts * warps * wide, sum);
    else
      add_rows<false, U>(o, i, j, parts * warps * wide, sum);
#pragma unroll
    for (int v = 0; v < V; v++) {
#pragma unroll
      for (int step = high; step < 32; step *= 2) sum[v] += shuffle_xor(sum[v], step);
      if (lane < high) part[w * R + lane * V + v] = sum[v];
    }
    __syncthreads();
    T own = make<T>(0);
    if (t < R) {
      T sums[4] = {};
#pragma unroll
      for (int k = 0; k < warps; k++) sums[k % 4] += part[k * R + t];
      total[t] = own = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
    if (parts > 1) {
      cluster_sync();
      if (t < R && rank == 0)
        for (int k = 1; k < parts; k++) own += load_from_block(total + t, k);
      cluster_sync();
    } else {
      __syncthreads();
    }
    if (t < R && rank == 0 && i0 + t < o.m) o.out(i0 + t, own);
  }
}

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

/* Rows per cluster of multiply_rows(); 0: A has so few rows, and so many columns, that these are cut, too. */
template <class T> static int rows_of(const gemv_product<T> &p)
{
  constexpr int least = 128 / (int)sizeof(T), many = 2560, most_columns = 2048;
  if (p.a.m < 256 && p.a.n > most_columns) return 0;
  return p.a.m > many ? 2 * least : least;
}

/* Blocks per cluster: some hundred in all for one matrix. */
template <class T> static int parts_of(const gemv_product<T> &p, int rows)
{
  int parts = 1;
  while (parts < 8 && 2 * parts * ceil_div(p.a.m, rows) <= 132) parts *= 2;
  return parts;
}

/* With many blocks more of them share a multiprocessor: the order of sums does not depend on it. */
template <int R, class T> static int launch_rows(batched_ctx *ctx, const gemv_product<T> &p)
{
  const int parts = parts_of(p, R);
  const int64_t clusters = p.y.count * ceil_div(p.a.m, R);
  const size_t bytes = (size_t)R * (rows_threads / 32 + 1) * sizeof(T);
  const auto go = [&](auto kernel) {
    return parts > 1 ? launch_clusters(ctx, kernel, clusters, parts, rows_threads, bytes, p, parts)
                     : launch(ctx, kernel, clusters, rows_threads, bytes, p, parts);
  };
  return clusters * parts > 264 ? go(multiply_rows<T, R, 2>) : go(multiply_rows<T, R, 1>);
}

template <class T> static int multiply_natively(batched_ctx *ctx, const gemv_product<T> &p)
{
  constexpr int least = 128 / (int)sizeof(T);
  const int rows = p.plain ? rows_of(p) : 0;
  if (rows > 0) return rows == least ? launch_rows<least>(ctx, p) : launch_rows<2 * least>(ctx, p);
  const cut c = cut_of(p.plain, p.a.m, p.a.n);
  const int64_t blocks = p.y.count * c.chunks * c.slices, sums = p.y.count * c.slices * c.length;
  T *partial = nullptr;
  if (c.slices > 1) {
    partial = static_cast<T *>(batched_scratch_push(ctx, (size_t)sums * sizeof(T)));
    if (!partial) return BATCHED_NO_MEMORY;
  }
  int status = p.plain ? launch(ctx, multiply_native<T>, blocks, 256, 4 * 256 * sizeof(T), p, c, partial)
                       : launch(ctx, blocks > 528 ? multiply_native_transposed<T, 3> : multiply_native_transposed<T, 2>,
                                blocks, 256, 8 * dots * sizeof(T), p, c, partial);
  if (!partial) return status;
  if (!status)
    status = launch(ctx, add_slices<T>, p.y.count * ceil_div(c.length, 32), 256, 256 * sizeof(T), p, c, partial);
  batched_scratch_pop(ctx);
  return status;
}

} // namespace batched_cuda::products

#endif
