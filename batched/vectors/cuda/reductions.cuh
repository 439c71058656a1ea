/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dot, nrm2, norms: one number of each matrix.  `Source` has
 *   count; rows(b), cols(b)     what is reduced
 *   together                    elements that a thread loads before it adds them
 *   one(b)                      what it needs of matrix b, with  load(i, j): what goes to the accumulator
 *   store(b, result)
 */
#ifndef BATCHED_CUDA_REDUCTIONS_CUH
#define BATCHED_CUDA_REDUCTIONS_CUH

#include "batched/vectors/cuda/elementwise.cuh"
#include "batched/cuda/reduce.cuh"

namespace batched_cuda::vectors
{

/* What one of `lanes` threads finds in a piece of matrix b. */
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

/* A piece by p.lanes <= 32 lanes, or by the block.  With several pieces a matrix, their sums go to `partial`. */
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

/* A warp a matrix puts its sums together. */
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

} // namespace batched_cuda::vectors

#endif
