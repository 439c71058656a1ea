/* SPDX-License-Identifier: BSD-3-Clause
 *
 * op(A) X = B with LU factors, a block for some right-hand sides of a matrix.  The right-hand sides are in shared memory.
 * Blocks of 32 rows are solved by a warp a right-hand side, a lane a row; the rows that are left are then brought up to
 * date by a thread each.
 */
#ifndef BATCHED_CUDA_LU_SOLVE_CUH
#define BATCHED_CUDA_LU_SOLVE_CUH

#include "lu.cuh"

namespace batched_cuda
{

enum { LU_SOLVE_THREADS = 128 };

/* A triangle in the order in which it is solved: element (i, k) at e[i * row + k * col], zeros for k > i. */
template <class T> struct lu_triangle {
  const T *e;
  int64_t row, col;
  bool conj, unit;

  __device__ __forceinline__ T at(int i, int k) const
  {
    return conj_if(conj, e[i * row + k * col]);
  }
};

/* Rows k0 .. k0 + count - 1 of one right-hand side, whose element i is at x[i * step]. */
template <class T>
__device__ __forceinline__ void solve_diagonal(const lu_triangle<T> &t, int k0, int count, T *x, int step)
{
  constexpr unsigned all = 0xffffffffu;
  constexpr int C = sizeof(T) == 16 ? 8 : 32; /* columns loaded beforehand */
  const int lane = threadIdx.x % 32;
  const bool mine = lane < count;
  T y = mine ? x[(k0 + lane) * step] : make<T>(0);
  const T d = mine && !t.unit ? t.at(k0 + lane, k0 + lane) : make<T>(1);
  const diagonal<T> inverse(d);
  for (int c0 = 0; c0 < count; c0 += C) {
    T e[C];
#pragma unroll
    for (int c = 0; c < C; c++) e[c] = mine && c0 + c < lane ? t.at(k0 + lane, k0 + c0 + c) : make<T>(0);
#pragma unroll
    for (int c = 0; c < C; c++) {
      const int k = c0 + c;
      if (k < count) {
        if (lane == k && !t.unit) y = inverse.solve(y);
        const T u = shuffle(y, k, 32, all);
        if (lane > k) y = mad(-e[c], u, y);
      }
    }
  }
  if (mine) x[(k0 + lane) * step] = y;
}

/* X = E^-1 X for R right-hand sides: element (i, r) at x[i * step + r * ldx]. */
template <class T, int R>
__device__ __forceinline__ void solve_triangle(const lu_triangle<T> &t, int n, int nrhs, T *x, int step, int ldx)
{
  const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (int k0 = 0; k0 < n; k0 += 32) {
    const int count = n - k0 < 32 ? n - k0 : 32;
    for (int r = warp; r < nrhs; r += warps) solve_diagonal(t, k0, count, x + (int64_t)r * ldx, step);
    __syncthreads();
    for (int i = k0 + 32 + threadIdx.x; i < n; i += blockDim.x) {
      T sum[R];
#pragma unroll
      for (int r = 0; r < R; r++) sum[r] = r < nrhs ? x[i * step + (int64_t)r * ldx] : make<T>(0);
#pragma unroll 16
      for (int k = k0; k < k0 + 32; k++) {
        const T e = -t.at(i, k);
#pragma unroll
        for (int r = 0; r < R; r++)
          if (r < nrhs) sum[r] = mad(e, x[k * step + (int64_t)r * ldx], sum[r]);
      }
#pragma unroll
      for (int r = 0; r < R; r++)
        if (r < nrhs) x[i * step + (int64_t)r * ldx] = sum[r];
    }
    __syncthreads();
  }
}

/* Where row i of the permuted right-hand side comes from, or goes to in a solve with op(A). */
static __device__ __forceinline__ int origin_of(const int *pivots, int n, int i)
{
#pragma unroll 8
  for (int k = n - 1; k >= 0; k--) {
    const int p = pivots[k] - 1;
    i = i == k ? p : i == p ? k : i;
  }
  return i;
}

/* The same for right-hand sides that stay in global memory: a thread exchanges the rows of one. */
template <class T>
__device__ __forceinline__ void exchange(const int *pivots, bool forward, int n, int nrhs, T *x, int ldx)
{
  __syncthreads();
  if ((int)threadIdx.x < nrhs) {
    T *y = x + (int64_t)threadIdx.x * ldx;
    for (int s = 0; s < n; s++) {
      const int i = forward ? s : n - 1 - s, p = pivots[i] - 1;
      const T z = y[i];
      y[i] = y[p];
      y[p] = z;
    }
  }
  __syncthreads();
}

/* L, U, or their transposes. */
template <class T>
__device__ __forceinline__ lu_triangle<T> triangle_of(const T *a, int64_t ld, int n, bool lower, batched_trans trans)
{
  const bool flip = trans != BATCHED_NO_TRANS;
  lu_triangle<T> t = {a, flip ? ld : 1, flip ? 1 : ld, trans == BATCHED_CONJ_TRANS, lower};
  if (lower == flip) {
    t.e += (n - 1) * (ld + 1);
    t.row = -t.row;
    t.col = -t.col;
  }
  return t;
}

template <class T, int R> __global__ void __launch_bounds__(LU_SOLVE_THREADS) lu_solve(lu_system<T> s, bool in_shared)
{
  const int64_t chunks = (s.b.n + R - 1) / R;
  for (int64_t w = blockIdx.x; w < s.b.count * chunks; w += gridDim.x) {
    const int64_t b = w / chunks;
    const int n = s.b.rows(b), j0 = (int)(w % chunks) * R, cols = s.b.cols(b), nrhs = cols - j0 < R ? cols - j0 : R;
    if (n <= 0 || nrhs <= 0 || (s.skip && s.skip[b] != 0)) continue;
    const int64_t ldb = s.b.leading(b), lda = s.a.leading(b);
    const T *a = s.a.at(b);
    const int *pivots = s.ipiv + b * s.npivots;
    T *out = s.b.at(b) + j0 * ldb, *x = in_shared ? shared_array<T>() : out;
    const int ldx = in_shared ? n : (int)ldb;
    const bool plain = s.trans == BATCHED_NO_TRANS;
    for (int i = threadIdx.x; i < n && (in_shared || s.identity); i += blockDim.x) {
      const int from = in_shared && plain ? origin_of(pivots, n, i) : i;
      for (int r = 0; r < nrhs; r++)
        x[i + (int64_t)r * ldx] = s.identity ? make<T>(from == j0 + r) : out[from + r * ldb];
    }
    if (!in_shared && plain) exchange(pivots, true, n, nrhs, x, ldx);
    __syncthreads();
    solve_triangle<T, R>(triangle_of(a, lda, n, plain, s.trans), n, nrhs, x, 1, ldx);
    solve_triangle<T, R>(triangle_of(a, lda, n, !plain, s.trans), n, nrhs, x + n - 1, -1, ldx);
    if (!in_shared && !plain) exchange(pivots, false, n, nrhs, x, ldx);
    for (int i = threadIdx.x; i < n && in_shared; i += blockDim.x) {
      const int to = plain ? i : origin_of(pivots, n, i);
      for (int r = 0; r < nrhs; r++) out[to + r * ldb] = x[i + (int64_t)r * ldx];
    }
    __syncthreads();
  }
}

template <class T, int R> int launch_lu_solve(batched_ctx *ctx, const lu_system<T> &s)
{
  const size_t bytes = (size_t)s.b.m * R * sizeof(T);
  const bool in_shared = bytes <= most_shared();
  return launch(ctx, lu_solve<T, R>, s.b.count * ceil_div(s.b.n, R), s.b.m <= 32 ? 32 : LU_SOLVE_THREADS,
                in_shared ? bytes : 0, s, in_shared);
}

template <class T> int launch_lu_solve_shared(batched_ctx *ctx, const lu_system<T> &s)
{
  return s.b.n == 1 ? launch_lu_solve<T, 1>(ctx, s) : launch_lu_solve<T, 8>(ctx, s);
}

} // namespace batched_cuda

#endif
