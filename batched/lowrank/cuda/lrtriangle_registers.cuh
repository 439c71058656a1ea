/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.registers of lrtriangle.
 */
#ifndef BATCHED_LOWRANK_CUDA_LRTRIANGLE_REGISTERS_CUH
#define BATCHED_LOWRANK_CUDA_LRTRIANGLE_REGISTERS_CUH

#include "batched/cuda/reduce.cuh"
#include "batched/eigen/cuda/jacobi.cuh"
#include "batched/lowrank/compose.h"

namespace batched_cuda::lowrank
{

constexpr int triangle_least = 17, triangle_most = 64, triangle_warps = 4;

/* Columns of a warp's rows: column 8 s + lane / 4 is with 4 lanes, row 4 t + lane % 4 with 8. */
constexpr int triangle_columns = 8, triangle_lanes = warp_size / triangle_columns;

/* Rows of each lane, of 8 S columns: what 160 registers hold. */
template <class T, int S>
constexpr int triangle_rows = 160 * 4 / ((int)sizeof(T) * S) < 16 ? 160 * 4 / ((int)sizeof(T) * S) / 2 * 2 : 16;

template <class T> struct triangles {
  batch<T> a, c;
};

/* R twice, as it was before the rows at hand and as it is with them, and the warps' sums of two steps. */
template <class T, int S> constexpr size_t triangle_bytes(int n)
{
  constexpr int ld = triangle_columns * S;
  return (size_t)(2 * n + 2 * triangle_warps) * ld * sizeof(T);
}

/* The reflector that takes the rows' column below R's diagonal element `alpha` to 0: I - tau v v^H, v = (1, g x). */
template <class T> struct triangle_reflector {
  real_of<T> tau;
  T g;
  bool none; /* both are as good as 0 */

  __device__ __forceinline__ triangle_reflector(T alpha, real_of<T> below)
  {
    using R = real_of<T>;
    constexpr R tiny = sizeof(R) == 4 ? R(0x1p-100) : R(0x1p-900);
    const R above = square(alpha), all = above + below;
    none = !(all > tiny);
    const R root = inverse_root(none ? R(1) : all), norm = all * root;
    T phase = make<T>(1);
    R size = 0;
    if constexpr (is_complex<T>) {
      if (above > tiny) {
        const R r = inverse_root(above);
        size = above * r;
        phase = alpha * r;
      }
    } else {
      size = fabs(alpha);
      if (alpha < 0) phase = -1;
    }
    tau = fma(size, root, R(1));
    g = conj(phase) * inverse_of(none ? R(1) : size + norm);
  }
};

/* R of [R; rows], step by step, for the columns from 8 s0 on: the rows are in registers, R comes from `before` and goes
 * to `after`. */
template <int s0, class T, int S, int rows>
__device__ __forceinline__ void eliminate(T (&x)[rows][S], const T *before, T *after, T *sums, int n)
{
  constexpr int ld = triangle_columns * S;
  const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  const int q = lane % triangle_lanes, p = lane / triangle_lanes;
  for (int jj = 0; jj < triangle_columns; jj++) {
    const int j = triangle_columns * s0 + jj;
    if (j >= n) return;
    T y[rows], d[S];
#pragma unroll
    for (int t = 0; t < rows; t++) y[t] = shuffle(x[t][s0], triangle_lanes * jj + q);
    T *const mine = sums + j % 2 * triangle_warps * ld;
#pragma unroll
    for (int s = s0; s < S; s++) {
      d[s] = make<T>(0);
#pragma unroll
      for (int t = 0; t < rows; t++) d[s] = mad(conj(y[t]), x[t][s], d[s]);
      d[s] = sum_lanes(d[s], triangle_lanes);
      if (q == 0) mine[warp * ld + triangle_columns * s + p] = d[s];
    }
    __syncthreads();
#pragma unroll
    for (int s = s0; s < S; s++) {
      const T *const at = mine + triangle_columns * s + p;
      d[s] = (at[0] + at[ld]) + (at[2 * ld] + at[3 * ld]);
    }
    const T *const row = before + j * ld;
    const triangle_reflector<T> h(row[j], real(shuffle(d[s0], triangle_lanes * jj)));
#pragma unroll
    for (int s = s0; s < S; s++) {
      const int c = triangle_columns * s + p;
      const T w = h.none ? make<T>(0) : h.tau * mad(conj(h.g), d[s], row[c]), f = h.g * w;
      if (warp == 0 && q == 0 && c >= j) after[j * ld + c] = row[c] - w;
#pragma unroll
      for (int t = 0; t < rows; t++) x[t][s] = mad(-f, y[t], x[t][s]);
    }
  }
  if constexpr (s0 + 1 < S) eliminate<s0 + 1>(x, before, after, sums, n);
}

/* C = R^H of A = Q R, without Q
 *   algorithm  Householder's reflections of [R; rows], some rows of A at a time; the diagonal of R may have any phase
 *   grid       a block of 4 warps per matrix, two per SM
 *   registers  rows of A, 8 lanes with every eighth column each
 *   shared     R twice
 *   takes      all types, m x n with n from 17 to 64, uniform
 *   memory     A once read, C once written
 *   accuracy   backward stable column by column, above some 1e-130 (in single precision 1e-15) of the largest element */
template <class T, int S>
__global__ void __launch_bounds__(triangle_warps *warp_size, 2) lrtriangle_registers(triangles<T> f)
{
  using R = real_of<T>;
  constexpr int rows = triangle_rows<T, S>, ld = triangle_columns * S, high = triangle_warps * triangle_lanes * rows;
  __shared__ maximum_of<R> shared_largest[triangle_warps];
  const int m = f.a.m, n = f.a.n, warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  const int q = lane % triangle_lanes, p = lane / triangle_lanes;
  T *const sums = shared_array<T>();
  for (int64_t b = blockIdx.x; b < f.a.count; b += gridDim.x) {
    T *before = sums + 2 * triangle_warps * ld, *after = before + n * ld;
    for (int e = threadIdx.x; e < 2 * n * ld; e += blockDim.x) before[e] = make<T>(0);
    const T *const a = f.a.at(b);
    const int lda = f.a.leading(b);
    R largest = 0;
    bool finite = true;
    for (int first = 0; first < m; first += high) {
      T x[rows][S];
      maximum_of<R> most;
#pragma unroll
      for (int t = 0; t < rows; t++)
#pragma unroll
        for (int s = 0; s < S; s++) {
          const int i = first + (warp * rows + t) * triangle_lanes + q, j = triangle_columns * s + p;
          x[t][s] = i < m && j < n ? a[i + (int64_t)j * lda] : make<T>(0);
          finite = finite && eigen::is_finite(x[t][s]);
          most.add(eigen::magnitude(x[t][s]));
        }
      finite = __syncthreads_and(finite);
      const R here = merge_block(most, shared_largest).result();
      if (!finite) break;
      const eigen::power_scale<R> old(largest, R(1)), scale(here > largest ? here : largest, R(1));
      if (here > largest) {
        for (int e = threadIdx.x; e < n * ld; e += blockDim.x)
          before[e] = scale.up(make<T>(old.down(real(before[e])), old.down(imag(before[e]))));
        largest = here;
      }
#pragma unroll
      for (int t = 0; t < rows; t++)
#pragma unroll
        for (int s = 0; s < S; s++) x[t][s] = scale.up(x[t][s]);
      __syncthreads();
      eliminate<0>(x, before, after, sums, n);
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
      c[i + (int64_t)j * ldc] = finite ? make<T>(scale.down(real(r)), scale.down(imag(r))) : eigen::not_a_number<T>();
    }
    __syncthreads();
  }
}

static inline bool fits_lrtriangle_registers(const batched_lrtriangle_args &t)
{
  return t.a.n >= triangle_least && t.a.n <= triangle_most && !batched_is_variable(&t.a) && !batched_is_variable(&t.c);
}

template <class T, int S> int run_lrtriangle_of(batched_ctx *ctx, const batched_lrtriangle_args &t)
{
  return launch(ctx, lrtriangle_registers<T, S>, t.a.count, triangle_warps * warp_size, triangle_bytes<T, S>(t.a.n),
                triangles<T>{view<T>(t.a), view<T>(t.c)});
}

static inline int run_lrtriangle_registers(batched_ctx *ctx, const batched_lrtriangle_args &t)
{
  return with_type(t.a.type, [&](auto type) {
    using T = decltype(type);
    switch ((int)ceil_div(t.a.n, triangle_columns)) {
    case 3: return run_lrtriangle_of<T, 3>(ctx, t);
    case 4: return run_lrtriangle_of<T, 4>(ctx, t);
    case 5: return run_lrtriangle_of<T, 5>(ctx, t);
    case 6: return run_lrtriangle_of<T, 6>(ctx, t);
    case 7: return run_lrtriangle_of<T, 7>(ctx, t);
    default: return run_lrtriangle_of<T, 8>(ctx, t);
    }
  });
}

} // namespace batched_cuda::lowrank

#endif
