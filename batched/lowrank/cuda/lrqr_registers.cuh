/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.registers of lrqr.
 */
#ifndef BATCHED_LOWRANK_CUDA_LRQR_REGISTERS_CUH
#define BATCHED_LOWRANK_CUDA_LRQR_REGISTERS_CUH

#include "batched/lowrank/compose.h"
#include "batched/lowrank/cuda/row_reflections.cuh"

namespace batched_cuda::lowrank
{

template <class T> struct bases {
  batch<T> a, r;
  real_of<T> *taus; /* n of each block of rows of each matrix */
};

/* A = Q R, in place of A its Q
 *   algorithm  Householder's reflections of the first rows, then of [R; rows], some rows of A at a time
 *              (row_reflections.cuh); then of the identity's columns, in reverse; R's diagonal may have any phase
 *   grid       a block of 4 warps per matrix, two per SM up to 48 columns
 *   registers  rows of A, 8 lanes with every eighth column each
 *   shared     R twice, on the way back the vectors of the rows at hand
 *   takes      all types, m x n with n from 17 to 64, uniform
 *   memory     A twice read and written, R once written
 *   accuracy   backward stable column by column, above some 1e-130 (single precision: 1e-15) of the largest element;
 *              Q is orthonormal whatever A is */
template <class T, int S> __global__ void __launch_bounds__(row_warps *warp_size, 2) lrqr_registers(bases<T> f)
{
  using R = real_of<T>;
  constexpr int ld = column_groups * S, high = rows_per_block<T, S>;
  __shared__ maximum_of<R> shared_largest[row_warps];
  __shared__ R shared_taus[most_columns];
  const int m = f.a.m, n = f.a.n, blocks = (m + high - 1) / high;
  T *const sums = shared_array<T>(), *const vectors = sums + (2 * row_warps + 2 * n) * ld;
  for (int64_t b = blockIdx.x; b < f.a.count; b += gridDim.x) {
    T *before = sums + 2 * row_warps * ld, *after = before + n * ld;
    for (int e = threadIdx.x; e < 2 * n * ld; e += blockDim.x) before[e] = make<T>(0);
    T *const a = f.a.at(b);
    const int lda = f.a.leading(b);
    R *const taus = f.taus + b * blocks * n;
    R largest = 0;
    bool finite = true;
    for (int k = 0; k < blocks; k++) {
      row_block<T, S> x;
      finite = take_rows(x, a, lda, k * high, m, n, before, largest, shared_largest);
      if (!finite) break;
      x.template eliminate<0, true>(before, after, sums, n, k == 0, taus + k * n);
      x.store(a, lda, k * high, m, n);
      __syncthreads();
      T *const swap = before;
      before = after;
      after = swap;
    }
    T *const r = f.r.at(b);
    const int ldr = f.r.leading(b);
    const eigen::power_scale<R> scale(largest, R(1));
    for (int e = threadIdx.x; e < n * n; e += blockDim.x) {
      const int i = e % n, j = e / n;
      const T above = i <= j ? before[i * ld + j] : make<T>(0);
      r[i + (int64_t)j * ldr] = finite ? scaled_down(scale, above) : eigen::not_a_number<T>();
    }
    __syncthreads();
    if (!finite)
      for (int64_t e = threadIdx.x; e < (int64_t)m * n; e += blockDim.x)
        a[e % m + e / m * lda] = eigen::not_a_number<T>();
    for (int e = threadIdx.x; e < n * ld; e += blockDim.x) {
      before[e] = make<T>(e / ld == e % ld);
      after[e] = make<T>(0);
    }
    for (int k = blocks - 1; finite && k >= 0; k--) {
      row_block<T, S> x;
      for (int e = threadIdx.x; e < n * high; e += blockDim.x) {
        const int i = k * high + e % high;
        vectors[e] = i < m ? a[i + (int64_t)(e / high) * lda] : make<T>(0);
      }
      for (int j = threadIdx.x; j < n; j += blockDim.x) shared_taus[j] = taus[k * n + j];
      __syncthreads();
#pragma unroll
      for (int t = 0; t < x.rows; t++)
#pragma unroll
        for (int s = 0; s < S; s++) {
          const bool inside = k == 0 && x.row(t) < n;
          x.x[t][s] = inside ? before[x.row(t) * ld + x.column(s)] : make<T>(0);
        }
      x.template restore<0>(before, after, sums, n, k == 0, shared_taus, vectors);
      x.store(a, lda, k * high, m, n);
      __syncthreads();
      T *const swap = before;
      before = after;
      after = swap;
    }
    __syncthreads();
  }
}

static inline bool fits_lrqr_registers(const batched_lrqr_args &q)
{
  return q.a.n >= least_columns && q.a.n <= most_columns;
}

template <class T, int S> int run_lrqr_of(batched_ctx *ctx, const batched_lrqr_args &q)
{
  const int blocks = (int)ceil_div(q.a.m, rows_per_block<T, S>), n = q.a.n;
  void *const taus = batched_scratch_push(ctx, (size_t)q.a.count * blocks * n * sizeof(real_of<T>));
  if (!taus) return BATCHED_NO_MEMORY;
  const int status = launch(ctx, lrqr_registers<T, S>, q.a.count, row_warps * warp_size,
                            bytes_of_r<T, S>(n) + (size_t)n * rows_per_block<T, S> * sizeof(T),
                            bases<T>{view<T>(q.a), view<T>(q.r), static_cast<real_of<T> *>(taus)});
  batched_scratch_pop(ctx);
  return status;
}

static inline int run_lrqr_registers(batched_ctx *ctx, const batched_lrqr_args &q)
{
  return with_type(q.a.type, [&](auto type) {
    using T = decltype(type);
    return with_columns(q.a.n, [&](auto groups) { return run_lrqr_of<T, decltype(groups)::value>(ctx, q); });
  });
}

} // namespace batched_cuda::lowrank

#endif
