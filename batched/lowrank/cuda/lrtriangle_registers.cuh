/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.registers of lrtriangle.
 */
#ifndef BATCHED_LOWRANK_CUDA_LRTRIANGLE_REGISTERS_CUH
#define BATCHED_LOWRANK_CUDA_LRTRIANGLE_REGISTERS_CUH

#include "batched/lowrank/compose.h"
#include "batched/lowrank/cuda/row_reflections.cuh"

namespace batched_cuda::lowrank
{

template <class T> struct triangles {
  batch<T> a, c;
};

/* C = R^H of A = Q R, without Q
 *   algorithm  Householder's reflections of [R; rows] from R = 0 on, some rows of A at a time
 *              (row_reflections.cuh); the diagonal of R may have any phase
 *   grid       a block of 4 warps per matrix, two per SM
 *   registers  rows of A, 8 lanes with every eighth column each
 *   shared     R twice
 *   takes      all types, m x n with n from 17 to 64, uniform
 *   memory     A once read, C once written
 *   accuracy   backward stable column by column, above some 1e-130 (single precision: 1e-15) of the largest element */
template <class T, int S>
__global__ void __launch_bounds__(row_warps *warp_size, 2) lrtriangle_registers(triangles<T> f)
{
  using R = real_of<T>;
  constexpr int ld = column_groups * S, high = rows_per_block<T, S>;
  __shared__ maximum_of<R> shared_largest[row_warps];
  const int m = f.a.m, n = f.a.n;
  T *const sums = shared_array<T>();
  for (int64_t b = blockIdx.x; b < f.a.count; b += gridDim.x) {
    T *before = sums + 2 * row_warps * ld, *after = before + n * ld;
    for (int e = threadIdx.x; e < 2 * n * ld; e += blockDim.x) before[e] = make<T>(0);
    R largest = 0;
    bool finite = true;
    for (int first = 0; finite && first < m; first += high) {
      row_block<T, S> x;
      finite = take_rows(x, f.a.at(b), f.a.leading(b), first, m, n, before, largest, shared_largest);
      if (!finite) break;
      x.template eliminate<0>(before, after, sums, n);
      __syncthreads();
      T *const swap = before;
      before = after;
      after = swap;
    }
    __syncthreads();
    T *const c = f.c.at(b);
    const int ldc = f.c.leading(b);
    const eigen::power_scale<R> scale(largest, R(1));
    for (int e = threadIdx.x; e < n * n; e += blockDim.x) {
      const int i = e % n, j = e / n;
      const T r = i >= j ? conj(before[j * ld + i]) : make<T>(0);
      c[i + (int64_t)j * ldc] = finite ? scaled_down(scale, r) : eigen::not_a_number<T>();
    }
    __syncthreads();
  }
}

static inline bool fits_lrtriangle_registers(const batched_lrtriangle_args &t)
{
  return t.a.n >= least_columns && t.a.n <= most_columns;
}

static inline int run_lrtriangle_registers(batched_ctx *ctx, const batched_lrtriangle_args &t)
{
  return with_type(t.a.type, [&](auto type) {
    using T = decltype(type);
    return with_columns(t.a.n, [&](auto groups) {
      constexpr int S = decltype(groups)::value;
      return launch(ctx, lrtriangle_registers<T, S>, t.a.count, row_warps * warp_size, bytes_of_r<T, S>(t.a.n),
                    triangles<T>{view<T>(t.a), view<T>(t.c)});
    });
  });
}

} // namespace batched_cuda::lowrank

#endif
