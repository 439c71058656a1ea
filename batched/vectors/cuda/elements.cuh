/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.elements of scal, axpy, copy, swap, set and ger: the same operation on each element of a matrix.
 * `Operation` has
 *   batch<T> y     the matrices that are written
 *   one(b)         matrix b: an object with  value load(i, j)  and  store(i, j, value)
 */
#ifndef BATCHED_VECTORS_CUDA_ELEMENTS_CUH
#define BATCHED_VECTORS_CUDA_ELEMENTS_CUH

#include "batched/cuda/launch.cuh"

namespace batched_cuda::vectors
{

/* Matrices are cut into pieces of rows x cols elements, `down` by `across` of them; `lanes` threads (a power of two)
 * per piece. */
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

/* e / d for 0 <= e <= 2^15, given 1 / d: (e + 1/2) / d is farther from the next integer than its rounding error. */
static __device__ __forceinline__ int quotient(int e, float by_d)
{
  return (int)(((float)e + 0.5f) * by_d);
}

/*   algorithm  four elements per thread in flight: loads, then stores
 *   grid       256 threads per block, 2 to 256 of them per piece of up to 4096 elements
 *   takes      any size, all types, uniform and variable
 *   memory     each element once, along the columns
 *   accuracy   of the operation; no sum */
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

/* True for elements (i, j) of a triangle, with its diagonal. */
static __device__ __forceinline__ bool is_in_triangle(bool lower, int i, int j)
{
  return lower ? i >= j : i <= j;
}

template <class T> static inline bool is_without_gaps(const batch<T> &a)
{
  return !a.array && !a.is_variable() && (a.ld == a.m || a.n == 1) && (a.stride == (int64_t)a.m * a.n || a.count == 1);
}

/* Makes a batch without gaps one long column: elements are independent of each other, so that the bits stay the
 * same. */
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

/* The same for two that have the same elements in the same places, or for neither. */
template <class T> static inline void lengthen_both(batch<T> &x, batch<T> &y)
{
  if (!can_lengthen(x) || !can_lengthen(y)) return;
  lengthen(x);
  lengthen(y);
}

template <class Operation> static inline int for_each_element(const batched_ctx *ctx, const Operation &f)
{
  const pieces p = pieces_of(f.y.m, f.y.n);
  const int64_t items = f.y.count * p.down * p.across;
  return launch(ctx, each_element<Operation>, ceil_div(items, 256 / p.lanes), 256, 0, f, p);
}

} // namespace batched_cuda::vectors

#endif
