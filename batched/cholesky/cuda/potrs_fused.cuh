/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Both triangular solves of posv by the block that has made the factor: a thread a row of the right-hand sides, the
 * factor as tiles in shared memory.
 */
#ifndef BATCHED_CUDA_POTRS_FUSED_CUH
#define BATCHED_CUDA_POTRS_FUSED_CUH

#include "batched/cholesky/cuda/shared_tiles.cuh"

namespace batched_cuda::cholesky
{

/* Right-hand sides that go together. */
constexpr int solve_width = 2;

/* x: one row of R right-hand sides in each thread; all threads of the block take part.
 *   forward:  x = L^-1 x            (conj: with conj(L))
 *   backward: x = L^-H x            (conj: with conj(L), so that it is L^-T)
 * After each tile on the diagonal its part of the solution goes through `piece` to the others. */
template <class T, int R> struct tile_solver {
  tile_panel<T> l;
  T *piece; /* 2 x R x tile_edge elements of shared memory */
  bool conjugate;

  __device__ __forceinline__ T element(int i, int j, int r, int c) const
  {
    return conj_if(conjugate, l.at(i, j)[tile_at<T>(r, c)]);
  }

  /* The 8 rows of tile j, by the warp that they are in. */
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

/* Shared memory: the pieces, the scales, the tiles. */
template <class T, int R> constexpr int64_t solve_bytes(int nt)
{
  return (tile_panel<T>::elements(nt, nt) + 2 * R * tile_edge) * (int64_t)sizeof(T);
}

static inline int solve_threads(int n)
{
  return (int)ceil_div(n, warp_size) * warp_size;
}

} // namespace batched_cuda::cholesky

#endif
