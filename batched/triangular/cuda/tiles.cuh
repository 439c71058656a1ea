/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Solves of any order for a few right-hand sides, with one level of blocking: a warp goes through the tiles of a
 * triangle row by row, or down its columns, X in shared memory.  The next tile, which may be the first one of the
 * warp's next matrix, is on its way into registers meanwhile.  With a Cholesky factor the warp goes there and back:
 * through the triangle, then through its transpose, which it finds in the cache.
 */
#ifndef BATCHED_CUDA_TRIANGLE_TILES_CUH
#define BATCHED_CUDA_TRIANGLE_TILES_CUH

#include <algorithm>

#include "batched/triangular/cuda/triangle.cuh"

namespace batched_cuda::triangular
{

/* A tile by columns: E(i, j) at element j * ld + i.  Where there are fewer rows than lanes, the other lanes do as these
 * do, but write nothing. */
template <class T> struct tiles {
  static constexpr int edge = sizeof(T) == 16 ? 16 : 32, ld = edge + 1, size = (edge * ld + 3) / 4 * 4;

  static __device__ __forceinline__ int lane()
  {
    return threadIdx.x % edge;
  }
};

/* A place in the sequence of tiles that a warp works on.  The unit of work is a matrix with up to R columns of X. */
template <class T, int R> struct tile_cursor {
  int64_t unit;
  int n, nrhs, edge; /* tiles of a matrix are alike in size: those of 33 rows have 17 and 16 */
  int row, col;
  bool back; /* on the way back */
  bool down; /* by columns of A: neighbours there share what memory gives at a time, where they are not aligned */
  strided<const T> e;
  strided<T> x;

  /* On the way back E is the conjugate transpose, from the other end. */
  __device__ __forceinline__ triangle_form form(triangle_form f) const
  {
    if (back) f = {f.left, !f.flip, !f.backward, !f.conj, f.unit};
    return f;
  }

  __device__ __forceinline__ void look_at(const triangle_form &f, const batch<T> &b, int64_t m, int chunk)
  {
    if constexpr (R == 1) {
      n = b.length(m);
      nrhs = 1;
    } else {
      const int rows = b.rows(m), cols = b.cols(m);
      n = f.left ? rows : cols;
      nrhs = min(R, (f.left ? cols : rows) - chunk * R);
      if (nrhs <= 0) n = 0;
    }
  }
  /* The first tile of the first unit from `from` on that has any. */
  __device__ __forceinline__ void enter(const triangle_form &f, int chunks, const batch<T> &a, const batch<T> &b,
                                        int64_t from)
  {
    int64_t m = 0;
    n = row = col = 0;
    back = false;
    for (unit = from; unit < b.count * chunks; unit += gridDim.x) {
      m = unit / chunks;
      look_at(f, b, m, (int)(unit - m * chunks));
      if (n > 0) break;
    }
    if (n == 0) return;
    const int count = (n + tiles<T>::edge - 1) / tiles<T>::edge;
    edge = (n + count - 1) / count;
    locate(f, chunks, a, b, m);
  }
  /* Where E and X of matrix m begin. */
  __device__ __forceinline__ void locate(const triangle_form &f, int chunks, const batch<T> &a, const batch<T> &b,
                                         int64_t m)
  {
    e = triangle_of<const T>(f, a.at(m), a.leading(m), n);
    if constexpr (R == 1) {
      const int64_t inc = b.increment(m);
      x = {b.at(m), inc, 0};
      if (f.backward) x = {x.at + (n - 1) * inc, -inc, 0};
    } else {
      x = unknowns_of<T>(f, b.at(m), b.leading(m), n);
      x.at += (unit - m * chunks) * R * x.col;
    }
  }
  template <bool both>
  __device__ __forceinline__ void advance(const triangle_form &f, int chunks, const batch<T> &a, const batch<T> &b)
  {
    if (down) {
      if (++row * edge < n) return;
      row = ++col;
    } else if (col < row) {
      col++;
      return;
    } else {
      row++;
      col = 0;
    }
    if (row * edge < n) return;
    if (both && !back) {
      row = 0;
      back = true;
      locate(form(f), chunks, a, b, unit / chunks);
    } else {
      enter(f, chunks, a, b, unit + gridDim.x);
    }
  }
  __device__ __forceinline__ int height() const
  {
    return min(edge, n - row * edge);
  }
};

/* Loads a tile, lanes along a column of A: lane i has row i, or column i if A is flipped.  One that is on the diagonal
 * only has its triangle.  `rhs`: the right-hand sides of its rows, if it is the first one of them. */
template <class T, int R>
__device__ __forceinline__ void load_tile(const triangle_form &f, const tile_cursor<T, R> &c, T (&next)[tiles<T>::edge],
                                          T (&rhs)[R])
{
  const int lane = threadIdx.x, i0 = c.row * c.edge, j0 = c.col * c.edge, height = c.height();
  const bool diagonal = c.row == c.col;
  const int width = diagonal ? height : c.edge, steps = f.flip ? height : width;
  const T *from = f.flip ? &c.e(i0, j0 + lane) : &c.e(i0 + lane, j0);
  const int64_t step = f.flip ? c.e.row : c.e.col;
  const int first = diagonal && f.flip ? lane : 0, last = lane >= (f.flip ? width : height) ? 0
                                                          : diagonal && !f.flip             ? lane + 1
                                                                                            : steps;
#pragma unroll
  for (int k = 0; k < tiles<T>::edge; k++) {
    if (k >= first && k < last) next[k] = *from;
    from += step;
  }
  if (c.col == 0 && !c.back && lane < height) {
#pragma unroll
    for (int r = 0; r < R; r++)
      if (r < c.nrhs) rhs[r] = c.x(i0 + lane, r);
  }
}

template <class T> __device__ __forceinline__ void store_tile(bool flip, const T (&next)[tiles<T>::edge], T *tile)
{
  if (threadIdx.x >= tiles<T>::edge) return;
  T *const to = flip ? tile + threadIdx.x * tiles<T>::ld : tile + threadIdx.x;
  const int step = flip ? 1 : tiles<T>::ld;
#pragma unroll
  for (int k = 0; k < tiles<T>::edge; k++) to[k * step] = next[k];
}

/* The solution of a diagonal tile's system by substitution, a row of X in each lane. */
template <class T, int R>
__device__ __forceinline__ void solve_tile(const triangle_form &f, int n, const T *tile, T (&x)[R])
{
  const int lane = tiles<T>::lane();
  reciprocal<T> d = {1, make<T>(1)};
  if (!f.unit && lane < n) d = reciprocal_of(tile[lane * tiles<T>::ld + lane]);
#pragma unroll
  for (int r = 0; r < R; r++) x[r] = d.scale * x[r];
#pragma unroll
  for (int j = 0; j < tiles<T>::edge; j++) {
    if (j >= n) break;
    const T e = -(d.scale * tile[j * tiles<T>::ld + lane]);
#pragma unroll
    for (int r = 0; r < R; r++) {
      const T xj = shuffle(x[r] * d.inverse, j);
      if (lane > j && lane < n) x[r] = mad(e, xj, x[r]);
    }
  }
#pragma unroll
  for (int r = 0; r < R; r++) x[r] = x[r] * d.inverse;
}

/* The tile becomes its inverse: lane j computes column j.  Returns false, with the tile as it was, if some diagonal
 * element is extreme. */
template <class T> __device__ __forceinline__ bool invert_tile(const triangle_form &f, int n, T *tile)
{
  const int lane = tiles<T>::lane();
  T own = make<T>(1), y[tiles<T>::edge];
  bool good = true;
  if (!f.unit && lane < n) {
    const auto d = reciprocal_of(tile[lane * tiles<T>::ld + lane]);
    own = d.inverse;
    good = d.scale == 1;
  }
  if (!__all_sync(0xffffffffu, good)) return false;
#pragma unroll
  for (int i = 0; i < tiles<T>::edge; i++) y[i] = make<T>(i == lane);
#pragma unroll
  for (int j = 0; j < tiles<T>::edge; j++) {
    if (j >= n) break;
    y[j] = y[j] * shuffle(own, j);
#pragma unroll
    for (int i = j + 1; i < tiles<T>::edge; i++)
      if (i < n) y[i] = mad(-tile[j * tiles<T>::ld + i], y[j], y[i]);
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < tiles<T>::edge; i++)
    if (i < n && (int)threadIdx.x <= i) tile[lane * tiles<T>::ld + i] = y[i];
  __syncwarp();
  return true;
}

/* sum -= E X over the columns of a tile; rows of X are `step` numbers apart. */
template <class T, int R>
__device__ __forceinline__ void subtract_tile(int width, const T *tile, const T *x, int step, T (&sum)[R])
{
  const int lane = tiles<T>::lane();
  T other[R] = {};
#pragma unroll 8
  for (int j = 0; j < width; j++) {
    const T e = -tile[j * tiles<T>::ld + lane];
#pragma unroll
    for (int r = 0; r < R; r++) {
      if (R == 1 && j % 2)
        other[r] = mad(e, x[j * step + r], other[r]);
      else
        sum[r] = mad(e, x[j * step + r], sum[r]);
    }
  }
  if (R == 1) sum[0] += other[0];
}

/* The same with a tile that is a triangle, and x in the lanes: E x. */
template <class T> __device__ __forceinline__ T multiply_tile(int n, const T *tile, T x)
{
  const int lane = tiles<T>::lane();
  T sum = {};
  for (int j = 0; j < n; j++) {
    const T xj = shuffle(x, j);
    if (lane >= j && lane < n) sum = mad(tile[j * tiles<T>::ld + lane], xj, sum);
  }
  return sum;
}

template <class T, int R, bool by_inverse, bool both>
__global__ void __launch_bounds__(32, by_inverse || (sizeof(T) == 16 && R > 1) ? 8
                                      : R > 1                                  ? 12
                                                                               : 16)
  triangle_tiles(triangle_form first, int chunks, T alpha, batch<T> a, batch<T> b)
{
  T *const tile = shared_array<T>(), *const solved = tile + tiles<T>::size;
  const int64_t units = b.count * chunks;
  const int lane = threadIdx.x;
  T next[tiles<T>::edge] = {}, rhs[R] = {}, sum[R] = {};
  tile_cursor<T, R> now;
  now.down = R == 1 && !both && !first.flip;
  now.enter(first, chunks, a, b, blockIdx.x);
  if (now.unit < units) load_tile(first, now, next, rhs);
  while (now.unit < units) {
    const triangle_form f = both ? now.form(first) : first;
    /* row i of X is at solved[i * step + start], the same place on both ways */
    const bool back = both && now.back;
    const int height = now.height(), i0 = now.row * now.edge, step = back ? -R : R, start = back ? (now.n - 1) * R : 0;
    store_tile<T>(f.flip, next, tile);
    if (now.col == 0)
#pragma unroll
      for (int r = 0; r < R; r++) {
        const T y =
          back ? conj(lane < height ? solved[(i0 + lane) * step + start + r] : make<T>(0)) : conj_if(f.conj, rhs[r]);
        sum[r] = R == 1 || back ? y : alpha * y;
      }
    else if (now.down && lane < height)
      sum[0] = solved[i0 + lane];
    __syncwarp();
    tile_cursor<T, R> ahead = now;
    ahead.template advance<both>(first, chunks, a, b);
    if (ahead.unit < units) load_tile(both ? ahead.form(first) : first, ahead, next, rhs);
    if (now.col < now.row) {
      subtract_tile<T, R>(now.edge, tile, solved + now.col * now.edge * step + start, step, sum);
      if (now.down && lane < height) solved[i0 + lane] = sum[0];
    } else {
      if (by_inverse && invert_tile(f, height, tile))
        sum[0] = multiply_tile(height, tile, sum[0]);
      else
        solve_tile<T, R>(f, height, tile, sum);
      if (lane < height) {
#pragma unroll
        for (int r = 0; r < R; r++) {
          solved[(i0 + lane) * step + start + r] = sum[r];
          if (both == back && r < now.nrhs) now.x(i0 + lane, r) = conj_if(f.conj, sum[r]);
        }
      }
    }
    __syncwarp();
    now = ahead;
  }
}

/* Is X small enough to leave room for several warps? */
template <class T, int R> constexpr int most_by_tiles = 32 * 1024 / (R * sizeof(T));

/* both: first with E, then with its conjugate transpose; no more warps than have their triangles in the cache. */
template <class T, int R, bool by_inverse, bool both = false>
static int solve_by_tiles(batched_ctx *ctx, triangle_form f, int n, int nrhs, T alpha, const batch<T> &a,
                          const batch<T> &b)
{
  const auto kernel = triangle_tiles<T, R, by_inverse, both>;
  const size_t shared = (size_t)(tiles<T>::size + n * R) * sizeof(T);
  const int chunks = (int)ceil_div(nrhs, R);
  int device = 0, processors = 132, resident = 8, cache = 50 << 20;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, 32, shared);
  if (both) {
    cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device);
    /* half of it: what is in use is not all in step (8, and this, from times on an H100) */
    const int64_t cached = cache / 2 / (processors * ((int64_t)n * n / 2 * (int64_t)sizeof(T)) + 1);
    resident = (int)std::min<int64_t>(resident, std::max<int64_t>(8, cached));
  }
  const int64_t units = b.count * chunks, most = (int64_t)processors * (resident > 0 ? resident : 1);
  return launch(ctx, kernel, units < most ? units : most, 32, shared, f, chunks, conj_if(f.conj, alpha), a, b);
}

} // namespace batched_cuda::triangular

#endif
