/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cholesky factors in registers: P lanes hold one lower triangle, rows t, t + P, t + 2P, ... each, so that a warp
 * works on 32 / P matrices.  Loads of a column touch P neighbouring rows, whole sectors from P = 4 on in double
 * precision.  An upper triangle is the lower one of the transpose.  What a smaller matrix leaves free is filled with
 * the identity.
 */
#ifndef BATCHED_CUDA_POTRF_ROWS_CUH
#define BATCHED_CUDA_POTRF_ROWS_CUH

#include "batched/cuda/compiler.cuh"
#include "batched/cholesky/cuda/cholesky.cuh"

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
    /* Made anew: the addresses of the loads would fill the registers until here. */
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

  /* Right-looking, column by column; n: no matrix of the batch is larger.  Returns info. */
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
    for (int k = 0; k < P; k++) d = choose(l.t == k, l.x[i][P * i + k], d);
    inverse[i] = divide(make<T>(1), d);
  }
}

/* Lanes a matrix of order <= N, to factor it: from four on a column's loads are whole sectors, and more lanes leave
 * registers for more warps; the shuffles grow with them. */
template <class T, int N>
constexpr int row_lanes = N <= 2                      ? 1
                          : N <= 8                    ? 4
                          : N == 24 || sizeof(T) == 4 ? 8
                          : N <= 16 || sizeof(T) == 8 ? 16
                                                      : 32;

/* The same to solve with it: the sums over the lanes ask for few of them. */
template <class T, int N> constexpr int solve_lanes = N <= 2 ? 1 : N <= 16 ? 4 : sizeof(T) <= 8 ? 8 : 32;

/* Blocks of 128 threads a multiprocessor that the registers allow, with 44 or 52 for everything else. */
template <class T, int P, int N> constexpr int row_blocks()
{
  constexpr int slots = N / P;
  constexpr int words = (int)sizeof(T) / 4 * P * slots * (slots + 1) / 2;
  constexpr int blocks = 512 / (words + (is_complex<T> || sizeof(T) == 4 ? 52 : 44));
  return blocks < 1 ? 1 : blocks > 8 ? 8 : blocks;
}

/* Calls f with an integral_constant: the class of sizes that n belongs to. */
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

/* The matrix that a lane works on, and how the triangle lies in it. */
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

} // namespace batched_cuda::cholesky

#endif
