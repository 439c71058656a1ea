/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.shared of posv: a block per matrix factors it in shared memory (shared.cuh) and solves with the factor where
 * it lies, a thread per row of the right-hand sides.
 */
#ifndef BATCHED_CHOLESKY_CUDA_POSV_SHARED_CUH
#define BATCHED_CHOLESKY_CUDA_POSV_SHARED_CUH

#include "batched/cholesky/cuda/shared.cuh"

namespace batched_cuda::cholesky
{

/* Right-hand sides that are solved for together. */
constexpr int solve_width = 2;

/* x: one row of R right-hand sides in each thread; all threads of the block take part.
 *   forward:  x = L^-1 x            (conjugate: with conj(L))
 *   backward: x = L^-H x            (conjugate: with conj(L), that is L^-T)
 * The solution of each diagonal tile's rows goes to the other threads through `piece`. */
template <class T, int R> struct tile_solver {
  tile_panel<T> l;
  T *piece; /* 2 x R x tile_edge elements of shared memory */
  bool conjugate;

  __device__ __forceinline__ T element(int i, int j, int r, int c) const
  {
    return conj_if(conjugate, l.at(i, j)[tile_at<T>(r, c)]);
  }

  /* Solves for the 8 rows of tile j, by their warp. */
  template <bool backward> __device__ __forceinline__ void solve_diagonal(int j, T (&x)[R], T inverse, T *out) const
  {
    const int r = threadIdx.x - j * tile_edge, source = (j * tile_edge) % warp_size;
    const bool mine = r >= 0 && r < tile_edge;
    T e[tile_edge];
#pragma unroll
    for (int k = 0; k < tile_edge; k++) {
      const bool used = mine && (backward ? k > r : k < r);
      e[k] = used ? (backward ? conj(element(j, j, k, r)) : element(j, j, r, k)) : make<T>(0);
    }
    const T scale = backward ? conj(inverse) : inverse;
#pragma unroll
    for (int step = 0; step < tile_edge; step++) {
      const int k = backward ? tile_edge - 1 - step : step;
#pragma unroll
      for (int c = 0; c < R; c++) {
        const T y = shuffle(scale * x[c], source + k);
        x[c] = r == k ? y : mad(-e[k], y, x[c]);
      }
    }
    if (mine)
#pragma unroll
      for (int c = 0; c < R; c++) out[c * tile_edge + r] = x[c];
  }

  __device__ __forceinline__ void solve(T (&x)[R]) const
  {
    const int row = threadIdx.x, own = row / tile_edge, warp = row / warp_size, r = row % tile_edge, nt = l.nt;
    T inverse = make<T>(0);
    if (own < nt) inverse = divide(make<T>(1), element(own, own, r, r));
    for (int j = 0; j < nt; j++) {
      T *out = piece + (j & 1) * R * tile_edge;
      if (warp == j * tile_edge / warp_size) solve_diagonal<false>(j, x, inverse, out);
      __syncthreads();
      if (own > j && own < nt) {
#pragma unroll
        for (int p = 0; p < tile_edge / 2; p++) {
          const pair<T> v = shared_tile<T>{l.at(own, j)}(r, p);
#pragma unroll
          for (int c = 0; c < R; c++) {
            x[c] = mad(-conj_if(conjugate, v.x), out[c * tile_edge + 2 * p], x[c]);
            x[c] = mad(-conj_if(conjugate, v.y), out[c * tile_edge + 2 * p + 1], x[c]);
          }
        }
      }
    }
    __syncthreads();
    for (int j = nt - 1; j >= 0; j--) {
      T *out = piece + (j & 1) * R * tile_edge;
      if (warp == j * tile_edge / warp_size) solve_diagonal<true>(j, x, inverse, out);
      __syncthreads();
      if (own < j) {
#pragma unroll
        for (int k = 0; k < tile_edge; k++) {
          const T v = conj(element(j, own, k, r));
#pragma unroll
          for (int c = 0; c < R; c++) x[c] = mad(-v, out[c * tile_edge + k], x[c]);
        }
      }
    }
    __syncthreads();
  }
};

/* Solves for all right-hand sides of one matrix, R at a time. */
template <class T, int R>
__device__ __forceinline__ void solve_all(const tile_panel<T> &l, T *piece, bool lower, int n, T *b, int64_t ld,
                                          int nrhs)
{
  const tile_solver<T, R> solver{l, piece, !lower};
  for (int j = 0; j < nrhs; j += R) {
    T x[R];
    T *at = b + threadIdx.x + j * ld;
#pragma unroll
    for (int c = 0; c < R; c++) x[c] = threadIdx.x < n && j + c < nrhs ? at[c * ld] : make<T>(0);
    solver.solve(x);
#pragma unroll
    for (int c = 0; c < R; c++)
      if (threadIdx.x < n && j + c < nrhs) at[c * ld] = x[c];
  }
}

/* Bytes of shared memory: the pieces, the scales, the tiles. */
template <class T, int R> constexpr int64_t solve_bytes(int nt)
{
  return (tile_panel<T>::elements(nt, nt) + 2 * R * tile_edge) * (int64_t)sizeof(T);
}

/* The factor in A, X = A^-1 X where there is one.
 *   algorithm  potrf's cuda.shared, then substitution by tiles, with the inverses of the diagonal
 *   grid       a block per matrix, a thread per row, whole warps
 *   shared     the triangle in tiles, n (n + 8) / 2 elements, and 40 more
 *   takes      n <= 256 whose triangle fits, all types, uniform and variable
 *   memory     the triangle and X once from and to global memory; info
 *   accuracy   of potrf and of substitution */
template <class T>
static __global__ void __launch_bounds__(256) factor_and_solve(batched_uplo uplo, batch<T> a, batch<T> x, int *info)
{
  const bool lower = uplo == BATCHED_LOWER;
  T *piece = shared_array<T>(), *scales = piece + 2 * solve_width * tile_edge;
  __shared__ int failed;
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int n = a.rows(b), nt = (n + tile_edge - 1) / tile_edge;
    const int64_t ld = a.leading(b);
    const tile_panel<T> l{scales + tile_edge, scales, nt, nt};
    if (n > 0) l.load(lower, a.at(b), ld, n);
    __pipeline_wait_prior(0);
    __syncthreads();
    const int bad = n > 0 ? l.factor() : 0;
    if (threadIdx.x == 0) info[b] = failed = bad;
    __syncthreads();
    if (n > 0) l.store(lower, a.at(b), ld, n);
    if (n > 0 && x.cols(b) > 0 && failed == 0)
      solve_all<T, solve_width>(l, piece, lower, n, x.at(b), x.leading(b), x.cols(b));
    __syncthreads();
  }
}

template <class T>
static int factor_and_solve_shared(const batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, const batch<T> &x,
                                   int *info)
{
  const int n = a.m > 0 ? a.m : 1, threads = (int)ceil_div(n, warp_size) * warp_size;
  return launch(ctx, factor_and_solve<T>, a.count, threads, solve_bytes<T, solve_width>((int)ceil_div(n, tile_edge)),
                uplo, a, x, info);
}

} // namespace batched_cuda::cholesky

#endif
