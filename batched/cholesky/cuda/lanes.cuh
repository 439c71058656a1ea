/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.lanes of potrf, potrs, posv and potri: matrices of order 32 at most in the registers of part of a warp.
 *
 * P lanes hold one lower triangle, rows t, t + P, t + 2P, ... each, so that a warp works on 32 / P matrices; columns go
 * from lane to lane by shuffles.  Loads of a column touch P neighbouring rows: whole sectors from P = 4 on in double
 * precision.  An upper triangle is the lower one of the transpose.  A matrix smaller than N is completed by the
 * identity.
 */
#ifndef BATCHED_CHOLESKY_CUDA_LANES_CUH
#define BATCHED_CHOLESKY_CUDA_LANES_CUH

#include <type_traits>

#include "batched/cuda/compiler.cuh"
#include "batched/cuda/launch.cuh"
#include "batched/cholesky/cuda/pivot.cuh"

namespace batched_cuda::cholesky
{

template <class T, int P, int N> struct triangle_rows {
  static_assert(N % P == 0 && 32 % P == 0, "rows are dealt out to lanes evenly");
  static constexpr int lanes = P, order = N, slots = N / P;

  int t;         /* lane within the matrix; it holds row t + P * i in slot i */
  T x[slots][N]; /* columns 0 .. P (i + 1) - 1 of slot i; the others are never touched */

  /* Element (i, j) of L at a[i * row + j * col]. */
  __device__ __forceinline__ void load(const T *a, int64_t row, int64_t col, int n)
  {
    const T *p[slots];
#pragma unroll
    for (int i = 0; i < slots; i++) p[i] = a + (t + P * i) * row;
#pragma unroll
    for (int j = 0; j < N; j++) {
#pragma unroll
      for (int i = 0; i < slots; i++) {
        const int r = t + P * i;
        if (j >= P * (i + 1)) continue;
        x[i][j] = r < n && j <= r ? *p[i] : make<T>(real_of<T>(r == j ? 1 : 0));
        p[i] += col;
      }
    }
  }

  __device__ __forceinline__ void store(T *a, int64_t row, int64_t col, int n) const
  {
    recompute(a, row, col, n);
    T *p[slots];
#pragma unroll
    for (int i = 0; i < slots; i++) p[i] = a + (t + P * i) * row;
#pragma unroll
    for (int j = 0; j < N; j++) {
#pragma unroll
      for (int i = 0; i < slots; i++) {
        const int r = t + P * i;
        if (j >= P * (i + 1)) continue;
        if (r < n && j <= r) *p[i] = x[i][j];
        p[i] += col;
      }
    }
  }

  /* Right-looking, column by column; n: the largest order in the batch.  Returns info. */
  __device__ __forceinline__ int factor(int n)
  {
    int info = 0;
#pragma unroll
    for (int j = 0; j < N; j++) {
      if (j >= n) break;
      const real_of<T> d = shuffle(real(x[j / P][j]), j % P, P);
      if (!(d > 0) && info == 0) info = j + 1;
      const pivot<real_of<T>, true> p(d);
#pragma unroll
      for (int i = j / P; i < slots; i++) x[i][j] = p.inverse * x[i][j];
#pragma unroll
      for (int k = j + 1; k < N; k++) {
        const T y = conj(shuffle(x[k / P][j], k % P, P));
#pragma unroll
        for (int i = k / P; i < slots; i++) x[i][k] = mad(-x[i][j], y, x[i][k]);
      }
      if (t == j % P) x[j / P][j] = make<T>(p.root);
    }
    return info;
  }
};

/* Right-hand sides in the same lanes: rows t, t + P, ... of R columns. */
template <class T, int P, int N, int R> struct solve_rows {
  static constexpr int slots = N / P;
  T x[slots][R];

  __device__ __forceinline__ void load(int t, const T *b, int64_t ld, int n, int nrhs)
  {
#pragma unroll
    for (int i = 0; i < slots; i++)
#pragma unroll
      for (int c = 0; c < R; c++) x[i][c] = t + P * i < n && c < nrhs ? b[t + P * i + c * ld] : make<T>(0);
  }

  __device__ __forceinline__ void store(int t, T *b, int64_t ld, int n, int nrhs) const
  {
#pragma unroll
    for (int i = 0; i < slots; i++)
#pragma unroll
      for (int c = 0; c < R; c++)
        if (t + P * i < n && c < nrhs) b[t + P * i + c * ld] = x[i][c];
  }

  /* x = L^-H L^-1 x, or with `transposed` (an upper factor U = L^T) x = conj(L)^-H conj(L)^-1 x.
   * inverse: of the diagonal elements of the lane's own rows. */
  __device__ __forceinline__ void solve(const triangle_rows<T, P, N> &l, const T (&inverse)[slots], bool transposed,
                                        int n)
  {
#pragma unroll
    for (int j = 0; j < N; j++)
      if (j < n) forward(l, inverse[j / P], transposed, j);
#pragma unroll
    for (int k = 1; k <= N; k++)
      if (N - k < n) backward(l, inverse[(N - k) / P], transposed, N - k);
  }

private:
  __device__ __forceinline__ void forward(const triangle_rows<T, P, N> &l, T inverse, bool transposed, int j)
  {
#pragma unroll
    for (int c = 0; c < R; c++) {
      const T y = shuffle(conj_if(transposed, inverse) * x[j / P][c], j % P, P);
#pragma unroll
      for (int i = 0; i < slots; i++) {
        if (i < j / P) continue;
        const T next = mad(-conj_if(transposed, l.x[i][j]), y, x[i][c]);
        x[i][c] = i > j / P || l.t > j % P ? next : l.t == j % P ? y : x[i][c];
      }
    }
  }

  __device__ __forceinline__ void backward(const triangle_rows<T, P, N> &l, T inverse, bool transposed, int j)
  {
#pragma unroll
    for (int c = 0; c < R; c++) {
      T sum = make<T>(0);
#pragma unroll
      for (int k = 1; k < slots; k++)
        if (slots - k > j / P) sum = mad(conj_if(!transposed, l.x[slots - k][j]), x[slots - k][c], sum);
      const T last = mad(conj_if(!transposed, l.x[j / P][j]), x[j / P][c], sum);
      if (l.t > j % P) sum = last;
      sum = sum_lanes(sum, P);
      if (l.t == j % P) x[j / P][c] = conj_if(!transposed, inverse) * (x[j / P][c] - sum);
    }
  }
};

template <class T, int P, int N>
__device__ __forceinline__ void invert_diagonal(const triangle_rows<T, P, N> &l, T (&inverse)[N / P])
{
#pragma unroll
  for (int i = 0; i < N / P; i++) {
    T d = make<T>(1);
#pragma unroll
    for (int k = 0; k < P; k++) d = select(l.t == k, l.x[i][P * i + k], d);
    inverse[i] = divide(make<T>(1), d);
  }
}

/* Lanes per matrix of order <= N, to factor it: four or more read whole sectors of a column, and more lanes leave
 * registers for more warps, at the price of more shuffles. */
template <class T, int N>
constexpr int row_lanes = N <= 2                      ? 1
                          : N <= 8                    ? 4
                          : N == 24 || sizeof(T) == 4 ? 8
                          : N <= 16 || sizeof(T) == 8 ? 16
                                                      : 32;

/* The same to solve with it: sums over the lanes are cheaper over few of them. */
template <class T, int N> constexpr int solve_lanes = N <= 2 ? 1 : N <= 16 ? 4 : sizeof(T) <= 8 ? 8 : 32;

/* Resident blocks of 128 threads per multiprocessor that the registers allow: a lane's part of the triangle, and 44 or
 * 52 for everything else. */
template <class T, int P, int N> constexpr int row_blocks()
{
  constexpr int slots = N / P;
  constexpr int words = (int)sizeof(T) / 4 * P * slots * (slots + 1) / 2;
  constexpr int blocks = 512 / (words + (is_complex<T> || sizeof(T) == 4 ? 52 : 44));
  return blocks < 1 ? 1 : blocks > 8 ? 8 : blocks;
}

/* Calls f with an integral_constant: the least N of the compiled ones that n fits into. */
template <class T, class F> int with_row_class(int n, F f)
{
  if (n <= 2) return f(std::integral_constant<int, 2>());
  if (n <= 4) return f(std::integral_constant<int, 4>());
  if (n <= 8) return f(std::integral_constant<int, 8>());
  if (n <= 16) return f(std::integral_constant<int, 16>());
  if constexpr (sizeof(T) <= 8)
    if (n <= 24) return f(std::integral_constant<int, 24>());
  return f(std::integral_constant<int, 32>());
}

/* The matrix that a lane works on: element (i, j) of L at at[i * row + j * col]. */
template <class T> struct lane_matrix {
  int64_t b, row, col;
  int n;
  T *at;

  DEVICE lane_matrix(batched_uplo uplo, const batch<T> &a, int64_t b) : b(b), row(1), col(1), n(0), at(nullptr)
  {
    if (b >= a.count) return;
    n = a.rows(b);
    at = n > 0 ? a.at(b) : nullptr;
    const int64_t ld = a.leading(b);
    (uplo == BATCHED_LOWER ? col : row) = ld;
  }
};

/* ------------------------------------------------------------------ potrf */

/* Largest orders that are factored so. */
template <class T> constexpr int lanes_order = std::is_same_v<T, double> ? 24 : 32;

/* A = L L^H or U^H U, A of order n <= N.
 *   algorithm  right-looking by columns (LAPACK's potf2), unrolled
 *   grid       a block of 128 threads per 128 / P matrices, P = row_lanes<T, N>
 *   registers  N (N + P) / 2P elements per lane; no shared memory
 *   takes      n <= 32 (double: 24), all types, uniform and variable
 *   memory     the triangle once from and to global memory; info
 *   accuracy   of potf2; pivots and their inverses to an ulp */
template <class T, int N>
static __global__ void __launch_bounds__(128, row_blocks<T, row_lanes<T, N>, N>())
  factor_in_lanes(batched_uplo uplo, batch<T> a, int *info)
{
  constexpr int P = row_lanes<T, N>, own = 128 / P;
  for (int64_t first = (int64_t)blockIdx.x * own; first < a.count; first += (int64_t)gridDim.x * own) {
    const lane_matrix<T> m(uplo, a, first + threadIdx.x / P);
    triangle_rows<T, P, N> l;
    l.t = threadIdx.x % P;
    l.load(m.at, m.row, m.col, m.n);
    const int bad = l.factor(a.m);
    l.store(m.at, m.row, m.col, m.n);
    if (l.t == 0 && m.b < a.count) info[m.b] = bad;
  }
}

template <class T> static int factor_lanes(batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, int *info)
{
  return with_row_class<T>(a.n, [&](auto order) {
    constexpr int N = decltype(order)::value;
    if constexpr (N > lanes_order<T>)
      return (int)BATCHED_DOES_NOT_FIT;
    else
      return launch(ctx, factor_in_lanes<T, N>, ceil_div(a.count, 128 / row_lanes<T, N>), 128, 0, uplo, a, info);
  });
}

/* ------------------------------------------------------------------ potrs */

/* X = A^-1 X with the factor of A, order n <= N, R right-hand sides at a time.
 *   algorithm  substitution forwards by columns, and backwards by sums over the lanes
 *   grid       a block of 128 threads per 128 / P matrices, P = solve_lanes<T, N>
 *   registers  N (N + P) / 2P + R N / P elements per lane; no shared memory
 *   takes      n <= 32, any number of right-hand sides, all types, uniform and variable, A shared or not
 *   memory     the triangle once, X once from and to global memory
 *   accuracy   of substitution with the inverses of the diagonal */
template <class T, int N, int R>
static __global__ void __launch_bounds__(128, row_blocks<T, solve_lanes<T, N>, N>())
  solve_in_lanes(batched_uplo uplo, batch<T> a, batch<T> x)
{
  constexpr int P = solve_lanes<T, N>, own = 128 / P;
  for (int64_t first = (int64_t)blockIdx.x * own; first < x.count; first += (int64_t)gridDim.x * own) {
    const int64_t b = first + threadIdx.x / P;
    const bool mine = b < x.count;
    const int n = mine ? x.rows(b) : 0, nrhs = mine && n > 0 ? x.cols(b) : 0;
    const int64_t lda = mine ? a.leading(b) : 1, ldb = mine ? x.leading(b) : 1;
    const bool lower = uplo == BATCHED_LOWER;
    T *at = nrhs > 0 ? x.at(b) : nullptr;
    triangle_rows<T, P, N> l;
    T inverse[N / P];
    l.t = threadIdx.x % P;
    l.load(nrhs > 0 ? a.at(b) : nullptr, lower ? 1 : lda, lower ? lda : 1, nrhs > 0 ? n : 0);
    invert_diagonal(l, inverse);
    for (int j = 0; j < x.n; j += R) {
      solve_rows<T, P, N, R> s;
      s.load(l.t, at + j * ldb, ldb, n, nrhs - j);
      s.solve(l, inverse, !lower, x.m);
      s.store(l.t, at + j * ldb, ldb, n, nrhs - j);
    }
  }
}

template <class T> static int solve_lanes_of(batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, const batch<T> &x)
{
  return with_row_class<T>(x.m, [&](auto order) {
    constexpr int N = decltype(order)::value;
    const int64_t blocks = ceil_div(x.count, 128 / solve_lanes<T, N>);
    return x.n == 1 ? launch(ctx, solve_in_lanes<T, N, 1>, blocks, 128, 0, uplo, a, x)
                    : launch(ctx, solve_in_lanes<T, N, 2>, blocks, 128, 0, uplo, a, x);
  });
}

/* ------------------------------------------------------------------ posv */

/* Both, with the factor still in registers; right-hand sides one by one, and none where there is no factor.
 *   grid       as for potrf
 *   memory     the triangle and X once from and to global memory; info */
template <class T, int N>
static __global__ void __launch_bounds__(128, row_blocks<T, row_lanes<T, N>, N>())
  factor_and_solve_in_lanes(batched_uplo uplo, batch<T> a, batch<T> x, int *info)
{
  constexpr int P = row_lanes<T, N>, own = 128 / P;
  for (int64_t first = (int64_t)blockIdx.x * own; first < a.count; first += (int64_t)gridDim.x * own) {
    const lane_matrix<T> m(uplo, a, first + threadIdx.x / P);
    triangle_rows<T, P, N> l;
    T inverse[N / P];
    l.t = threadIdx.x % P;
    l.load(m.at, m.row, m.col, m.n);
    const int bad = l.factor(a.m);
    l.store(m.at, m.row, m.col, m.n);
    if (l.t == 0 && m.b < a.count) info[m.b] = bad;
    invert_diagonal(l, inverse);
    const int nrhs = m.n > 0 && bad == 0 ? x.cols(m.b) : 0;
    const int64_t ldb = nrhs > 0 ? x.leading(m.b) : 0;
    T *b = nrhs > 0 ? x.at(m.b) : nullptr;
    for (int j = 0; j < x.n; j++) {
      solve_rows<T, P, N, 1> s;
      s.load(l.t, b + j * ldb, ldb, m.n, nrhs - j);
      s.solve(l, inverse, uplo == BATCHED_UPPER, a.m);
      s.store(l.t, b + j * ldb, ldb, m.n, nrhs - j);
    }
  }
}

template <class T>
static int factor_and_solve_lanes(batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, const batch<T> &x, int *info)
{
  return with_row_class<T>(a.n, [&](auto order) {
    constexpr int N = decltype(order)::value;
    return launch(ctx, factor_and_solve_in_lanes<T, N>, ceil_div(a.count, 128 / row_lanes<T, N>), 128, 0, uplo, a, x,
                  info);
  });
}

/* ------------------------------------------------------------------ potri */

/* The first zero on the diagonal, from 1 on; a: the corner of an n x n factor. */
template <class T> static __device__ __forceinline__ int first_zero(const T *a, int64_t ld, int n)
{
  for (int j = 0; j < n; j++)
    if (a[j * (ld + 1)] == make<T>(0)) return j + 1;
  return 0;
}

/* A = A^-1 in its triangle, from the factor there.
 *   algorithm  potrs with each column of the identity, the diagonal made real; a matrix with a zero on the diagonal
 *              stays, and info says where
 *   grid       as for potrs
 *   memory     the triangle once from and to global memory, the diagonal once more; info */
template <class T, int N>
static __global__ void __launch_bounds__(128, row_blocks<T, solve_lanes<T, N>, N>())
  invert_in_lanes(batched_uplo uplo, batch<T> a, int *info)
{
  constexpr int P = solve_lanes<T, N>, own = 128 / P, R = 1;
  const bool lower = uplo == BATCHED_LOWER;
  for (int64_t first = (int64_t)blockIdx.x * own; first < a.count; first += (int64_t)gridDim.x * own) {
    const lane_matrix<T> m(uplo, a, first + threadIdx.x / P);
    const int bad = m.n > 0 ? first_zero(m.at, a.leading(m.b), m.n) : 0;
    triangle_rows<T, P, N> l;
    T inverse[N / P];
    l.t = threadIdx.x % P;
    l.load(m.at, m.row, m.col, m.n);
    invert_diagonal(l, inverse);
    __syncwarp();
    if (l.t == 0 && m.b < a.count) info[m.b] = bad;
    for (int j = 0; j < a.n; j++) {
      solve_rows<T, P, N, R> s;
#pragma unroll
      for (int i = 0; i < N / P; i++) s.x[i][0] = make<T>(real_of<T>(l.t + P * i == j ? 1 : 0));
      s.solve(l, inverse, !lower, a.m);
#pragma unroll
      for (int i = 0; i < N / P; i++) {
        const int r = l.t + P * i;
        const T e = r == j ? make<T>(real(s.x[i][0])) : conj_if(!lower, s.x[i][0]);
        if (r >= j && r < m.n && bad == 0) m.at[r * m.row + j * m.col] = e;
      }
    }
  }
}

template <class T> static int invert_lanes(batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, int *info)
{
  return with_row_class<T>(a.n, [&](auto order) {
    constexpr int N = decltype(order)::value;
    return launch(ctx, invert_in_lanes<T, N>, ceil_div(a.count, 128 / solve_lanes<T, N>), 128, 0, uplo, a, info);
  });
}

} // namespace batched_cuda::cholesky

#endif
