/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.shared of potrf, and what cuda.panels of potrf and cuda.shared of posv build on: a block per matrix, with
 * its triangle, or a panel of it, as 8 x 8 tiles in shared memory, left-looking by columns of tiles.  The layout of a
 * tile is that of the tensor cores' operands (tile.cuh), so that tiles are multiplied as they lie.
 */
#ifndef BATCHED_CHOLESKY_CUDA_SHARED_CUH
#define BATCHED_CHOLESKY_CUDA_SHARED_CUH

#include <cuda_pipeline.h>

#include "batched/cholesky/cuda/pivot.cuh"
#include "batched/cholesky/cuda/tile.cuh"

namespace batched_cuda::cholesky
{

/* ------------------------------------------------------------------ a panel of L in shared memory */

/* The tiles of a lower triangle, or those of its first columns, column after column. */
template <class T> struct tile_panel {
  T *tiles, *scales; /* scales: the inverse pivots of one tile */
  int nt, width;     /* tiles in the first column; columns of tiles */

  DEVICE T *at(int i, int j) const
  {
    return tiles + (int64_t)(j * nt - j * (j + 1) / 2 + i) * tile_size;
  }
  static DEVICE constexpr int64_t elements(int nt, int width)
  {
    return ((int64_t)width * nt - (int64_t)width * (width - 1) / 2) * tile_size + tile_edge;
  }

  /* C -= sum, in the lane's part of tile (i, j). */
  __device__ __forceinline__ void subtract(int i, int j, const tile_part<T> &s) const
  {
    const int lane = threadIdx.x % warp_size;
    auto *c = reinterpret_cast<aligned_pair<T> *>(at(i, j) + tile_pair<T>(lane / 4, lane % 4));
    aligned_pair<T> v = *c;
    v.x -= s.x;
    v.y -= s.y;
    *c = v;
  }

  /* Calls f(address in shared memory, offset in the matrix, is that inside, is it on the diagonal) for the lane's
   * elements: a warp takes a tile, 4 columns of 8 neighbours at a time.  n: rows of the matrix from here on. */
  template <class F> __device__ __forceinline__ void each_element(bool lower, int64_t ld, int n, const F &f) const
  {
    const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size, warps = blockDim.x / warp_size;
    const int fast = lane % tile_edge, slow = lane / tile_edge;
    const int r0 = lower ? fast : slow, c0 = lower ? slow : fast, r1 = lower ? fast : slow + 4,
              c1 = lower ? slow + 4 : fast;
    const int place0 = tile_at<T>(r0, c0), place1 = tile_at<T>(r1, c1);
    const int64_t down = tile_edge * (lower ? 1 : ld), right = tile_edge * (lower ? ld : 1);
    for (int i = warp; i < nt; i += warps) {
      const bool inside0 = i * tile_edge + r0 < n, inside1 = i * tile_edge + r1 < n;
      T *tile = tiles + i * tile_size;
      int64_t from = i * down + fast + slow * ld;
#pragma unroll 4
      for (int j = 0; j < min(i, width); j++) {
        f(tile + place0, from, inside0, false);
        f(tile + place1, from + 4 * ld, inside1, false);
        tile += (nt - 1 - j) * tile_size;
        from += right;
      }
      if (i >= width) continue;
      if (r0 >= c0) f(tile + place0, from, inside0, r0 == c0);
      if (r1 >= c1) f(tile + place1, from + 4 * ld, inside1, r1 == c1);
    }
  }

  /* Starts to copy the panel at a[0] of a matrix with n rows from there on; elements outside of the matrix become those
   * of the identity. */
  __device__ __forceinline__ void load(bool lower, const T *a, int64_t ld, int n) const
  {
    each_element(lower, ld, n, [&](T *to, int64_t from, bool inside, bool diagonal) {
      if (inside)
        __pipeline_memcpy_async(to, a + from, sizeof(T));
      else
        *to = make<T>(real_of<T>(diagonal ? 1 : 0));
    });
    __pipeline_commit();
  }

  __device__ __forceinline__ void store(bool lower, T *a, int64_t ld, int n) const
  {
    each_element(lower, ld, n, [&](const T *from, int64_t to, bool inside, bool) {
      if (inside) a[to] = *from;
    });
  }

  /* A(i, j) -= sum_k L(i, k) L(j, k)^H over columns of tiles first <= k < last, for i = i0 and i1. */
  __device__ __forceinline__ void update(int i0, int i1, int j, int first, int last) const
  {
    tile_part<T> c0, c1, e0, e1;
    const T *left = tiles + (first * nt - first * (first + 1) / 2) * tile_size; /* tile (0, k), if there were one */
    int k = first;
    const auto times = [&](tile_part<T> &c, tile_part<T> &d) {
      multiply(c, d, shared_tile<T>{left + i0 * tile_size}, shared_tile<T>{left + i1 * tile_size},
               shared_tile<T>{left + j * tile_size});
      left += (nt - 1 - k++) * tile_size;
    };
    while (k + 1 < last) {
      times(c0, c1);
      times(e0, e1);
    }
    if (k < last) times(c0, c1);
    c0.x += e0.x;
    c0.y += e0.y;
    c1.x += e1.x;
    c1.y += e1.y;
    subtract(i0, j, c0);
    if (i1 != i0) subtract(i1, j, c1);
  }

  /* Factors a diagonal tile by one warp, all lanes redundantly: shuffles would take longer than the arithmetic.
   * Finished columns leave the registers.  Returns info of the tile, from 1 on. */
  template <bool any> __device__ __forceinline__ int factor_tile(T *tile, T (&l)[tile_edge][tile_edge]) const
  {
    using R = real_of<T>;
    const bool writer = threadIdx.x % warp_size == 0;
    int info = 0;
#pragma unroll
    for (int k = 0; k < tile_edge; k++) {
      const R d = real(l[k][k]);
      if (!(d > 0) && info == 0) info = k + 1;
      const pivot<R, any> p(d);
      if (writer) scales[k] = make<T>(p.inverse);
      if (writer) tile[tile_at<T>(k, k)] = make<T>(p.root);
#pragma unroll
      for (int m = k + 1; m < tile_edge; m++) {
        l[m][k] = p.inverse * l[m][k];
        if (writer) tile[tile_at<T>(m, k)] = l[m][k];
#pragma unroll
        for (int i = k + 1; i <= m; i++) l[m][i] = mad(-l[m][k], conj(l[i][k]), l[m][i]);
      }
    }
    return info;
  }

  __device__ __forceinline__ int factor_tile_alike(T *tile) const
  {
    T l[tile_edge][tile_edge];
    bool plain = true;
#pragma unroll
    for (int i = 0; i < tile_edge; i++) {
#pragma unroll
      for (int j = 0; j <= i; j++) l[i][j] = tile[tile_at<T>(i, j)];
      plain = plain && pivot<real_of<T>, false>::is_plain(real(l[i][i]));
    }
    __syncwarp();
    const int info = plain ? factor_tile<false>(tile, l) : factor_tile<true>(tile, l);
    __syncwarp();
    return info;
  }

  /* The same for complex doubles, of which a lane can't hold a tile: lane r (and r + 8, ...) has row r. */
  __device__ __forceinline__ int factor_tile_by_rows(T *tile) const
  {
    const int lane = threadIdx.x % warp_size, r = lane % tile_edge;
    T x[tile_edge];
    int info = 0;
#pragma unroll
    for (int p = 0; p < tile_edge / 2; p++) {
      const pair<T> v = shared_tile<T>{tile}(r, p);
      x[2 * p] = v.x;
      x[2 * p + 1] = v.y;
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < tile_edge; k++) {
      const real_of<T> d = shuffle(real(x[k]), k, tile_edge);
      if (!(d > 0) && info == 0) info = k + 1;
      const pivot<real_of<T>, true> p(d);
      const T y = p.inverse * x[k];
#pragma unroll
      for (int m = k + 1; m < tile_edge; m++) x[m] = mad(-y, conj(shuffle(y, m, tile_edge)), x[m]);
      x[k] = select(r == k, make<T>(p.root), y);
      if (lane == k) scales[k] = make<T>(p.inverse);
    }
#pragma unroll
    for (int k = 0; k < tile_edge; k++)
      if (lane < tile_edge && k <= r) tile[tile_at<T>(r, k)] = x[k];
    __syncwarp();
    return info;
  }

  __device__ __forceinline__ int factor_diagonal(int j) const
  {
    if constexpr (sizeof(T) > 8)
      return factor_tile_by_rows(at(j, j));
    else
      return factor_tile_alike(at(j, j));
  }

  /* Row r of the tiles below the diagonal one: x = a L^-H, a thread per row. */
  __device__ __forceinline__ void solve_row(int r, int j) const
  {
    T *tile = at(r / tile_edge, j), x[tile_edge];
    const T *l = at(j, j);
    r %= tile_edge;
#pragma unroll
    for (int p = 0; p < tile_edge / 2; p++) {
      const pair<T> v = shared_tile<T>{tile}(r, p);
      x[2 * p] = v.x;
      x[2 * p + 1] = v.y;
    }
#pragma unroll
    for (int k = 0; k < tile_edge; k++) {
      x[k] = real(scales[k]) * x[k];
#pragma unroll
      for (int m = k + 1; m < tile_edge; m++) x[m] = mad(-x[k], conj(l[tile_at<T>(m, k)]), x[m]);
    }
#pragma unroll
    for (int p = 0; p < tile_edge / 2; p++)
      *reinterpret_cast<aligned_pair<T> *>(tile + tile_pair<T>(r, p)) = {x[2 * p], x[2 * p + 1]};
  }

  /* Factors all columns; returns info, from 1 on, in the threads of the first warp.  That warp factors the diagonal
   * tiles, which all others wait for; so these do most of the products for the next diagonal tile, too. */
  __device__ __forceinline__ int factor() const
  {
    const int warp = threadIdx.x / warp_size, warps = blockDim.x / warp_size;
    const int own = warps > 1 ? warp - 1 : 0, others = warps > 1 ? warps - 1 : 1;
    int info = 0;
    for (int j = 0; j < width; j++) {
      if (warp == 0) {
        if (j > 0) {
          update(j, j, j, j - 1, j);
          __syncwarp();
        }
        const int bad = factor_diagonal(j);
        if (bad && !info) info = j * tile_edge + bad;
      }
      if (own >= 0 && j > 0)
        for (int u = own; j + 2 * u <= nt; u += others) {
          const int i = j + 2 * u - 1;
          if (u > 0)
            update(i, min(i + 1, nt - 1), j, 0, j);
          else if (j + 1 < width)
            update(j + 1, j + 1, j + 1, 0, j);
        }
      __syncthreads();
      for (int r = (j + 1) * tile_edge + threadIdx.x; r < nt * tile_edge; r += blockDim.x) solve_row(r, j);
      __syncthreads();
    }
    return info;
  }
};

/* Writes info, keeping the first failure; the first panel ignores what was there before.  offset: rows before this
 * panel. */
static __device__ __forceinline__ void report(int *info, bool is_first, int offset, int bad)
{
  if (threadIdx.x != 0) return;
  if (is_first)
    *info = bad ? offset + bad : 0;
  else if (bad && *info == 0)
    *info = offset + bad;
}

/* ------------------------------------------------------------------ potrf, cuda.shared */

/* A = L L^H or U^H U in place, or a diagonal block of a larger matrix, of which `offset` rows were factored before.
 *   algorithm  left-looking by columns of 8 x 8 tiles; products on the tensor cores in d and z
 *   grid       a block of 32 to 256 threads per matrix
 *   registers  128 per thread, complex doubles 256
 *   shared     the triangle in tiles, n (n + 8) / 2 elements, and 8 more
 *   takes      any n whose triangle fits, all types, uniform and variable
 *   memory     the triangle once from and to global memory; info
 *   accuracy   of potf2: pivots and their inverses to an ulp */
template <class T, int threads, int blocks>
static __global__ void __launch_bounds__(threads, blocks)
  factor_shared(batched_uplo uplo, batch<T> a, int *info, int offset)
{
  T *const shared = shared_array<T>();
  const bool lower = uplo == BATCHED_LOWER;
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int n = a.rows(b), nt = (n + tile_edge - 1) / tile_edge;
    int bad = 0;
    if (n > 0) {
      const tile_panel<T> panel{shared + tile_edge, shared, nt, nt};
      panel.load(lower, a.at(b), a.leading(b), n);
      __pipeline_wait_prior(0);
      __syncthreads();
      bad = panel.factor();
      panel.store(lower, a.at(b), a.leading(b), n);
      __syncthreads();
    }
    report(info + b, offset == 0, offset, bad);
  }
}

