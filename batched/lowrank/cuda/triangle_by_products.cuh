/* SPDX-License-Identifier: BSD-3-Clause
 *
 * R^H of A = Q R from the products of A's columns, by Cholesky's method, for doubles on the tensor cores: A is read
 * once, at memory's speed.  Its backward error, column by column, is some eps times the condition of the columns
 * brought to one length, which the inverse of R tells: where that is large, R has to be had by reflections.
 */
#ifndef BATCHED_LOWRANK_CUDA_TRIANGLE_BY_PRODUCTS_CUH
#define BATCHED_LOWRANK_CUDA_TRIANGLE_BY_PRODUCTS_CUH

#include "batched/cuda/mma.cuh"
#include "batched/lowrank/cuda/row_reflections.cuh"

namespace batched_cuda::lowrank
{

/* Of up to 8 S columns, by a block of `row_warps` warps.  W, n x n, in shared memory: first A^T A, on and above its
 * diagonal; then there R_ij R_ii, and below it the inverse of the unit lower triangle of A^T A = L D L^T. */
template <int S> struct triangle_by_products {
  static constexpr int ld = column_groups * S, pairs = (S + 1) / 2, deep = S <= 5 ? 4 : S <= 6 ? 2 : 1;
  /* Squares: of the largest row of R's inverse, columns at one length; of that times a column's length, in units of the
   * largest one, up to which it does not matter; of what has to be left of a column. */
  static constexpr double most = 0x1p14, negligible = 0x1p-60, least_left = 0x1p-40;
  const int n, lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size, g = lane / 4, t = lane % 4;
  double *const w, *const squares, *const roots;

  /* shared: (n + 2) rows of ld numbers */
  __device__ __forceinline__ triangle_by_products(int n, double *shared)
      : n(n), w(shared), squares(shared + n * ld), roots(squares + ld)
  {
  }

  /* d += A^T A of 8 rows; columns beyond A's are its last one, which goes nowhere. inner: are all rows there? */
  template <bool inner, bool aligned>
  __device__ __forceinline__ void add_slice(const double *const (&at)[S], int i, int m, double (&d)[pairs][S][4]) const
  {
    double2 x[S + 1] = {};
#pragma unroll
    for (int s = 0; s < S; s++)
      if constexpr (inner && aligned)
        x[s] = *reinterpret_cast<const double2 *>(at[s] + i);
      else
        x[s] = {inner || i < m ? at[s][i] : 0, inner || i + 1 < m ? at[s][i + 1] : 0};
#pragma unroll
    for (int p = 0; p < pairs; p++) {
      const double rows[4] = {x[2 * p].x, x[2 * p + 1].x, x[2 * p].y, x[2 * p + 1].y};
#pragma unroll
      for (int s = 2 * p; s < S; s++) {
        const double columns[2] = {x[s].x, x[s].y};
        multiply_16x8x8(d[p][s], rows, columns);
      }
    }
  }
  template <bool aligned>
  __device__ __forceinline__ void add_slices(const double *const (&at)[S], int m, double (&d)[pairs][S][4]) const
  {
    int i = 8 * warp;
#pragma unroll deep
    for (; i + 8 <= m; i += 8 * row_warps) add_slice<true, aligned>(at, i + 2 * t, m, d);
    if (i < m) add_slice<false, aligned>(at, i + 2 * t, m, d);
  }
  /* W = A^T A; the warps' sums one after the other, for the same bits each time. */
  __device__ __forceinline__ void multiply(const double *a, int64_t lda, int m) const
  {
    const double *at[S];
    double d[pairs][S][4] = {};
#pragma unroll
    for (int s = 0; s < S; s++) at[s] = a + min(8 * s + g, n - 1) * lda;
    if ((reinterpret_cast<uintptr_t>(a) | (uintptr_t)lda * sizeof(double)) % sizeof(double2) == 0)
      add_slices<true>(at, m, d);
    else
      add_slices<false>(at, m, d);
    for (int turn = 0; turn < row_warps; turn++) {
      if (warp == turn)
#pragma unroll
        for (int p = 0; p < pairs; p++)
#pragma unroll
          for (int s = 2 * p; s < S; s++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
              const int row = 16 * p + g + 8 * (e / 2), column = 8 * s + 2 * t + e % 2;
              double *const to = w + row * ld + column;
              if (row < n && column >= row) *to = turn > 0 ? *to + d[p][s][e] : d[p][s][e];
            }
      __syncthreads();
    }
  }
  /* A step takes multiples of row j from the rows below; the inverse is what the steps make of the identity. */
  __device__ __forceinline__ void eliminate() const
  {
    for (int j = threadIdx.x; j < n; j += blockDim.x) squares[j] = w[j * (ld + 1)];
    __syncthreads();
    for (int j = 0; j < n; j++) {
      const double *const pivot = w + j * ld;
      const double inverse = 1 / pivot[j];
      for (int i = j + 1 + warp; i < n; i += row_warps) {
        double *const row = w + i * ld;
        const double f = pivot[i] * inverse;
        for (int c = lane; c < n; c += warp_size)
          if (c < j || c >= i)
            row[c] = fma(-f, pivot[c], row[c]);
          else if (c == j)
            row[c] = -f;
      }
      __syncthreads();
    }
  }
  /* Are the columns of moderate lengths, and is R good? */
  __device__ __forceinline__ bool is_good() const
  {
    double largest = 0;
    for (int j = lane; j < n; j += warp_size) largest = fmax(largest, squares[j]);
    for (int half = warp_size / 2; half > 0; half /= 2) largest = fmax(largest, shuffle_xor(largest, half));
    bool good = true;
    for (int i = warp; i < n; i += row_warps) {
      const double *const row = w + i * ld;
      const double square_of_column = squares[i], left = row[i];
      double sum = 0;
      for (int c = lane; c <= i; c += warp_size) sum = fma(c < i ? row[c] * row[c] : 1, squares[c], sum);
      sum = sum_lanes(sum);
      good = good && square_of_column > 0x1p-400 && square_of_column < 0x1p400 &&
             left > least_left * square_of_column &&
             (sum <= most * left || sum * square_of_column <= negligible * largest * left);
    }
    return __syncthreads_and(good);
  }
  /* C = R^H. */
  __device__ __forceinline__ void write(double *c, int64_t ldc) const
  {
    for (int j = threadIdx.x; j < n; j += blockDim.x) roots[j] = inverse_root(w[j * (ld + 1)]);
    __syncthreads();
    for (int e = threadIdx.x; e < n * n; e += blockDim.x) {
      const int i = e % n, j = e / n;
      c[i + j * ldc] = i >= j ? w[j * ld + i] * roots[j] : 0;
    }
  }

  /* Whether C was written; all of the shared memory is free again. */
  __device__ __forceinline__ bool run(const double *a, int64_t lda, int m, double *c, int64_t ldc) const
  {
    multiply(a, lda, m);
    eliminate();
    const bool good = is_good();
    if (good) write(c, ldc);
    __syncthreads();
    return good;
  }
};

} // namespace batched_cuda::lowrank

#endif
