/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gemv where one block, or several, do a matrix: the kernels of `tile` and `classic`, and how a matrix is cut.
 */
#ifndef BATCHED_CUDA_GEMV_BLOCKS_CUH
#define BATCHED_CUDA_GEMV_BLOCKS_CUH

#include "batched/products/cuda/gemv.cuh"

namespace batched_cuda::products
{

/* ------------------------------------------------------------------ blocks */

/* Sums of rows i0 .. i0 + 32 P of this block over columns [begin, end), warps taking U columns in turn.  After the
 * barrier part[w][i - i0] has what warp w found. */
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

template <class T, int P> static __global__ void __launch_bounds__(256, 2) tile_plain(gemv_product<T> p)
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

static constexpr int dots = 8; /* columns that a warp does at a time */

template <class T> static __global__ void __launch_bounds__(256, 2) tile_transposed(gemv_product<T> p)
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

/* More warps where there is more to do; T: as many as share the groups of columns best. */
static int tile_threads(bool plain, int m, int n)
{
  const int64_t elements = (int64_t)m * n, groups = ceil_div(n, dots);
  const int most = plain && elements <= 2048 ? 2 : elements <= 64 * 64 ? 4 : 8;
  int warps = most;
  for (int w = most; !plain && w >= (most + 1) / 2; w--)
    if (ceil_div(groups, w) * w < ceil_div(groups, warps) * warps) warps = w;
  return 32 * (plain || groups > warps ? warps : (int)groups);
}

/* ------------------------------------------------------------------ classic */

/* A matrix is cut into `chunks` of its result by `slices` of the sum, a block each; `depth` terms a slice.  With
 * several slices their sums go to partial[(b * slices + s) * length + i], and are added up by a second kernel. */
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

template <class T> static __global__ void __launch_bounds__(256, 2) classic_plain(gemv_product<T> p, cut c, T *partial)
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

template <class T>
static __global__ void __launch_bounds__(256, sizeof(T) == 16 ? 2 : 4)
  classic_transposed(gemv_product<T> p, cut c, T *partial)
{
  T *part = shared_array<T>();
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  for (int64_t item = blockIdx.x; item < p.y.count * c.chunks * c.slices; item += gridDim.x) {
    const int j0 = (int)(item % c.chunks) * dots, s = (int)(item / c.chunks % c.slices);
    const int64_t b = item / c.chunks / c.slices;
    const one_product<T> o(p, b);
    const int begin = s * c.depth, end = begin + c.depth < o.m ? begin + c.depth : o.m;
    T sum[dots] = {}, *to = partial ? partial + (b * c.slices + s) * c.length : nullptr;
#pragma unroll 1
    for (int i = begin + 32 * w; i < end; i += 32 * warps) add_row<dots>(o, p.conj, i + lane, j0, 1, sum);
    const T total = sum_transposed<dots, 32>(sum);
    if (lane < dots) part[w * dots + lane] = total;
    __syncthreads();
    if (threadIdx.x < dots && j0 + (int)threadIdx.x < o.n)
      deliver(o, j0 + threadIdx.x, sum_parts(part, dots, threadIdx.x), to);
    __syncthreads();
  }
}

/* y = alpha (sum of the slices' sums) + beta y, 32 elements a block: warps add every eighth slice. */
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

/* Blocks enough to fill a GPU with one matrix, but at least 64 columns or 1024 rows for each: the sums of the slices
 * are little to write then. */
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

} // namespace batched_cuda::products

#endif
