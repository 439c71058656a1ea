/* SPDX-License-Identifier: BSD-3-Clause
 *
 * scal, axpy, copy, set: one operation on each element, whatever the layout.  `Operation` has
 *   one(b)         what it needs of matrix b, with  T load(i, j)  and  store(i, j, value)
 */
#ifndef BATCHED_CUDA_ELEMENTWISE_CUH
#define BATCHED_CUDA_ELEMENTWISE_CUH

#include "batched/cuda/launch.cuh"

namespace batched_cuda::vectors
{

/* Matrices are cut into pieces of `rows` x `cols` elements; `lanes` threads (a power of two) do a piece. */
struct pieces {
  int rows, cols, lanes;
  int64_t down, across;
};

static inline pieces pieces_of(int m, int n)
{
  constexpr int most = 4096;
  pieces p;
  p.rows = m < most ? m : most;
  p.cols = n < most / p.rows ? n : most / p.rows;
  p.down = ceil_div(m, p.rows);
  p.across = ceil_div(n, p.cols);
  for (p.lanes = 2; p.lanes < 256 && 4 * p.lanes < p.rows * p.cols;) p.lanes *= 2;
  return p;
}

/* e / d for e up to 2^15, given 1 / d: the quotient is farther from the next integer than the rounding errors. */
static __device__ __forceinline__ int quotient(int e, float by_d)
{
  return (int)(((float)e + 0.5f) * by_d);
}

template <class Operation> static __global__ void __launch_bounds__(256) each_element(Operation f, pieces p)
{
  constexpr int together = 4;
  const int each = blockDim.x / p.lanes, lane = threadIdx.x % p.lanes;
  const int64_t per_matrix = p.down * p.across, items = f.y.count * per_matrix;
  for (int64_t item = (int64_t)blockIdx.x * each + threadIdx.x / p.lanes; item < items;
       item += (int64_t)gridDim.x * each) {
    const int64_t b = per_matrix == 1 ? item : item / per_matrix, piece = per_matrix == 1 ? 0 : item % per_matrix;
    const int i0 = (int)(piece % p.down) * p.rows, j0 = (int)(piece / p.down) * p.cols;
    const int m = min(p.rows, f.y.rows(b) - i0), n = min(p.cols, f.y.cols(b) - j0);
    if (m <= 0 || n <= 0) continue;
    const auto one = f.one(b);
    const float by_m = 1.f / (float)m;
    for (int e = lane; e < m * n; e += together * p.lanes) {
      decltype(one.load(0, 0)) value[together];
      int i[together], j[together];
#pragma unroll
      for (int u = 0; u < together; u++) {
        const int at = e + u * p.lanes;
        j[u] = quotient(at, by_m);
        i[u] = at - j[u] * m;
        if (at < m * n) value[u] = one.load(i0 + i[u], j0 + j[u]);
      }
#pragma unroll
      for (int u = 0; u < together; u++)
        if (e + u * p.lanes < m * n) one.store(i0 + i[u], j0 + j[u], value[u]);
    }
  }
}

template <class T> static inline bool is_without_gaps(const batch<T> &a)
{
  return !a.array && !a.is_variable() && (a.ld == a.m || a.n == 1) && (a.stride == (int64_t)a.m * a.n || a.count == 1);
}

/* A batch without gaps is one long column: each element is on its own, so that its bits are the same. */
template <class T> static inline void lengthen(batch<T> &a)
{
  a.m = a.ld = (int)(a.m * (int64_t)a.n * a.count);
  a.n = 1;
  a.count = 1;
}

template <class T> static inline bool can_lengthen(const batch<T> &a)
{
  return is_without_gaps(a) && (int64_t)a.m * a.n * a.count <= INT_MAX;
}

template <class Operation> static inline int for_each_element(const batched_ctx *ctx, const Operation &f)
{
  const pieces p = pieces_of(f.y.m, f.y.n);
  const int64_t items = f.y.count * p.down * p.across;
  return launch(ctx, each_element<Operation>, ceil_div(items, 256 / p.lanes), 256, 0, f, p);
}

} // namespace batched_cuda::vectors

#endif
