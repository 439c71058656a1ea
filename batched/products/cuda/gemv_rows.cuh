/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.rows of gemv: y = alpha A x + beta y of few matrices, some rows per block; and what it shares with
 * cuda.native and with symv's cuda.rows.
 */
#ifndef BATCHED_PRODUCTS_CUDA_GEMV_ROWS_CUH
#define BATCHED_PRODUCTS_CUDA_GEMV_ROWS_CUH

#include <cstring>

#include "batched/products/cuda/gemv.cuh"
#include "batched/products/cuda/launch_waiting.cuh"

namespace batched_cuda::products
{

/* Elements in 16 bytes. */
template <class T> constexpr int in_16_bytes = 16 / (int)sizeof(T);

/* True where columns begin at multiples of 16 bytes; sums have the same order if not. */
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

/* sum[v] += A(i + v, j) x(j) of U columns, `step` apart, from j on; not FULL: of those that A has. */
template <bool FULL, bool WHOLE, int U, class T>
static __device__ __forceinline__ void add_turn(const one_product<T> &o, int i, int j, int step,
                                                T (&sum)[in_16_bytes<T>])
{
  constexpr int V = in_16_bytes<T>;
  T e[U][V], x[U];
#pragma unroll
  for (int u = 0; u < U; u++) {
    const int c = j + u * step;
    const bool yes = FULL || c < o.n;
    const T there = o.x[(int64_t)(yes ? c : j) * o.incx];
    x[u] = yes ? there : make<T>(0);
    read_16_bytes<WHOLE>(yes, o.a + i + (int64_t)c * o.ld, o.m - i, e[u]);
  }
#pragma unroll
  for (int u = 0; u < U; u++)
#pragma unroll
    for (int v = 0; v < V; v++) sum[v] = mad(e[u][v], x[u], sum[v]);
}

/* sum[v] += A(i + v, j) x(j) of every `step`th column from j on. */
template <bool WHOLE, int U, class T>
static __device__ __forceinline__ void add_rows(const one_product<T> &o, int i, int j, int step,
                                                T (&sum)[in_16_bytes<T>])
{
#pragma unroll 1
  for (; WHOLE && j + (U - 1) * step < o.n; j += U * step) add_turn<true, WHOLE, U>(o, i, j, step, sum);
#pragma unroll 1
  for (; j < o.n; j += U * step) add_turn<false, WHOLE, U>(o, i, j, step, sum);
}

/* Bytes of a column that a block has: half of a line of the L2 cache where A has few rows, two where it has many. */
constexpr int bytes_of_few_rows = 64, bytes_of_rows = 128;
template <class T> constexpr int most_few_rows = sizeof(T) == 16 ? 1664 : sizeof(T) == 8 ? 2560 : 1280;
constexpr int most_rows = 2816;

/* More of A than the L2 cache holds is read no faster by blocks that come early, rather slower. */
template <class T> static bool comes_early(const gemv_product<T> &p)
{
  return p.y.count * p.a.m * (int64_t)p.a.n * (int64_t)sizeof(T) <= 48 << 20;
}

/* Matrices of one size, one distance apart, in columns that begin at multiples of 16 bytes and end there. */
template <class T> static bool is_regular(const gemv_product<T> &p)
{
  const auto strided = [](const batch<T> &x) { return !x.array && !x.ms && !x.ns && !x.lds; };
  const uintptr_t bytes = (uintptr_t)p.a.ld | (uintptr_t)p.a.stride | (uintptr_t)p.a.m;
  return strided(p.a) && strided(p.x) && strided(p.y) && p.a.n > 0 && p.alpha != make<T>(0) &&
         (reinterpret_cast<uintptr_t>(p.a.data) | bytes * sizeof(T)) % 16 == 0;
}

template <bool REGULAR, class T>
static __device__ __forceinline__ one_product<T> product_at(const gemv_product<T> &p, int64_t b)
{
  if constexpr (!REGULAR) return one_product<T>(p, b);
  one_product<T> o;
  o.alpha = p.alpha;
  o.beta = p.beta;
  o.a = p.a.data + b * p.a.stride;
  o.x = p.x.data + b * p.x.stride;
  o.y = p.y.data + b * p.y.stride;
  o.m = p.a.m;
  o.n = p.a.n;
  o.ld = p.a.ld;
  o.incx = p.x.n == 1 ? 1 : p.x.ld;
  o.incy = p.y.n == 1 ? 1 : p.y.ld;
  return o;
}

/* y = alpha A x + beta y, R rows per block.
 *   algorithm  a lane has 16 bytes of a column, a warp some columns beside each other; sums of lanes by shuffles, of
 *              warps in shared memory.  So blocks have nothing to add
 *   grid       a block of 8 or 16 warps per R rows; matrices in y
 *   registers  U times 16 bytes of A ahead per lane
 *   shared     R elements per warp
 *   takes      any size, all types, uniform and variable; REGULAR: is_regular(), in half of the instructions, which
 *              a call alone reads from memory, too
 *   memory     A once, x once per block
 *   accuracy   sums in an order that m and n alone decide */
template <class T, int R, int warps, int U, int blocks, bool REGULAR>
static __global__ void __launch_bounds__(32 * warps, blocks) multiply_rows(gemv_product<T> p)
{
  constexpr int V = in_16_bytes<T>, high = R / V, wide = 32 / high;
  T *part = shared_array<T>();
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32, t = threadIdx.x;
  const int i0 = (int)blockIdx.x * R, i = i0 + lane % high * V, j = w * wide + lane / high;
  wait_for_stream((int64_t)gridDim.x * gridDim.y <= few_blocks);
#pragma unroll 1
  for (int64_t b = blockIdx.y; b < p.y.count; b += gridDim.y) {
    const one_product<T> o = product_at<REGULAR>(p, b);
    const bool delivers = t < R && i0 + t < o.m;
    T *const to = o.y + (int64_t)(i0 + t) * o.incy;
    const T before = delivers && o.beta != make<T>(0) ? *to : make<T>(0);
    T sum[V] = {};
    if constexpr (REGULAR) {
      if (i < o.m) add_rows<true, U>(o, i, j, warps * wide, sum);
    } else if (i + V <= o.m && is_aligned(o)) {
      add_rows<true, U>(o, i, j, warps * wide, sum);
    } else {
      add_rows<false, U>(o, i, j, warps * wide, sum);
    }
#pragma unroll
    for (int v = 0; v < V; v++) {
#pragma unroll
      for (int step = high; step < 32; step *= 2) sum[v] += shuffle_xor(sum[v], step);
      if (lane < high) part[w * R + lane * V + v] = sum[v];
    }
    __syncthreads();
    if (delivers) {
      T sums[4] = {};
#pragma unroll
      for (int k = 0; k < warps; k++) sums[k % 4] += part[k * R + t];
      const T all = o.alpha * ((sums[0] + sums[1]) + (sums[2] + sums[3]));
      *to = o.beta == make<T>(0) ? all : mad(o.beta, before, all);
    }
    __syncthreads();
  }
}

constexpr int rows_warps = 16, most_in_y = 65535;

template <int R, int warps, int U, int blocks, class T>
static int launch_rows(batched_ctx *ctx, const gemv_product<T> &p)
{
  const dim3 grid((unsigned)ceil_div(p.a.m, R), (unsigned)(p.y.count < most_in_y ? p.y.count : most_in_y));
  const size_t bytes = (size_t)R * warps * sizeof(T);
  const auto kernel =
    is_regular(p) ? multiply_rows<T, R, warps, U, blocks, true> : multiply_rows<T, R, warps, U, blocks, false>;
  return launch_grid(ctx, kernel, grid, 32 * warps, bytes, comes_early(p), p);
}

template <class T> static bool rows_fit(const gemv_product<T> &p)
{
  return p.plain;
}
/* Up to a block per multiprocessor all of a block's loads are on their way at once; of more blocks two or four share a
 * multiprocessor. */
template <class T> static int multiply_by_rows(batched_ctx *ctx, const gemv_product<T> &p)
{
  constexpr int few = bytes_of_few_rows / (int)sizeof(T), R = bytes_of_rows / (int)sizeof(T);
  if constexpr (sizeof(T) == 16) {
    if (p.a.m < most_few_rows<T>) return launch_rows<few, 8, 8, 4>(ctx, p);
    return p.a.m < most_rows ? launch_rows<R, 8, 8, 2>(ctx, p) : launch_rows<2 * R, rows_warps, 4, 1>(ctx, p);
  } else {
    constexpr int warps = std::is_same_v<T, double> ? 8 : rows_warps;
    if (p.a.m < most_few_rows<T>) {
      if (p.a.m > (int)few_blocks * few && sizeof(T) == 8) return launch_rows<few, 8, 4, 2>(ctx, p);
      return p.a.n <= 512 ? launch_rows<few, 8, 8, 1>(ctx, p) : launch_rows<few, warps, 8, 1>(ctx, p);
    }
    return p.a.m < most_rows ? launch_rows<R, rows_warps, 8, 1>(ctx, p) : launch_rows<2 * R, rows_warps, 8, 1>(ctx, p);
  }
}

} // namespace batched_cuda::products

#endif
