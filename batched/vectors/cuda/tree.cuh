/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.tree of dot, amax, asum, nrm2 and norm: a reduction of each matrix to one number.  The accumulator A
 * (batched/cuda/reduce.cuh) has add(value), merge(A) and result(); `Source` has
 *   count, rows(b), cols(b)     the matrices
 *   together                    elements that a thread loads before it adds them
 *   one(b)                      matrix b: an object with  load(i, j), the value that is added
 *   store(b, result)
 */
#ifndef BATCHED_VECTORS_CUDA_TREE_CUH
#define BATCHED_VECTORS_CUDA_TREE_CUH

#include "batched/cuda/reduce.cuh"
#include "batched/vectors/cuda/elements.cuh"

namespace batched_cuda::vectors
{

/* The part of a piece of matrix b that one of p.lanes threads reduces. */
template <class A, class Source>
static __device__ __forceinline__ A reduce_piece(const Source &f, const pieces &p, int64_t b, int64_t piece, int lane)
{
  constexpr int together = Source::together;
  A sum;
  const int i0 = (int)(piece % p.down) * p.rows, j0 = (int)(piece / p.down) * p.cols;
  const int m = min(p.rows, f.rows(b) - i0), n = min(p.cols, f.cols(b) - j0);
  if (m <= 0 || n <= 0) return sum;
  const auto one = f.one(b);
  const float by_m = 1.f / (float)m;
  for (int e = lane; e < m * n; e += together * p.lanes) {
    decltype(one.load(0, 0)) value[together];
#pragma unroll
    for (int u = 0; u < together; u++) {
      const int at = e + u * p.lanes, j = quotient(at, by_m);
      if (at < m * n) value[u] = one.load(i0 + at - j * m, j0 + j);
    }
#pragma unroll
    for (int u = 0; u < together; u++)
      if (e + u * p.lanes < m * n) sum.add(value[u]);
  }
  return sum;
}

/* A piece by p.lanes <= 32 lanes, or by the block.  With several pieces per matrix, their results go to `partial`.
 *   algorithm  strided sums per thread, then a tree over lanes, and over warps
 *   grid       256 threads per block, 2 to 32 of them per piece of up to 1024 elements; a block of 128 or 256 per
 *              larger piece
 *   shared     an accumulator per warp
 *   takes      any size, all types, uniform and variable
 *   memory     each element once, along the columns
 *   accuracy   an order of the sum that the bounds m and n alone decide */
template <class A, bool by_block, class Source>
static __global__ void __launch_bounds__(256) reduce_pieces(Source f, pieces p, A *partial)
{
  A *shared = shared_array<A>();
  const int each = blockDim.x / p.lanes, lane = threadIdx.x % p.lanes;
  const int64_t per_matrix = p.down * p.across, items = f.count * per_matrix;
  for (int64_t first = (int64_t)blockIdx.x * each; first < items; first += (int64_t)gridDim.x * each) {
    const int64_t item = first + threadIdx.x / p.lanes, b = per_matrix == 1 ? item : item / per_matrix;
    A sum;
    if (item < items) sum = reduce_piece<A>(f, p, b, item - b * per_matrix, lane);
    if constexpr (by_block) {
      sum = merge_block(sum, shared);
      __syncthreads();
    } else {
      sum = merge_lanes(sum, p.lanes);
    }
    if (lane != 0 || item >= items) continue;
    if (partial)
      partial[item] = sum;
    else
      f.store(b, sum.result());
  }
}

/* Merges the results of the pieces, a warp per matrix. */
template <class A, class Source> static __global__ void merge_pieces(Source f, int64_t per_matrix, const A *partial)
{
  const int warps = blockDim.x / 32, lane = threadIdx.x % 32;
  for (int64_t b = (int64_t)blockIdx.x * warps + threadIdx.x / 32; b < f.count; b += (int64_t)gridDim.x * warps) {
    A sum;
    for (int64_t i = lane; i < per_matrix; i += 32) sum.merge(partial[b * per_matrix + i]);
    sum = merge_lanes(sum);
    if (lane == 0) f.store(b, sum.result());
  }
}

static inline pieces reduction_pieces(int m, int n)
{
  constexpr int most = 1 << 15;
  pieces p;
  m = m > 1 ? m : 1;
  n = n > 1 ? n : 1;
  p.rows = m < most ? m : most;
  p.cols = n < most / p.rows ? n : most / p.rows;
  p.down = ceil_div(m, p.rows);
  p.across = ceil_div(n, p.cols);
  const int64_t elements = (int64_t)p.rows * p.cols;
  for (p.lanes = 2; p.lanes < 32 && 8 * p.lanes < elements;) p.lanes *= 2;
  if (elements > 1024) p.lanes = elements > 4096 ? 256 : 128;
  return p;
}

template <class A, class Source> static int reduce(batched_ctx *ctx, const Source &f, int m, int n)
{
  const pieces p = reduction_pieces(m, n);
  const int64_t per_matrix = p.down * p.across;
  A *partial = nullptr;
  if (per_matrix > 1) {
    partial = static_cast<A *>(batched_scratch_push(ctx, (size_t)(f.count * per_matrix) * sizeof(A)));
    if (!partial) return BATCHED_NO_MEMORY;
  }
  int status = p.lanes > 32 ? launch(ctx, reduce_pieces<A, true, Source>, f.count * per_matrix, p.lanes,
                                     p.lanes / 32 * sizeof(A), f, p, partial)
                            : launch(ctx, reduce_pieces<A, false, Source>,
                                     ceil_div(f.count * per_matrix, 256 / p.lanes), 256, 0, f, p, partial);
  if (!partial) return status;
  if (!status) status = launch(ctx, merge_pieces<A, Source>, ceil_div(f.count, 4), 128, 0, f, per_matrix, partial);
  batched_scratch_pop(ctx);
  return status;
}

/* The elements of matrices, reduced to real numbers. */
template <class T> struct elements_of {
  static constexpr int together = 8;
  batch<T> a;
  batch<real_of<T>> r;
  int64_t count;

  struct matrix {
    const T *a;
    int64_t ld;

    __device__ __forceinline__ T load(int i, int j) const
    {
      return a[i + j * ld];
    }
  };
  __device__ __forceinline__ int rows(int64_t b) const
  {
    return a.rows(b);
  }
  __device__ __forceinline__ int cols(int64_t b) const
  {
    return a.cols(b);
  }
  __device__ __forceinline__ matrix one(int64_t b) const
  {
    return {a.at(b), a.leading(b)};
  }
  __device__ __forceinline__ void store(int64_t b, real_of<T> norm) const
  {
    *r.at(b) = norm;
  }
};

} // namespace batched_cuda::vectors

#endif
