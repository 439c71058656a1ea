/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cholesky of one matrix by one block: a panel of L, or the whole of it, as 8x8 tiles in shared memory, left-looking
 * by columns of tiles.  A tile lies by rows, so that the two neighbouring elements (g, 2t) and (g, 2t + 1) of lane 4g
 * + t are what the double precision tensor core instruction has in that lane as accumulator, and, with the columns of
 * the product taken in the order 0 2 4 6 1 3 5 7, as its operands A and B^T: tiles are multiplied as they lie,
 * without any exchange.
 */
#ifndef BATCHED_CUDA_POTRF_TILES_CUH
#define BATCHED_CUDA_POTRF_TILES_CUH

#include <cuda_pipeline.h>

#include "batched/cuda/mma.cuh"
#include "batched/cholesky/cuda/cholesky.cuh"

namespace batched_cuda::cholesky
{

constexpr int tile_edge = 8, tile_size = 64, warp_size = 32;

template <class T> struct pair {
  T x, y;
};

/* Where element (i, j) of a tile is: pairs of elements change places so that neither the rows of a tile nor its
 * fragments meet in one bank. */
template <class T> DEVICE int tile_pair(int i, int p)
{
  constexpr int shift = sizeof(T) == 4 ? 2 : sizeof(T) == 8 ? 1 : 0;
  return i * tile_edge + 2 * (p ^ ((i >> shift) & 3));
}
template <class T> DEVICE int tile_at(int i, int j)
{
  return tile_pair<T>(i, j / 2) + j % 2;
}

template <class T> struct alignas(sizeof(T) <= 8 ? 2 * sizeof(T) : 16) aligned_pair {
  T x, y;
};

/* A tile in shared memory as an operand. */
template <class T> struct shared_tile {
  const T *at;

  __device__ __forceinline__ pair<T> operator()(int i, int p) const
  {
    const auto v = *reinterpret_cast<const aligned_pair<T> *>(at + tile_pair<T>(i, p));
    return {v.x, v.y};
  }
};

/* The lane's elements (g, 2t) and (g, 2t + 1) of a tile. */
template <class T> struct tile_part {
  T x, y;

  __device__ __forceinline__ tile_part() : x(make<T>(0)), y(make<T>(0))
  {
  }
};

template <class T> constexpr bool has_tensor_tiles = sizeof(T) == 8 && !is_complex<T>;

/* C0 += A0 B^H and C1 += A1 B^H. */
template <class T, class A, class B>
__device__ __forceinline__ void multiply(tile_part<T> &c0, tile_part<T> &c1, const A &a0, const A &a1, const B &b)
{
  const int lane = threadIdx.x % warp_size, g = lane / 4, t = lane % 4;
  if constexpr (has_tensor_tiles<T>) {
    const pair<T> u = a0(g, t), v = a1(g, t), w = b(g, t);
    multiply_two_8x8(c0.x, c0.y, c1.x, c1.y, u.x, u.y, v.x, v.y, w.x, w.y);
  } else {
#pragma unroll
    for (int p = 0; p < 4; p++) {
      const pair<T> u = a0(g, p), v = a1(g, p), w = b(2 * t, p), z = b(2 * t + 1, p);
      c0.x = mad(u.y, conj(w.y), mad(u.x, conj(w.x), c0.x));
      c0.y = mad(u.y, conj(z.y), mad(u.x, conj(z.x), c0.y));
      c1.x = mad(v.y, conj(w.y), mad(v.x, conj(w.x), c1.x));
      c1.y = mad(v.y, conj(z.y), mad(v.x, conj(z.x), c1.y));
    }
  }
}

/* The lower triangle's tiles, or those of its first columns, column after column. */
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

  /* Calls f(place in shared memory, place in the matrix, is that inside, is it on the diagonal) for the lane's
   * elements: a warp takes a tile, 4 times 8 neighbours in memory, and the 4 after them.  n: rows of the matrix from
   * here on. */
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

  /* The panel, whose first element is a[0], of a matrix with n rows from there on.  Starts the copies; what is
   * outside of the matrix becomes the identity. */
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

  /* Rows of tiles i0 and i1 of column j: less the products of columns first .. last - 1. */
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

  /* The tile on the diagonal, by one warp, each lane alike: shuffles would take longer than the arithmetic.
   * Columns leave the registers when they are done.  Returns info of the tile, from 1 on. */
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

  /* The same for the type of which a lane can't hold a tile: lane r (and r + 8, ...) has row r. */
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
      x[k] = choose(r == k, make<T>(p.root), y);
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

  /* Row r of the tiles below the diagonal one: x = a L^-H, a thread a row. */
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

  /* All columns; the result is info, from 1 on, in the threads of the first warp.  That warp factors the tiles on the
   * diagonal, which all others wait for; so they do most of the products for the next one, too. */
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

} // namespace batched_cuda::cholesky

#endif
