/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.warp_stream of trsv, trsm and potrs, and cuda.warp_stream_inverse of trsv: a few right-hand sides with a
 * triangle of any order, with one level of blocking.  A warp per matrix takes the tiles of the triangle row by row, or
 * down its columns, through shared memory, where X stays.  The next tile, which may be the first one of the warp's next
 * matrix, is prefetched into registers.  With a Cholesky factor (potrs) the warp solves with the triangle, then with
 * its transpose, which it finds in the cache.
 */
#ifndef BATCHED_TRIANGULAR_CUDA_WARP_STREAM_CUH
#define BATCHED_TRIANGULAR_CUDA_WARP_STREAM_CUH

#include <algorithm>

#include "batched/triangular/cuda/triangle.cuh"

namespace batched_cuda::triangular
{

/* Right-hand sides in a lane that has a whole row of a 32 x 32 tile. */
enum { WHOLE_ROW = 10 };

/* A tile by columns: E(i, j) at element j * ld + i.  Where it has 16 rows and a warp twice as many lanes, each half has
 * R columns of X; with a single column the other half repeats the work of the first, but writes nothing. */
template <class T, int R> struct stream_tile {
  static constexpr int edge = (R == 1 ? sizeof(T) < 16 : R == WHOLE_ROW) ? 32 : 16, ld = edge + 1,
                       size = (edge * ld + 3) / 4 * 4;
  static constexpr int groups = R > 1 ? 32 / edge : 1, columns = R * groups; /* of X in a unit */
  static constexpr int depth = edge / groups;                                /* of a tile in each lane's registers */

  /* The row of the tile that the lane works on. */
  static __device__ __forceinline__ int lane()
  {
    return threadIdx.x % edge;
  }
  /* The same, or one that the tile does not have. */
  static __device__ __forceinline__ int row()
  {
    return groups > 1 ? lane() : (int)threadIdx.x;
  }
  static __device__ __forceinline__ int group()
  {
    return groups > 1 ? threadIdx.x / edge : 0;
  }
};

/* A position in the sequence of tiles that a warp works on.  The unit of work is a matrix with some columns of X. */
template <class T, int R> struct tile_cursor {
  using tile = stream_tile<T, R>;
  int64_t unit;
  int n, nrhs, edge; /* tiles of a matrix are of even size: 33 rows make tiles of 17 and 16 */
  int row, col;
  bool back; /* solving with the transpose */
  bool down; /* down the columns of A: neighbouring tiles share sectors where columns are not aligned */
  strided<const T> e;
  strided<T> x;

  /* For the transpose, E is the conjugate transpose, counted from the other end. */
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
      nrhs = min(tile::columns, (f.left ? cols : rows) - chunk * tile::columns);
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
    const int count = (n + tile::edge - 1) / tile::edge;
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
      x.at += (unit - m * chunks) * tile::columns * x.col;
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

/* Loads a tile into registers, lanes along a column of A: lane i has row i, or column i if A is flipped, of which a
 * group has a part; of a diagonal tile its triangle alone.  `rhs`: the right-hand sides of its rows, if the tile is the
 * first one of these. */
template <class T, int R>
__device__ __forceinline__ void load_tile(const triangle_form &f, const tile_cursor<T, R> &c,
                                          T (&next)[stream_tile<T, R>::depth], T (&rhs)[R])
{
  using tile = stream_tile<T, R>;
  const int lane = tile::row(), own = tile::group() * tile::depth, i0 = c.row * c.edge, j0 = c.col * c.edge,
            height = c.height();
  const bool diagonal = c.row == c.col;
  const int width = diagonal ? height : c.edge, steps = f.flip ? height : width;
  const T *from = f.flip ? &c.e(i0, j0 + lane) : &c.e(i0 + lane, j0);
  const int64_t step = f.flip ? c.e.row : c.e.col;
  const int first = diagonal && f.flip ? lane : 0, last = lane >= (f.flip ? width : height) ? 0
                                                          : diagonal && !f.flip             ? lane + 1
                                                                                            : steps;
  from += own * step;
#pragma unroll
  for (int k = 0; k < tile::depth; k++) {
    if (own + k >= first && own + k < last) next[k] = *from;
    from += step;
  }
  if (c.col == 0 && !c.back && lane < height) {
#pragma unroll
    for (int r = 0; r < R; r++)
      if (tile::group() * R + r < c.nrhs) rhs[r] = c.x(i0 + lane, tile::group() * R + r);
  }
}

template <class T, int R>
__device__ __forceinline__ void store_tile(bool flip, const T (&next)[stream_tile<T, R>::depth], T *tile)
{
  using shape = stream_tile<T, R>;
  if (shape::row() >= shape::edge) return;
  const int step = flip ? 1 : shape::ld;
  T *const to = tile + shape::row() * (flip ? shape::ld : 1) + shape::group() * shape::depth * step;
#pragma unroll
  for (int k = 0; k < shape::depth; k++) to[k * step] = next[k];
}

/* x = E^-1 x for a diagonal tile, by substitution, a row of X in each lane. */
template <class T, int R>
__device__ __forceinline__ void solve_tile(const triangle_form &f, int n, const T *tile, T (&x)[R])
{
  using shape = stream_tile<T, R>;
  const int lane = shape::lane();
  reciprocal<T> d = {1, make<T>(1)};
  if (!f.unit && lane < n) d = reciprocal_of(tile[lane * shape::ld + lane]);
#pragma unroll
  for (int r = 0; r < R; r++) x[r] = d.scale * x[r];
#pragma unroll
  for (int j = 0; j < shape::edge; j++) {
    if (j >= n) break;
    const T e = -(d.scale * tile[j * shape::ld + lane]);
#pragma unroll
    for (int r = 0; r < R; r++) {
      const T xj = shuffle(x[r] * d.inverse, j, shape::edge);
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
  using shape = stream_tile<T, 1>;
  const int lane = shape::lane();
  T own = make<T>(1), y[shape::edge];
  bool good = true;
  if (!f.unit && lane < n) {
    const auto d = reciprocal_of(tile[lane * shape::ld + lane]);
    own = d.inverse;
    good = d.scale == 1;
  }
  if (!__all_sync(all_lanes, good)) return false;
#pragma unroll
  for (int i = 0; i < shape::edge; i++) y[i] = make<T>(i == lane);
#pragma unroll
  for (int j = 0; j < shape::edge; j++) {
    if (j >= n) break;
    y[j] = y[j] * shuffle(own, j);
#pragma unroll
    for (int i = j + 1; i < shape::edge; i++)
      if (i < n) y[i] = mad(-tile[j * shape::ld + i], y[j], y[i]);
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < shape::edge; i++)
    if (i < n && (int)threadIdx.x <= i) tile[lane * shape::ld + i] = y[i];
  __syncwarp();
  return true;
}

/* sum -= E X over the columns of a tile; rows of X are `step` numbers apart. */
template <class T, int R>
__device__ __forceinline__ void subtract_tile(int width, const T *tile, const T *x, int step, T (&sum)[R])
{
  using shape = stream_tile<T, R>;
  const int lane = shape::lane();
  T other[R] = {};
#pragma unroll 8
  for (int j = 0; j < width; j++) {
    const T e = -tile[j * shape::ld + lane];
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

/* E x for a tile that is a triangle, x in the lanes. */
template <class T> __device__ __forceinline__ T multiply_tile(int n, const T *tile, T x)
{
  const int lane = stream_tile<T, 1>::lane();
  T sum = {};
  for (int j = 0; j < n; j++) {
    const T xj = shuffle(x, j);
    if (lane >= j && lane < n) sum = mad(tile[j * stream_tile<T, 1>::ld + lane], xj, sum);
  }
  return sum;
}

/* X = alpha E^-1 X, or (both) E^-H E^-1 X.
 *   algorithm  by tiles of up to 32 x 32 (complex doubles 16 x 16); diagonal tiles by substitution, or (by_inverse) by
 *              their inverses, after T. Dong, A. Haidar, S. Tomov, J. Dongarra (batched bidiagonalisation, TRSV)
 *   grid       persistent: as many warps, each a block, as are resident; a warp per matrix and R columns of X, of 16 x
 *              16 tiles R in each half of the lanes
 *   registers  a tile's row per lane, or half of it; 168 per thread at R > 1, 128 at R = 1
 *   shared     a tile, and the columns of X
 *   takes      these in 32 KB, all types, uniform and variable, A shared or not
 *   memory     the triangle once per unit (both: once more, from L2), X once from and to global memory
 *   accuracy   of substitution; by_inverse loses digits where a diagonal tile is ill-conditioned */
template <class T, int R, bool by_inverse, bool both>
__global__ void __launch_bounds__(32, by_inverse ? 8
                                      : R > 1    ? 12
                                                 : 16)
  solve_in_warp_stream(triangle_form first, int chunks, T alpha, batch<T> a, batch<T> b)
{
  using shape = stream_tile<T, R>;
  T *const tile = shared_array<T>(), *const solved = tile + shape::size;
  const int64_t units = b.count * chunks;
  const int lane = shape::row(), own = shape::group() * R;
  T next[shape::depth] = {}, rhs[R] = {}, sum[R] = {};
  tile_cursor<T, R> now;
  now.down = R == 1 && !both && !first.flip;
  now.enter(first, chunks, a, b, blockIdx.x);
  if (now.unit < units) load_tile(first, now, next, rhs);
  while (now.unit < units) {
    const triangle_form f = both ? now.form(first) : first;
    /* row i of X is at solved[i * step + start], the same place for the transpose */
    const bool back = both && now.back;
    const int height = now.height(), i0 = now.row * now.edge, step = back ? -shape::columns : shape::columns;
    const int start = own + (back ? (now.n - 1) * shape::columns : 0);
    store_tile<T, R>(f.flip, next, tile);
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
          if (both == back && own + r < now.nrhs) now.x(i0 + lane, own + r) = conj_if(f.conj, sum[r]);
        }
      }
    }
    __syncwarp();
    now = ahead;
  }
}

/* Most rows of an X of so many columns that leaves room for several warps. */
template <class T> constexpr int most_streamed(int columns)
{
  return 32 * 1024 / (columns * (int)sizeof(T));
}

/* both: first with E, then with its conjugate transpose; then no more warps than have their triangles in the cache. */
template <class T, int R, bool by_inverse, bool both = false>
static int solve_warp_stream(batched_ctx *ctx, triangle_form f, int n, int nrhs, T alpha, const batch<T> &a,
                             const batch<T> &b)
{
  const auto kernel = solve_in_warp_stream<T, R, by_inverse, both>;
  using shape = stream_tile<T, R>;
  const size_t shared = (size_t)(shape::size + n * shape::columns) * sizeof(T);
  const int chunks = (int)ceil_div(nrhs, shape::columns);
  const int64_t processors = multiprocessors();
  int device = 0, resident = 8, cache = 50 << 20;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, 32, shared);
  if (both) {
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device);
    /* Half of the cache, as warps are not in step; this, and at least 8 warps, as measured on an H100. */
    const int64_t cached = cache / 2 / (processors * ((int64_t)n * n / 2 * (int64_t)sizeof(T)) + 1);
    resident = (int)std::min<int64_t>(resident, std::max<int64_t>(8, cached));
  }
  const int64_t units = b.count * chunks, most = processors * (resident > 0 ? resident : 1);
  return launch(ctx, kernel, units < most ? units : most, 32, shared, f, chunks, conj_if(f.conj, alpha), a, b);
}

/* The same for several columns, 8, 10 or 16 in a unit, as measured on an H100. */
template <class T, bool both>
static int solve_columns_in_warp_stream(batched_ctx *ctx, triangle_form f, int n, int nrhs, T alpha, const batch<T> &a,
                                        const batch<T> &b)
{
  constexpr int most = sizeof(T) == 16 ? 4 : 8; // in each half of the lanes
  if constexpr (sizeof(T) == 4) {
    if (nrhs <= WHOLE_ROW) return solve_warp_stream<T, WHOLE_ROW, false, both>(ctx, f, n, nrhs, alpha, a, b);
  } else {
    if (nrhs == 9 || nrhs == 10) return solve_warp_stream<T, 5, false, both>(ctx, f, n, nrhs, alpha, a, b);
    if (nrhs <= 8 || n > most_streamed<T>(2 * most))
      return solve_warp_stream<T, 4, false, both>(ctx, f, n, nrhs, alpha, a, b);
  }
  return solve_warp_stream<T, most, false, both>(ctx, f, n, nrhs, alpha, a, b);
}

} // namespace batched_cuda::triangular

#endif
