/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.warp of gbtrs: A X = B with the factors of narrow bands, a warp per matrix and R right-hand sides.
 *
 * Lane i % 32 holds row i of B while the window of 32 rows passes it.  Forward: rows k and p are exchanged by two
 * shuffles, and the lanes below subtract their elements of L's column k times row k.  Backward: the lane of row k
 * divides, and those above subtract their elements of U's column k.  Columns are loaded eight steps early; rows of B
 * are read and written 32 at a time.
 *
 * grid      a block per matrix and R right-hand sides, R = 1 or 4
 * block     32 threads
 * takes     all four types, any n and number of right-hand sides, kl + ku < 32, A shared or not, uniform and variable
 * reads     ab inside of the band and ipiv, once for R right-hand sides; b twice; writes b twice
 *           (info as in reference.cuh)
 * accuracy  |A X - B| < 30 n eps |A| |X|
 */
#ifndef BATCHED_BAND_CUDA_GBTRS_WARP_CUH
#define BATCHED_BAND_CUDA_GBTRS_WARP_CUH

#include "batched/band/cuda/reference.cuh"

namespace batched_cuda::band
{

enum { SOLVE_AHEAD = 8 };

/* R right-hand sides of a matrix, as a lane sees them: its row of the window, those of the next two windows, and the
 * row of this window that is finished.  Steps beyond the last row have no elements, and change nothing. */
template <class T, int R> struct warp_solve {
  band_matrix<const T> f;
  T *b;
  int64_t ldb;
  int nrhs, lane;
  T y[R], next[R], coming[R], done[R];

  __device__ __forceinline__ void load_rows(int i, T (&to)[R]) const
  {
#pragma unroll
    for (int r = 0; r < R; r++) to[r] = i >= 0 && i < f.n && r < nrhs ? b[i + r * ldb] : make<T>(0);
  }
  /* The window is full of finished rows, of which this lane has number i. */
  __device__ __forceinline__ void flush(int i, int later)
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      if (r < nrhs && i >= 0 && i < f.n) b[i + r * ldb] = done[r];
      next[r] = coming[r];
    }
    load_rows(later, coming);
  }
  /* x is row k of the solution, the lane's `distance` rows away; the lane of row k goes on with the next window. */
  __device__ __forceinline__ void subtract(int distance, int width, T element, const T (&x)[R])
  {
    const bool own = distance == 0, near = distance <= width;
#pragma unroll
    for (int r = 0; r < R; r++) {
      done[r] = select(own, x[r], done[r]);
      y[r] = select(own, next[r], select(near, mad(-element, x[r], y[r]), y[r]));
    }
  }

  __device__ __forceinline__ void load_lower(int k0, T (&l)[SOLVE_AHEAD]) const
  {
#pragma unroll
    for (int s = 0; s < SOLVE_AHEAD; s++) {
      const int k = k0 + s, i = k + ((lane - k) & 31);
      l[s] = i > k && i - k <= f.kl && i < f.n ? f(i, k) : make<T>(0);
    }
  }
  __device__ __forceinline__ void forward(const int *ipiv)
  {
    T l[SOLVE_AHEAD], later[SOLVE_AHEAD], x[R];
    load_rows(lane, y);
    load_rows(lane + 32, next);
    load_rows(lane + 64, coming);
    load_lower(0, l);
    int pivot = lane < f.n ? ipiv[lane] - 1 : lane;
    for (int first = 0; first < f.n; first += 32) {
      const int own = first + 32 + lane, upcoming = own < f.n ? ipiv[own] - 1 : own;
      for (int k0 = first; k0 < first + 32; k0 += SOLVE_AHEAD) {
        load_lower(k0 + SOLVE_AHEAD, later);
#pragma unroll
        for (int s = 0; s < SOLVE_AHEAD; s++) {
          const int k = k0 + s, p = __shfl_sync(all_lanes, pivot, k & 31) & 31;
#pragma unroll
          for (int r = 0; r < R; r++) {
            const T top = shuffle(y[r], k & 31);
            x[r] = shuffle(y[r], p);
            y[r] = select(lane == p, top, y[r]);
          }
          subtract((lane - k) & 31, f.kl, l[s], x);
        }
#pragma unroll
        for (int s = 0; s < SOLVE_AHEAD; s++) l[s] = later[s];
      }
      pivot = upcoming;
      flush(first + lane, first + 96 + lane);
    }
  }

  __device__ __forceinline__ void load_upper(int k0, T (&u)[SOLVE_AHEAD]) const
  {
#pragma unroll
    for (int s = 0; s < SOLVE_AHEAD; s++) {
      const int k = k0 - s, i = k - ((k - lane) & 31);
      u[s] = k < f.n && k - i <= f.kv && i >= 0 ? f(i, k) : make<T>(0);
    }
  }
  __device__ __forceinline__ void backward()
  {
    T u[SOLVE_AHEAD], later[SOLVE_AHEAD], x[R];
    const int last = (f.n - 1) / 32 * 32;
    load_rows(last + lane, y);
    load_rows(last - 32 + lane, next);
    load_rows(last - 64 + lane, coming);
    load_upper(last + 31, u);
    for (int first = last; first >= 0; first -= 32) {
      for (int k0 = first + 31; k0 >= first; k0 -= SOLVE_AHEAD) {
        load_upper(k0 - SOLVE_AHEAD, later);
#pragma unroll
        for (int s = 0; s < SOLVE_AHEAD; s++) {
          const int k = k0 - s, above = (k - lane) & 31;
          const diagonal<T> by(select(above == 0 && k < f.n, u[s], make<T>(1)));
#pragma unroll
          for (int r = 0; r < R; r++) x[r] = shuffle(by.solve(y[r]), k & 31);
          subtract(above, f.kv, u[s], x);
        }
#pragma unroll
        for (int s = 0; s < SOLVE_AHEAD; s++) u[s] = later[s];
      }
      flush(first + lane, first - 96 + lane);
    }
  }
};

