/* SPDX-License-Identifier: BSD-3-Clause
 *
 * QR factorisations of high matrices of up to 64 columns, some rows at a time, by a block of 4 warps: what the kernel
 * of lrtriangle is made of.  A step is a reflector that takes a column of the rows at hand to 0 below R's diagonal
 * element; the rows are in registers, R is in shared memory.
 */
#ifndef BATCHED_LOWRANK_CUDA_ROW_REFLECTIONS_CUH
#define BATCHED_LOWRANK_CUDA_ROW_REFLECTIONS_CUH

#include "batched/cuda/reduce.cuh"
#include "batched/eigen/cuda/jacobi.cuh"

namespace batched_cuda::lowrank
{

constexpr int least_columns = 17, most_columns = 64, row_warps = 4;

/* Columns of a warp's rows: column 8 s + lane / 4 is with 4 lanes, row 4 t + lane % 4 with 8. */
constexpr int column_groups = 8, row_lanes = warp_size / column_groups;

/* Rows of each lane, of 8 S columns: what 160 registers hold, at most 16. */
template <class T, int S>
constexpr int rows_per_lane = 160 * 4 / ((int)sizeof(T) * S) < 16 ? 160 * 4 / ((int)sizeof(T) * S) / 2 * 2 : 16;
template <class T, int S> constexpr int rows_per_block = row_warps *row_lanes *rows_per_lane<T, S>;

/* R twice, as it was before the rows at hand and as it is with them, and the warps' sums of two steps. */
template <class T, int S> constexpr size_t bytes_of_r(int n)
{
  return (size_t)(2 * n + 2 * row_warps) * column_groups * S * sizeof(T);
}

/* Of a column alpha in R and x in the rows, |x|^2 = below: I - tau v v^H, v = (1, g x), takes x to 0 and alpha to a
 * number of its phase. */
template <class T> struct row_reflector {
  real_of<T> tau; /* 0: alpha and x are as good as 0 */
  T g;

  __device__ __forceinline__ row_reflector(T alpha, real_of<T> below)
  {
    using R = real_of<T>;
    constexpr R tiny = sizeof(R) == 4 ? R(0x1p-100) : R(0x1p-900);
    const R above = square(alpha), all = above + below;
    const bool none = !(all > tiny);
    const R root = inverse_root(none ? R(1) : all), norm = all * root;
    T phase = make<T>(alpha_sign(alpha));
    R size = fabs(real(alpha));
    if constexpr (is_complex<T>) {
      const R r = inverse_root(above > tiny ? above : R(1));
      size = above > tiny ? above * r : R(0);
      phase = above > tiny ? alpha * r : make<T>(1);
    }
    tau = none ? R(0) : fma(size, root, R(1));
    g = conj(phase) * inverse_of(none ? R(1) : size + norm);
  }

private:
  static __device__ __forceinline__ real_of<T> alpha_sign(T alpha)
  {
    return real(alpha) < 0 ? real_of<T>(-1) : real_of<T>(1);
  }
};

/* The rows at hand: those of a lane, and their places among the rows of the block. */
template <class T, int S, int Rows = rows_per_lane<T, S>> struct row_block {
  using R = real_of<T>;
  static constexpr int rows = Rows, ld = column_groups * S;
  const int warp = threadIdx.x / warp_size, q = threadIdx.x % row_lanes, p = threadIdx.x % warp_size / row_lanes;
  T x[rows][S];

  __device__ __forceinline__ int row(int t) const
  {
    return (warp * rows + t) * row_lanes + q;
  }
  __device__ __forceinline__ int column(int s) const
  {
    return column_groups * s + p;
  }

  /* Rows of an m x n matrix from `first` on; whether all are finite, and the largest. */
  __device__ __forceinline__ bool load(const T *a, int lda, int first, int m, int n, maximum_of<R> &most)
  {
    bool finite = true;
#pragma unroll
    for (int t = 0; t < rows; t++)
#pragma unroll
      for (int s = 0; s < S; s++) {
        const int i = first + row(t), j = column(s);
        x[t][s] = i < m && j < n ? a[i + (int64_t)j * lda] : make<T>(0);
        finite = finite && eigen::is_finite(x[t][s]);
        most.add(eigen::magnitude(x[t][s]));
      }
    return finite;
  }
  __device__ __forceinline__ void scale(const eigen::power_scale<R> &by)
  {
#pragma unroll
    for (int t = 0; t < rows; t++)
#pragma unroll
      for (int s = 0; s < S; s++) x[t][s] = by.up(x[t][s]);
  }

  /* d[s] = y^H X of the columns from group s0 on, in all threads that have them; `sums`: of this step alone, and free
   * again after a barrier more. */
  template <int s0> __device__ __forceinline__ void project(const T (&y)[rows], T (&d)[S], T *sums) const
  {
#pragma unroll
    for (int s = s0; s < S; s++) {
      d[s] = make<T>(0);
#pragma unroll
      for (int t = 0; t < rows; t++) d[s] = mad(conj(y[t]), x[t][s], d[s]);
      d[s] = sum_lanes(d[s], row_lanes);
      if (q == 0) sums[warp * ld + column(s)] = d[s];
    }
    __syncthreads();
#pragma unroll
    for (int s = s0; s < S; s++) {
      const T *const at = sums + column(s);
      d[s] = (at[0] + at[ld]) + (at[2 * ld] + at[3 * ld]);
    }
  }

  /* R of [R; rows], step by step, for the columns from group s0 on; R comes from `before` and goes to `after`. */
  template <int s0> __device__ __forceinline__ void eliminate(const T *before, T *after, T *sums, int n)
  {
    for (int jj = 0; jj < column_groups; jj++) {
      const int j = column_groups * s0 + jj;
      if (j >= n) return;
      T y[rows], d[S];
#pragma unroll
      for (int t = 0; t < rows; t++) y[t] = shuffle(x[t][s0], row_lanes * jj + q);
      project<s0>(y, d, sums + j % 2 * row_warps * ld);
      const T *const r = before + j * ld;
      const row_reflector<T> h(r[j], real(shuffle(d[s0], row_lanes * jj)));
#pragma unroll
      for (int s = s0; s < S; s++) {
        const int c = column(s);
        const T w = h.tau * mad(conj(h.g), d[s], r[c]), f = h.g * w;
        if (warp == 0 && q == 0 && c >= j) after[j * ld + c] = r[c] - w;
#pragma unroll
        for (int t = 0; t < rows; t++) x[t][s] = mad(-f, y[t], x[t][s]);
      }
    }
    if constexpr (s0 + 1 < S) eliminate<s0 + 1>(before, after, sums, n);
  }
};

/* The first of m x n rows' block, or the next one, into registers and to R, which is scaled with it: false where a
 * number is not finite. */
template <class T, int S>
__device__ __forceinline__ bool take_rows(row_block<T, S> &x, const T *a, int lda, int first, int m, int n, T *before,
                                          real_of<T> &largest, maximum_of<real_of<T>> *shared)
{
  using R = real_of<T>;
  maximum_of<R> most;
  const bool finite = __syncthreads_and(x.load(a, lda, first, m, n, most));
  const R here = merge_block(most, shared).result();
  if (!finite) return false;
  const eigen::power_scale<R> old(largest, R(1)), scale(here > largest ? here : largest, R(1));
  if (here > largest) {
    for (int e = threadIdx.x; e < n * x.ld; e += blockDim.x)
      before[e] = scale.up(make<T>(old.down(real(before[e])), old.down(imag(before[e]))));
    largest = here;
  }
  x.scale(scale);
  __syncthreads();
  return true;
}

template <class T> __device__ __forceinline__ T scaled_down(const eigen::power_scale<real_of<T>> &scale, T x)
{
  return make<T>(scale.down(real(x)), scale.down(imag(x)));
}

/* Calls f(integral constant S) for n columns. */
template <class F> int with_columns(int n, F f)
{
  switch ((int)ceil_div(n, column_groups)) {
  case 3: return f(std::integral_constant<int, 3>());
  case 4: return f(std::integral_constant<int, 4>());
  case 5: return f(std::integral_constant<int, 5>());
  case 6: return f(std::integral_constant<int, 6>());
  case 7: return f(std::integral_constant<int, 7>());
  default: return f(std::integral_constant<int, 8>());
  }
}

} // namespace batched_cuda::lowrank

#endif