template <class T> size_t panel_bytes(int nt, int width)
{
  return (size_t)tile_panel<T>::elements(nt, width < nt ? width : nt) * sizeof(T);
}

template <class T> bool shared_fits(int n)
{
  const int nt = (int)ceil_div(n < 1 ? 1 : n, tile_edge);
  return panel_bytes<T>(nt, nt) <= most_shared();
}

/* Small matrices take one warp or two, so that more blocks are resident.  Of large ones a multiprocessor holds one or
 * two: they take more warps. */
template <class T>
static int factor_by_shared(const batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, int *info, int offset)
{
  constexpr bool is_double = has_tensor_tiles<T> && !is_complex<T>;
  constexpr auto several = factor_shared<T, 128, (sizeof(T) > 8 ? 2 : 4)>,
                 few = factor_shared<T, 256, (is_double ? 2 : 1)>;
  constexpr size_t system = 1024; /* of a block's shared memory */
  const int n = a.m, nt = (int)ceil_div(n < 1 ? 1 : n, tile_edge);
  const size_t bytes = panel_bytes<T>(nt, nt);
  if (bytes > most_shared()) return BATCHED_DOES_NOT_FIT;
  if (bytes > (is_double ? most_shared() / 3 - system : half_shared()))
    return launch(ctx, few, a.count, 256, bytes, uplo, a, info, offset);
  return launch(ctx, several, a.count, n <= 48 ? 32 : n <= 64 ? 64 : 128, bytes, uplo, a, info, offset);
}

} // namespace batched_cuda::cholesky

#endif