template <class T, int R> __global__ void __launch_bounds__(32) gbtrs_warp(gbtrs_call<T> c, int tiles)
{
  for (int64_t g = blockIdx.x; g < c.b.count * tiles; g += gridDim.x) {
    const int64_t b = g / tiles;
    const int j = (int)(g % tiles) * R, n = c.b.rows(b), nrhs = c.b.cols(b) - j, kl = c.kl.at(b), kv = kl + c.ku.at(b);
    if (n == 0 || nrhs <= 0 || (c.info && c.info[b] != 0)) continue;
    const int64_t ldb = c.b.leading(b);
    warp_solve<T, R> s = {{c.ab.at(b) + kv, c.ab.leading(b) - (int64_t)1, n, n, kl, kv},
                          c.b.at(b) + j * ldb,
                          ldb,
                          nrhs < R ? nrhs : R,
                          (int)threadIdx.x};
    s.forward(c.pivots.at(b));
    __syncwarp();
    s.backward();
    __syncwarp();
  }
}

template <class T> bool warp_can_solve(const gbtrs_call<T> &c)
{
  return c.trans == BATCHED_NO_TRANS && (int64_t)c.kl.bound + c.ku.bound < 32;
}

template <class T> int launch_gbtrs_warp(batched_ctx *ctx, const gbtrs_call<T> &c)
{
  const int right_hand_sides = c.b.n > 1 ? 4 : 1, tiles = (int)ceil_div(c.b.n, right_hand_sides);
  const auto kernel = c.b.n > 1 ? gbtrs_warp<T, 4> : gbtrs_warp<T, 1>;
  return launch(ctx, kernel, c.b.count * tiles, warp_size, 0, c, tiles);
}

/* By the row that suits. */
template <class T> int solve_factors(batched_ctx *ctx, const gbtrs_call<T> &c)
{
  return warp_can_solve(c) ? launch_gbtrs_warp(ctx, c) : launch_gbtrs_reference(ctx, c);
}

} // namespace batched_cuda::band

#endif
