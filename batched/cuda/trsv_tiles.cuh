/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trsv of any order with one level of blocking: a warp goes through the tiles of a triangle row by row, x in shared
 * memory.  The tiles to come, also those of the warp's next matrix, are on their way into a ring of tiles meanwhile.
 */
#ifndef BATCHED_CUDA_TRSV_TILES_CUH
#define BATCHED_CUDA_TRSV_TILES_CUH

#include "triangle.cuh"

namespace batched_cuda
{

static constexpr int tile_stages = 3;

/* A tile by columns, E(i, j) at element j * ld + i, and the right-hand side of its rows if it is the first one of them.
 * Where there are fewer rows than lanes, the other lanes do as these do, but write nothing. */
template <class T> struct tiles {
  static constexpr int edge = sizeof(T) == 16 ? 16 : 32, ld = edge + 1, rhs = edge * ld, size = rhs + edge;

  static __device__ __forceinline__ int lane()
  {
    return threadIdx.x % edge;
  }
};

/* A place in the sequence of tiles that a warp works on. */
template <class T> struct tile_cursor {
  int64_t b;
  int n, edge; /* tiles of a matrix are alike in size: those of 33 rows have 17 and 16 */
  int row, col;
  strided<const T> e;
  T *x;
  int64_t inc;

  /* The first tile of the first matrix from b on that has any. */
  __device__ __forceinline__ void enter(const triangle_form &f, const batch<T> &a, const batch<T> &v, int64_t from)
  {
    n = row = col = 0;
    for (b = from; b < v.count && (n = v.length(b)) == 0;) b += gridDim.x;
    if (b >= v.count) return;
    edge = (n + (n + tiles<T>::edge - 1) / tiles<T>::edge - 1) / ((n + tiles<T>::edge - 1) / tiles<T>::edge);
    e = triangle_of<const T>(f, a.at(b), a.leading(b), n);
    inc = v.increment(b);
    x = v.at(b);
    if (f.backward) {
      x += (n - 1) * inc;
      inc = -inc;
    }
  }
  __device__ __forceinline__ void advance(const triangle_form &f, const batch<T> &a, const batch<T> &v)
  {
    if (col < row) {
      col++;
    } else {
      row++;
      col = 0;
      if (row * edge >= n) enter(f, a, v, b + gridDim.x);
    }
  }
  __device__ __forceinline__ int height() const
  {
    return min(edge, n - row * edge);
  }
};

/* Starts to copy a tile; one that is on the diagonal only has its triangle. */
template <class T> __device__ __forceinline__ void fetch_tile(const triangle_form &f, const tile_cursor<T> &c, T *tile)
{
  const int lane = threadIdx.x, i0 = c.row * c.edge, j0 = c.col * c.edge, height = c.height();
  const bool diagonal = c.row == c.col;
  const int width = diagonal ? height : c.edge;
  /* neighbouring lanes along a column of A */
  const T *from = f.flip ? &c.e(i0, j0 + lane) : &c.e(i0 + lane, j0);
  T *to = f.flip ? tile + lane * tiles<T>::ld : tile + lane;
  const int64_t step = f.flip ? c.e.row : c.e.col;
  const int stride = f.flip ? 1 : tiles<T>::ld, steps = f.flip ? height : width;
  const int first = diagonal && f.flip ? lane : 0, last = lane >= (f.flip ? width : height) ? 0
                                                          : diagonal && !f.flip             ? lane + 1
                                                                                            : steps;
#pragma unroll 4
  for (int k = 0; k < steps; k++) {
    if (k >= first && k < last) start_copy(to, from);
    to += stride;
    from += step;
  }
  if (c.col == 0 && lane < height) start_copy(tile + tiles<T>::rhs + lane, c.x + (i0 + lane) * c.inc);
}

/* The solution of a diagonal tile's system by substitution, an unknown in each lane. */
template <class T> __device__ __forceinline__ T solve_tile(const triangle_form &f, int n, const T *tile, T x)
{
  const int lane = tiles<T>::lane();
  reciprocal<T> r = {1, make<T>(1)};
  if (!f.unit && lane < n) r = reciprocal_of(tile[lane * tiles<T>::ld + lane]);
  x = r.scale * x;
#pragma unroll
  for (int j = 0; j < tiles<T>::edge; j++) {
    if (j >= n) break;
    const T xj = shuffle(x * r.inverse, j);
    if (lane > j && lane < n) x = mad(-(r.scale * tile[j * tiles<T>::ld + lane]), xj, x);
  }
  return x * r.inverse;
}

/* The same by the tile's inverse, which takes its place: lane j computes column j.  Returns false, with the tile as it
 * was, if some diagonal element is extreme. */
template <class T> __device__ __forceinline__ bool invert_tile(const triangle_form &f, int n, T *tile)
{
  const int lane = tiles<T>::lane();
  T own = make<T>(1), y[tiles<T>::edge];
  bool good = true;
  if (!f.unit && lane < n) {
    const auto r = reciprocal_of(tile[lane * tiles<T>::ld + lane]);
    own = r.inverse;
    good = r.scale == 1;
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

/* sum - E x over the columns of a tile: those up to the lane's own, or all of `width`. */
template <class T>
__device__ __forceinline__ T subtract_tile(int width, bool triangle, const T *tile, const T *x, T sum)
{
  const int lane = tiles<T>::lane();
  T other = {};
#pragma unroll 8
  for (int j = 0; j < width; j += 2) {
    if (!triangle || j <= lane) sum = mad(-tile[j * tiles<T>::ld + lane], x[j], sum);
    if (j + 1 < width && (!triangle || j < lane)) other = mad(-tile[(j + 1) * tiles<T>::ld + lane], x[j + 1], other);
  }
  return sum + other;
}

template <class T, bool by_inverse>
__global__ void __launch_bounds__(32) trsv_tiles(triangle_form f, batch<T> a, batch<T> v)
{
  T *const ring = shared_array<T>(), *const solved = ring + tile_stages * tiles<T>::size;
  const int lane = tiles<T>::lane();
  tile_cursor<T> now, ahead;
  ahead.enter(f, a, v, blockIdx.x);
  now = ahead;
  for (int s = 0; s < tile_stages - 1; s++) {
    if (ahead.b < v.count) {
      fetch_tile(f, ahead, ring + s * tiles<T>::size);
      ahead.advance(f, a, v);
    }
    close_copies();
  }
  T sum = {};
  for (int slot = 0, free_slot = tile_stages - 1; now.b < v.count; now.advance(f, a, v)) {
    if (ahead.b < v.count) {
      fetch_tile(f, ahead, ring + free_slot * tiles<T>::size);
      ahead.advance(f, a, v);
    }
    close_copies();
    wait_copies<tile_stages - 1>();
    __syncwarp();
    T *const tile = ring + slot * tiles<T>::size;
    const int height = now.height(), i0 = now.row * now.edge;
    if (now.col == 0) sum = conj_if(f.conj, tile[tiles<T>::rhs + lane]);
    if (now.col < now.row) {
      sum = subtract_tile(now.edge, false, tile, solved + now.col * now.edge, sum);
    } else {
      if (by_inverse && invert_tile(f, height, tile)) {
        if ((int)threadIdx.x < height) tile[tiles<T>::rhs + lane] = -sum;
        __syncwarp();
        sum = subtract_tile(height, true, tile, tile + tiles<T>::rhs, T{});
      } else {
        sum = solve_tile(f, height, tile, sum);
      }
      if ((int)threadIdx.x < height) {
        solved[i0 + lane] = sum;
        now.x[(i0 + lane) * now.inc] = conj_if(f.conj, sum);
      }
    }
    __syncwarp();
    free_slot = slot;
    slot = slot + 1 < tile_stages ? slot + 1 : 0;
  }
}

/* Longest vectors that it takes: x in shared memory leaves room for several warps. */
template <class T> constexpr int most_by_tiles = 32 * 1024 / sizeof(T);

template <class T, bool by_inverse>
static int trsv_by_tiles(batched_ctx *ctx, triangle_form f, const batch<T> &a, const batch<T> &v)
{
  const size_t shared = (size_t)(tile_stages * tiles<T>::size + a.m + tiles<T>::edge) * sizeof(T);
  int device = 0, processors = 132, bytes = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
  const int64_t resident = (int64_t)processors * (bytes / (int)(shared + 1024));
  return launch(ctx, trsv_tiles<T, by_inverse>, v.count < resident ? v.count : resident, 32, shared, f, a, v);
}

} // namespace batched_cuda

#endif
