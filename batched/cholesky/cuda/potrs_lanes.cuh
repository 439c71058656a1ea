/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.lanes of potrs for one right-hand side and n from 17 to 48 (see lanes.cuh for others): P lanes, 8 or 16,
 * hold the rows of a lower triangle, which is read once, along its columns.  Its P x P blocks on the diagonal are in
 * shared memory, where the forward substitution reads their columns and the backward one their rows; the blocks below
 * are in registers, and the backward substitution sums P of their columns over the lanes at a time, which leaves each
 * sum in the lane that needs it.
 */
#ifndef BATCHED_CHOLESKY_CUDA_POTRS_LANES_CUH
#define BATCHED_CHOLESKY_CUDA_POTRS_LANES_CUH

#include "batched/cuda/predicated.cuh"
#include "batched/cuda/launch.cuh"
#include "batched/triangular/cuda/triangle.cuh"

namespace batched_cuda::cholesky
{

/* A triangle E of order n <= N, as one of its P lanes sees it: rows t, t + P, ...; rows from n on are zero. */
template <class T, int P, int N> struct lane_solver {
  static constexpr int slots = N / P, ld = P + 1, shared = slots * P * ld;
  static constexpr bool by_copies = N > 32; /* the diagonal blocks bypass the registers, of which there are too few */
  int t;
  T l[slots][N]; /* of slot i, the columns left of the diagonal block; the others are never touched */
  T *diagonal;   /* the blocks on the diagonal, by columns */
  T inverse[slots];

  __device__ __forceinline__ T *block(int i) const
  {
    return diagonal + i * P * ld;
  }

  __device__ __forceinline__ void load(const strided<const T> &e, int n)
  {
    if constexpr (by_copies) copy_diagonal(e, n);
#pragma unroll
    for (int i = 1; i < slots; i++) {
      const T *from = &e(t + P * i, 0);
#pragma unroll
      for (int j = 0; j < P * i; j++, from += e.col)
        l[i][j] = t + P * i >= n ? make<T>(0) : by_copies ? *from : load_once(from);
    }
    if constexpr (by_copies)
      wait_copies();
    else
      load_diagonal(e, n);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < slots; i++) inverse[i] = divide(make<T>(1), t + P * i < n ? block(i)[t * ld + t] : make<T>(1));
  }

  /* x = E^-1 x */
  __device__ __forceinline__ void forward(T (&x)[slots], int n) const
  {
#pragma unroll
    for (int i = 0; i < slots; i++) {
      if (P * i >= n) break;
      T own[P];
#pragma unroll
      for (int j = 0; j < P; j++) own[j] = block(i)[j * ld + t];
#pragma unroll
      for (int j = 0; j < P; j++) {
        if (P * i + j >= n) break;
        const T y = shuffle(x[i] * inverse[i], j, P);
        if (t > j) x[i] = mad(-own[j], y, x[i]);
#pragma unroll
        for (int k = i + 1; k < slots; k++) x[k] = mad(-l[k][P * i + j], y, x[k]);
      }
    }
#pragma unroll
    for (int i = 0; i < slots; i++) x[i] = x[i] * inverse[i];
  }

  /* x = E^-H x */
  __device__ __forceinline__ void backward(T (&x)[slots], int n) const
  {
#pragma unroll
    for (int i = slots - 1; i >= 0; i--) {
      if (P * i >= n) continue;
      T own[P];
#pragma unroll
      for (int j = 0; j < P; j++) own[j] = conj(block(i)[t * ld + j]);
      if (i + 1 < slots) x[i] = x[i] - below(i, x);
      const T inv = conj(inverse[i]);
#pragma unroll
      for (int j = P - 1; j > 0; j--) {
        if (P * i + j >= n) continue;
        const T y = shuffle(x[i] * inv, j, P);
        if (t < j) x[i] = mad(-own[j], y, x[i]);
      }
      x[i] = x[i] * inv;
    }
  }

private:
  __device__ __forceinline__ void load_diagonal(const strided<const T> &e, int n) const
  {
    T own[slots][P];
#pragma unroll
    for (int i = 0; i < slots; i++) {
      const T *from = &e(t + P * i, P * i);
#pragma unroll
      for (int j = 0; j < P; j++, from += e.col) own[i][j] = t + P * i < n && j <= t ? load_once(from) : make<T>(0);
    }
#pragma unroll
    for (int i = 0; i < slots; i++)
#pragma unroll
      for (int j = 0; j < P; j++) block(i)[j * ld + t] = own[i][j];
  }

  /* The same by asynchronous copies, which are slower and take no registers. */
  __device__ __forceinline__ void copy_diagonal(const strided<const T> &e, int n) const
  {
#pragma unroll
    for (int i = 0; i < slots; i++) {
      const T *from = &e(t + P * i, P * i);
#pragma unroll
      for (int j = 0; j < P; j++, from += e.col) {
        T *const to = block(i) + j * ld + t;
        start_copy_if(t + P * i < n && j <= t, to, from);
        if (t + P * i >= n) *to = make<T>(0);
      }
    }
  }

