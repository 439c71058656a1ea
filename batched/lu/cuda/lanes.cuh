/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.lanes of getrs and getri: op(A) X = B with LU factors of order up to 16 in registers, several matrices per
 * warp.
 *
 * A lane holds a row of op(L U), and one element of each of four right-hand sides at a time; the exchanges of rows
 * become one permutation by shuffles. The factors are read once for all right-hand sides. getri solves for the
 * identity, in place.
 *
 * grid      a block per 128 / N matrices, N = 8 or 16 lanes each
 * block     128 threads
 * takes     all four types, n <= 16, any number of right-hand sides, A shared or not, uniform and variable
 * reads     a, ipiv, b; writes b; getri: a, and info (first zero on U's diagonal, A is left alone then)
 * accuracy  |op(A) X - B| < 30 n eps |A| |X|
 */
#ifndef BATCHED_LU_CUDA_LANES_CUH
#define BATCHED_LU_CUDA_LANES_CUH

#include "batched/lu/cuda/factors.cuh"

namespace batched_cuda::lu
{

enum { LU_SOLVE_THREADS = 128 };

template <class T, int N> struct lanes_solve {
  static constexpr int R = 4;
  T e[N], d; /* this row, and its element on the diagonal */
  int n, row;

  __device__ __forceinline__ void load(const T *a, int ld, batched_trans trans)
  {
    const int64_t down = trans == BATCHED_NO_TRANS ? 1 : ld, right = trans == BATCHED_NO_TRANS ? ld : 1;
    d = make<T>(1);
#pragma unroll
    for (int c = 0; c < N; c++) {
      e[c] = row < n && c < n ? conj_if(trans == BATCHED_CONJ_TRANS, a[row * down + c * right]) : make<T>(0);
      if (c == row && row < n) d = e[c];
    }
  }
  /* The row of the right-hand side that is permuted to this lane's, or (op(A) transposed) where this lane's row
   * goes. */
  __device__ __forceinline__ int origin(const int *pivots) const
  {
    const int mine = row < n ? pivots[row] - 1 : row;
    int at = row;
#pragma unroll 4
    for (int k = N - 1; k >= 0; k--) {
      const int p = __shfl_sync(all_lanes, mine, k, N);
      at = at == k ? p : at == p ? k : at;
    }
    return at;
  }
  template <bool FORWARD> __device__ __forceinline__ void substitute(bool unit, int nrhs, T (&y)[R]) const
  {
    const diagonal<T> inverse(d);
#pragma unroll
    for (int s = 0; s < N; s++) {
      const int c = FORWARD ? s : N - 1 - s;
#pragma unroll
      for (int r = 0; r < R; r++)
        if (r < nrhs) {
          if (!unit && row == c) y[r] = inverse.solve(y[r]);
          const T u = shuffle(y[r], c, N);
          if (FORWARD ? row > c : row < c) y[r] = mad(-e[c], u, y[r]);
        }
    }
  }
};

template <class T, int N> __global__ void __launch_bounds__(LU_SOLVE_THREADS) solve_lanes(lu_system<T> s)
{
  constexpr int each = LU_SOLVE_THREADS / N, R = lanes_solve<T, N>::R;
  const bool plain = s.trans == BATCHED_NO_TRANS;
  for (int64_t start = (int64_t)blockIdx.x * each; start < s.b.count; start += (int64_t)gridDim.x * each) {
    const int64_t b = start + threadIdx.x / N;
    const bool exists = b < s.b.count;
    lanes_solve<T, N> lu;
    lu.row = threadIdx.x % N;
    lu.n = exists && !(s.skip && s.skip[b] != 0) ? s.b.rows(b) : 0;
    const bool idle = lu.n == 0;
    lu.load(idle ? nullptr : s.a.at(b), idle ? 0 : s.a.leading(b), s.trans);
    if (s.report) {
      const unsigned zeros = __ballot_sync(all_lanes, lu.d == make<T>(0)) >> (threadIdx.x % 32 / N * N);
      const int first = __ffs((int)(zeros & ((1u << N) - 1)));
      if (exists && lu.row == 0) s.report[b] = first;
      if (first) lu.n = 0;
    }
    const int origin = lu.origin(idle ? nullptr : s.ipiv + b * s.npivots);
    const int cols = lu.n == 0 ? 0 : s.b.cols(b), ld = lu.n == 0 ? 0 : s.b.leading(b);
    T *x = cols == 0 ? nullptr : s.b.at(b);
    __syncwarp();
    for (int j0 = 0; j0 < s.b.n; j0 += R) {
      const int nrhs = s.b.n - j0 < R ? s.b.n - j0 : R, from = plain ? origin : lu.row, to = plain ? lu.row : origin;
      T y[R];
#pragma unroll
      for (int r = 0; r < R; r++) {
        y[r] = make<T>(0);
        if (lu.row < lu.n && j0 + r < cols)
          y[r] = s.identity ? make<T>(from == j0 + r) : x[from + (int64_t)(j0 + r) * ld];
      }
      lu.template substitute<true>(plain, nrhs, y);
      lu.template substitute<false>(!plain, nrhs, y);
#pragma unroll
      for (int r = 0; r < R; r++)
        if (lu.row < lu.n && j0 + r < cols) x[to + (int64_t)(j0 + r) * ld] = y[r];
    }
  }
}

template <class T> int launch_solve_lanes(batched_ctx *ctx, const lu_system<T> &s)
{
  const auto go = [&](auto kernel, int each) {
    return launch(ctx, kernel, ceil_div(s.b.count, each), LU_SOLVE_THREADS, 0, s);
  };
  if (s.b.m <= 8) return go(solve_lanes<T, 8>, LU_SOLVE_THREADS / 8);
  return go(solve_lanes<T, 16>, LU_SOLVE_THREADS / 16);
}

} // namespace batched_cuda::lu

#endif
