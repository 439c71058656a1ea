/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.warp of gbtrs: A X = B with the factors of narrow bands, a warp per matrix and R right-hand sides.
 *
 * Lane i % 32 holds row i of B while the window of 32 rows passes it.  Forward: rows k and p are exchanged by two
 * shuffles, and the lanes below subtract their elements of L's column k times row k.  Backward: the lane of row k
 * divides, and those above subtract their elements of U's column k.  Columns are loaded eight steps early, a row of B
 * 32 steps early; rows are written 32 at a time.
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

/* R right-hand sides of a matrix, as a lane sees them: its row now, and the one that takes its place. */
template <class T, int R> struct warp_solve {
  band_matrix<const T> f;
  T *b;
  int64_t ldb;
  int nrhs, lane;
  T y[R], next[R], done[R];

  __device__ __forceinline__ T element(int i, int r) const
  {
    return i >= 0 && i < f.n && r < nrhs ? b[i + r * ldb] : make<T>(0);
  }
  __device__ __forceinline__ void start(int first, int second)
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      y[r] = element(first, r);
      next[r] = element(second, r);
    }
  }
  /* Row k of x is this lane's; row `later` comes after the one that takes its place. */
  __device__ __forceinline__ void finish(int r, T x, int later)
  {
    done[r] = x;
    y[r] = next[r];
    next[r] = element(later, r);
  }
  /* Rows first to last, of which this lane keeps first + lane. */
  __device__ __forceinline__ void flush(int first, int last)
  {
#pragma unroll
    for (int r = 0; r < R; r++)
      if (r < nrhs && first + lane <= last) b[first + lane + r * ldb] = done[r];
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
    T l[SOLVE_AHEAD], later[SOLVE_AHEAD];
    int pivot = lane < SOLVE_AHEAD && lane < f.n ? ipiv[lane] : 0;
    start(lane, lane + 32);
    load_lower(0, l);
    for (int k0 = 0; k0 < f.n; k0 += SOLVE_AHEAD) {
      const int ahead = k0 + SOLVE_AHEAD + lane;
      const int coming = lane < SOLVE_AHEAD && ahead < f.n ? ipiv[ahead] : 0;
      load_lower(k0 + SOLVE_AHEAD, later);
#pragma unroll
      for (int s = 0; s < SOLVE_AHEAD; s++) {
        const int k = k0 + s, below = (lane - k) & 31;
        if (k >= f.n) break;
        const int p = __shfl_sync(all_lanes, pivot, s) - 1;
#pragma unroll
        for (int r = 0; r < R; r++) {
          const T top = shuffle(y[r], k & 31), x = shuffle(y[r], p & 31);
          if (lane == (p & 31)) y[r] = top;
          if (below == 0)
            finish(r, x, k + 64);
          else if (below <= f.kl)
            y[r] = mad(-l[s], x, y[r]);
        }
        if ((k & 31) == 31 || k == f.n - 1) flush(k & ~31, k);
      }
      pivot = coming;
#pragma unroll
      for (int s = 0; s < SOLVE_AHEAD; s++) l[s] = later[s];
    }
  }

  __device__ __forceinline__ void load_upper(int k0, T (&u)[SOLVE_AHEAD]) const
  {
#pragma unroll
    for (int s = 0; s < SOLVE_AHEAD; s++) {
      const int k = k0 - s, i = k - ((k - lane) & 31);
      u[s] = k - i <= f.kv && i >= 0 ? f(i, k) : make<T>(0);
    }
  }
  __device__ __forceinline__ void backward()
  {
    T u[SOLVE_AHEAD], later[SOLVE_AHEAD];
    const int last = f.n - 1, own = last - ((last - lane) & 31);
    start(own, own - 32);
    load_upper(last, u);
    for (int k0 = last; k0 >= 0; k0 -= SOLVE_AHEAD) {
      load_upper(k0 - SOLVE_AHEAD, later);
#pragma unroll
      for (int s = 0; s < SOLVE_AHEAD; s++) {
        const int k = k0 - s, above = (k - lane) & 31;
        if (k < 0) break;
        const diagonal<T> by(select(above == 0, u[s], make<T>(1)));
#pragma unroll
        for (int r = 0; r < R; r++) {
          const T x = shuffle(by.solve(y[r]), k & 31);
          if (above == 0)
            finish(r, x, k - 64);
          else if (above <= f.kv)
            y[r] = mad(-u[s], x, y[r]);
        }
        if ((k & 31) == 0) flush(k, last < k + 31 ? last : k + 31);
      }
#pragma unroll
      for (int s = 0; s < SOLVE_AHEAD; s++) u[s] = later[s];
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