  /* sum_r conj(E(r, P i + t)) x(r) over the rows r below block i. */
  __device__ __forceinline__ T below(int i, const T (&x)[slots]) const
  {
    T v[P];
#pragma unroll
    for (int c = 0; c < P; c++) {
      v[c] = make<T>(0);
#pragma unroll
      for (int k = 1; k < slots; k++)
        if (k > i) v[c] = mad(conj(l[k][P * i + c]), x[k], v[c]);
    }
    return sum_columns<P / 2>(v);
  }

  /* The sum of v[t] over the lanes, to lane t: halves are exchanged. */
  template <int half> __device__ __forceinline__ T sum_columns(T (&v)[P]) const
  {
    const bool upper = t & half;
#pragma unroll
    for (int c = 0; c < half; c++) {
      const T other = shuffle_xor(select(upper, v[c], v[c + half]), half, P);
      v[c] = select(upper, v[c + half], v[c]) + other;
    }
    if constexpr (half > 1) return sum_columns<half / 2>(v);
    return v[0];
  }
};

static constexpr int solver_threads = 64;

/* Resident blocks per multiprocessor that the registers allow, with 72 or 32 for everything else. */
template <class T, int P, int N> constexpr int solver_blocks()
{
  constexpr bool by_copies = lane_solver<T, P, N>::by_copies;
  constexpr int slots = N / P, held = P * slots * (by_copies ? slots - 1 : slots + 1) / 2;
  return 1024 / ((int)sizeof(T) / 4 * held + (by_copies ? 72 : 32));
}

/* x = A^-1 x, one right-hand side.
 *   algorithm  substitution, with products by 1 / diagonal in place of divisions.  LOWER (A = E E^H): E^-1, then E^-H;
 *              UPPER (A = U^H U): E is U with rows and columns in reverse order, and E^-H comes first
 *   grid       a block of 64 threads per 64 / P matrices
 *   registers  E's rows without its P x P diagonal blocks; with them while they are loaded, unless they are copied
 *              asynchronously (by_copies)
 *   shared     N (P + 1) elements per matrix: the diagonal blocks
 *   takes      n <= 48 (z: 32), all types, uniform and variable
 *   memory     the triangle and x once from, x once to global memory
 *   accuracy   of substitution */
template <class T, int P, int N>
static __global__ void __launch_bounds__(solver_threads, solver_blocks<T, P, N>())
  solve_one_in_lanes(triangular::triangle_form f, batch<T> a, batch<T> x)
{
  using solver = lane_solver<T, P, N>;
  constexpr int own = solver_threads / P;
  __shared__ T diagonal[own][solver::shared];
  for (int64_t first = (int64_t)blockIdx.x * own; first < x.count; first += (int64_t)gridDim.x * own) {
    const int64_t b = first + threadIdx.x / P;
    const int n = b < x.count && x.cols(b) > 0 ? x.rows(b) : 0;
    solver s;
    s.t = threadIdx.x % P;
    s.diagonal = diagonal[threadIdx.x / P];
    strided<const T> e = {nullptr, 0, 0};
    strided<T> v = {nullptr, 0, 0};
    if (n > 0) {
      e = triangular::triangle_of<const T>(f, a.at(b), a.leading(b), n);
      v = triangular::unknowns_of<T>(f, x.at(b), x.leading(b), n);
    }
    T y[solver::slots];
#pragma unroll
    for (int i = 0; i < solver::slots; i++) y[i] = s.t + P * i < n ? v(s.t + P * i, 0) : make<T>(0);
    s.load(e, n);
#pragma unroll 1
    for (int way = 0; way < 2; way++) {
      if ((way == 1) == f.backward)
        s.forward(y, x.m);
      else
        s.backward(y, x.m);
    }
#pragma unroll
    for (int i = 0; i < solver::slots; i++)
      if (s.t + P * i < n) v(s.t + P * i, 0) = y[i];
    __syncwarp();
  }
}

template <class T, int P, int N>
static int solve_lanes_one(batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, const batch<T> &x)
{
  constexpr int own = solver_threads / P;
  return launch(ctx, solve_one_in_lanes<T, P, N>, ceil_div(x.count, own), solver_threads, 0,
                triangular::form_of(BATCHED_LEFT, uplo, BATCHED_NO_TRANS, BATCHED_NON_UNIT), a, x);
}

template <class T> static int solve_lanes_one(batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, const batch<T> &x)
{
  if constexpr (sizeof(T) <= 8) {
    if (x.m > 40) return solve_lanes_one<T, 16, 48>(ctx, uplo, a, x);
    if (x.m > 32) return solve_lanes_one<T, 8, 40>(ctx, uplo, a, x);
  }
  return solve_lanes_one<T, 16, 32>(ctx, uplo, a, x);
}

} // namespace batched_cuda::cholesky

#endif
