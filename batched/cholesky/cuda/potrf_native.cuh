/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.native of potrf: one large matrix has the whole GPU; a batch shares it.  Left-looking by tiles of B x B
 * elements, all of them in one launch: blocks of threads claim tile after tile, column by column, and wait for what a
 * tile stands on (the dataflow of Agullo et al., Faster, Cheaper, Better, GPU Computing Gems, 2011, without a runtime).
 *
 *   tile (i, j):  C = A(i, j) - sum over k < j of L(i, k) L(j, k)^H
 *                 i = j: L(j, j) by 8 columns at a time in shared memory, one warp ahead of the others
 *                 i > j: L(i, j) = C L(j, j)^-H by inverted 8 x 8 triangles with a step of refinement, in registers
 *
 * done[i] counts the finished tiles in row i, which finish in the order of their columns.  A tile waits only for tiles
 * claimed before it, so the launch comes to an end whatever part of its grid is resident.
 *
 * grid      persistent; B = 64: 3 blocks of 128 threads per multiprocessor; double beyond 6144: B = 128, one of 256
 * shared    a ring of 3 or 4 slices of both factors; then the tile (B B elements) and the inverted triangles
 * takes     all types, any order, uniform and variable
 * workspace per row of tiles an int, L(i, i) and its inverted triangles (B (B + 8) elements)
 * reads     the triangle; tiles of L once per tile that they meet, mostly from the L2 cache; writes the triangle, info
 * accuracy  |L L^H - A| < 30 n eps |A|
 */
#ifndef BATCHED_CHOLESKY_CUDA_POTRF_NATIVE_CUH
#define BATCHED_CHOLESKY_CUDA_POTRF_NATIVE_CUH

#include "batched/cuda/access.cuh"
#include "batched/cuda/bulk_copy.cuh"
#include "batched/cuda/progress.cuh"
#include "batched/cholesky/cuda/native.cuh"
#include "batched/cholesky/cuda/pivot.cuh"
#include "batched/cholesky/cuda/tile.cuh"

namespace batched_cuda::cholesky
{

/* ------------------------------------------------------------------ shapes and the order of work */

/* B: edge of a tile of the matrix, in elements; edge: in 8 x 8 tiles.  A warp accumulates rows x columns of these. */
template <class T, int B> struct native_shape {
  static constexpr int threads = 2 * B, warps = threads / warp_size, edge = B / tile_edge;
  static constexpr int rows = B / 16, columns = 4, warps_m = edge / rows;
  static constexpr int depth = sizeof(T) == 16 ? 8 : 16, stages = B == 64 ? 3 : 4;
  static constexpr int slice = 2 * B * depth, ring = stages * slice, tile = B * B;
  static constexpr int packed = tile + B * tile_edge; /* L(j, j), and its inverted triangles */
  static constexpr size_t shared = ((ring > tile ? ring : tile) + B * tile_edge) * sizeof(T);
  static constexpr int resident = B > 64 ? 1 : sizeof(T) < 16 ? 3 : 2;
};

struct native_order {
  unsigned long long *claimed; /* tiles so far */
  int *done;                   /* [count][tiles] */
  int tiles;                   /* rows of tiles of the largest matrix */
  int64_t group;               /* matrices that advance side by side */
};

struct native_task {
  int64_t b;
  int i, j;
};

/* Task `index`: matrices in groups, in a group column by column, the diagonal first. */
static __device__ __forceinline__ native_task task_of(const native_order &o, int64_t count, int64_t index)
{
  const int64_t n = o.tiles, triangle = n * (n + 1) / 2, g = index / (o.group * triangle);
  const int64_t rest = index - g * o.group * triangle, members = min(o.group, count - g * o.group);
  const int64_t at = rest / members;
  const double s = 2.0 * (double)n + 1;
  int64_t j = (int64_t)((s - sqrt(s * s - 8.0 * (double)at)) / 2);
  while (j > 0 && j * n - j * (j - 1) / 2 > at) j--;
  while ((j + 1) * n - (j + 1) * j / 2 <= at) j++;
  return {g * o.group + rest % members, (int)(at - (j * n - j * (j - 1) / 2) + j), (int)j};
}

/* ------------------------------------------------------------------ 8 x 8 triangles */

/* A warp's tile in registers as an operand. */
template <class T> struct own_tile {
  tile_part<T> part;
  __device__ __forceinline__ pair<T> operator()(int g, int p) const
  {
    if constexpr (has_tensor_tiles<T>)
      return {part.x, part.y};
    else
      return {shuffle(part.x, 4 * g + p), shuffle(part.y, 4 * g + p)};
  }
};

template <class T> static __device__ __forceinline__ void put(T *tile, const tile_part<T> &p)
{
  const int lane = threadIdx.x % warp_size;
  *reinterpret_cast<aligned_pair<T> *>(tile + tile_pair<T>(lane / 4, lane % 4)) = {p.x, p.y};
}
template <class T> static __device__ __forceinline__ tile_part<T> get(const T *tile)
{
  const pair<T> v = shared_tile<T>{tile}(threadIdx.x % warp_size / 4, threadIdx.x % 4);
  tile_part<T> p;
  p.x = v.x, p.y = v.y;
  return p;
}
template <class T> static __device__ __forceinline__ tile_part<T> negative(const tile_part<T> &p)
{
  tile_part<T> q;
  q.x = -p.x, q.y = -p.y;
  return q;
}

/* Column lane % 8 of the inverse of L, whose rows the lanes hold, to `to`; 1 / L(i, i) in inverse[i]. */
template <class T>
static __device__ __forceinline__ void invert_triangle(const T (&row)[tile_edge],
                                                       const real_of<T> (&inverse)[tile_edge], T *to)
{
  const int c = threadIdx.x % tile_edge;
  T w[tile_edge];
#pragma unroll
  for (int i = 0; i < tile_edge; i++) w[i] = make<T>(i == c);
#pragma unroll
  for (int i = 0; i < tile_edge; i++) {
    w[i] = inverse[i] * w[i];
#pragma unroll
    for (int k = i + 1; k < tile_edge; k++) w[k] = mad(-shuffle(row[i], k, tile_edge), w[i], w[k]);
  }
#pragma unroll
  for (int i = 0; i < tile_edge; i++) to[tile_at<T>(i, c)] = i < c ? make<T>(0) : w[i];
}

/* Factors a tile in shared memory by one warp, and inverts its triangle; the first bad pivot, from 1, or 0. */
template <class T> static __device__ __forceinline__ int factor_triangle(T *tile, T *inverse_to)
{
  using R = real_of<T>;
  const int i = threadIdx.x % tile_edge;
  T row[tile_edge];
  R inverse[tile_edge];
  int found = 0;
#pragma unroll
  for (int k = 0; k < tile_edge; k++) row[k] = k <= i ? tile[tile_at<T>(i, k)] : make<T>(0);
#pragma unroll
  for (int k = 0; k < tile_edge; k++) {
    const R d = shuffle(real(row[k]), k, tile_edge);
    const pivot<R, true> p(d);
    if (!(d > 0) && !found) found = k + 1;
    const R bad = d > 0 ? R(1) : R(__int_as_float(0x7fc00000));
    inverse[k] = p.inverse * bad;
    T column[tile_edge];
#pragma unroll
    for (int c = k + 1; c < tile_edge; c++) column[c] = conj(shuffle(row[k], c, tile_edge)) * inverse[k];
    row[k] = i == k ? make<T>(p.root * bad) : row[k] * inverse[k];
    if (i < k) row[k] = make<T>(0);
#pragma unroll
    for (int c = k + 1; c < tile_edge; c++) row[c] = mad(-row[k], column[c], row[c]);
  }
  __syncwarp();
  if (threadIdx.x % warp_size < tile_edge)
#pragma unroll
    for (int k = 0; k < tile_edge; k++) tile[tile_at<T>(i, k)] = k <= i ? row[k] : make<T>(0);
  invert_triangle(row, inverse, inverse_to);
  __syncwarp();
  return found;
}

/* ------------------------------------------------------------------ one tile of the matrix */

template <class T, int B> struct native_tile {
  using S = native_shape<T, B>;
  strided<T> l; /* the matrix whose lower triangle is factored: A, or A^T where the upper one is stored */
  int n, i, j;  /* the order; the tile */
  T *memory;    /* shared */

  __device__ __forceinline__ T *tile(int r, int c) const
  {
    return memory + (r * S::edge + c) * tile_size;
  }
  __device__ __forceinline__ T *inverse(int c) const
  {
    return memory + (S::ring > S::tile ? S::ring : S::tile) + c * tile_size;
  }
  __device__ __forceinline__ bool lower() const
  {
    return l.row == 1;
  }

  /* Fetches slice s of L(i, :) and L(j, :): a thread has one row and every other column of a slice, or, where rows are
   * contiguous, one column and some rows. */
  __device__ __forceinline__ void fetch(int s) const
  {
    T *const to = memory + s % S::stages * S::slice;
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const int first = (half ? j : i) * B, left = n - first;
      if (lower()) {
        const int r = threadIdx.x % B, k = threadIdx.x / B;
        const T *from = &l(first + (r < left ? r : 0), s * S::depth + k);
        T *const place = to + half * B * S::depth + r / tile_edge * tile_size;
#pragma unroll
        for (int c = 0; c < S::depth; c += 2) {
          copy_async(
            shared_address(place + c / tile_edge * S::edge * tile_size + tile_at<T>(r % tile_edge, c % tile_edge + k)),
            from, r < left);
          from += 2 * l.col;
        }
      } else {
        constexpr int step = S::threads / S::depth;
        const int k = threadIdx.x % S::depth, r0 = threadIdx.x / S::depth;
        T *const place = to + half * B * S::depth + k / tile_edge * S::edge * tile_size;
#pragma unroll
        for (int c = 0; c < B; c += step) {
          const int r = c + r0;
          copy_async(shared_address(place + r / tile_edge * tile_size + tile_at<T>(r % tile_edge, k % tile_edge)),
                     &l(first + (r < left ? r : 0), s * S::depth + k), r < left);
        }
      }
    }
  }

  /* C = A(i, j) - L(i, :) L(j, :)^H to shared memory, rows and columns past the end those of the identity.  done: of
   * the matrix; ready: shared. */
  __device__ __forceinline__ void subtract_products(const int *done, int *ready_to)
  {
    const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
    const int r0 = warp % S::warps_m * S::rows, c0 = warp / S::warps_m * S::columns;
    tile_part<T> c[S::rows][S::columns];
    const auto element = [&](int r, int k) {
      const int row = i * B + r, col = j * B + k;
      return row < n && col <= row ? -l(row, col) : make<T>(row == col && row >= n ? -1 : 0);
    };
#pragma unroll
    for (int q = 0; q < S::rows; q++)
#pragma unroll
      for (int p = 0; p < S::columns; p++) {
        const int r = (r0 + q) * tile_edge + lane / 4, k = (c0 + p) * tile_edge + lane % 4 * 2;
        c[q][p].x = element(r, k);
        c[q][p].y = element(r, k + 1);
      }
    const int slices = j * (B / S::depth);
    int ready = 0;
    const auto request = [&](int s) {
      if (s < slices) {
        const int k = s / (B / S::depth);
        if (k >= ready) {
          if (threadIdx.x == 0) *ready_to = min(wait_beyond(done + i, k), wait_beyond(done + j, k));
          __syncthreads();
          ready = *ready_to;
        }
        fetch(s);
      }
      copy_commit();
    };
    for (int s = 0; s < S::stages - 1; s++) request(s);
#pragma unroll 1
    for (int s = 0; s < slices; s++) {
      copy_wait<S::stages - 2>();
      __syncthreads();
      request(s + S::stages - 1);
      const T *const a = memory + s % S::stages * S::slice, *const b = a + B * S::depth;
#pragma unroll
      for (int k = 0; k < S::depth / tile_edge; k++)
#pragma unroll
        for (int q = 0; q < S::rows; q += 2)
#pragma unroll
          for (int p = 0; p < S::columns; p++)
            multiply(c[q][p], c[q + 1][p], shared_tile<T>{a + (k * S::edge + r0 + q) * tile_size},
                     shared_tile<T>{a + (k * S::edge + r0 + q + 1) * tile_size},
                     shared_tile<T>{b + (k * S::edge + c0 + p) * tile_size});
    }
    copy_wait<0>();
    __syncthreads();
#pragma unroll
    for (int q = 0; q < S::rows; q++)
#pragma unroll
      for (int p = 0; p < S::columns; p++) put(tile(r0 + q, c0 + p), negative(c[q][p]));
    __syncthreads();
  }

  /* Tile rows r and r + 1 of column c: -= those of column k times row c of it. */
  __device__ __forceinline__ void update_pair(int r, int c, int k) const
  {
    const bool two = r + 1 < S::edge;
    tile_part<T> x = negative(get(tile(r, c))), y = two ? negative(get(tile(r + 1, c))) : x;
    multiply(x, y, shared_tile<T>{tile(r, k)}, shared_tile<T>{tile(two ? r + 1 : r, k)}, shared_tile<T>{tile(c, k)});
    put(tile(r, c), negative(x));
    if (two) put(tile(r + 1, c), negative(y));
  }

  /* x, y = (x, y) L^-H for a triangle L and its inverse, with a step of refinement. */
  static __device__ __forceinline__ void solve_pair(tile_part<T> &x, tile_part<T> &y, const T *triangle,
                                                    const T *inverse_at)
  {
    const shared_tile<T> lower = {triangle}, inverse = {inverse_at};
    tile_part<T> u, v;
    multiply(u, v, own_tile<T>{x}, own_tile<T>{y}, inverse);
    multiply(x, y, own_tile<T>{negative(u)}, own_tile<T>{negative(v)}, lower);
    multiply(u, v, own_tile<T>{x}, own_tile<T>{y}, inverse);
    x = u, y = v;
  }

  /* L(j, j) in shared memory; the first bad pivot in warp 0. */
  __device__ __forceinline__ int factor_diagonal() const
  {
    const int warp = threadIdx.x / warp_size;
    int found = warp == 0 ? factor_triangle(tile(0, 0), inverse(0)) : 0;
#pragma unroll 1
    for (int k = 0; k + 1 < S::edge; k++) {
      __syncthreads();
      for (int r = k + 1 + 2 * warp; r < S::edge; r += 2 * S::warps) {
        const bool two = r + 1 < S::edge;
        tile_part<T> x = get(tile(r, k)), y = two ? get(tile(r + 1, k)) : x;
        solve_pair(x, y, tile(k, k), inverse(k));
        put(tile(r, k), x);
        if (two) put(tile(r + 1, k), y);
      }
      __syncthreads();
      if (warp == 0) {
        update_pair(k + 1, k + 1, k);
        __syncwarp();
        const int here = factor_triangle(tile(k + 1, k + 1), inverse(k + 1));
        if (here && !found) found = (k + 1) * tile_edge + here;
      } else {
        int turn = 0;
        for (int c = k + 1; c < S::edge; c++)
          for (int r = c + 2 * (c == k + 1); r < S::edge; r += 2)
            if (turn++ % (S::warps - 1) == warp - 1) update_pair(r, c, k);
      }
    }
    __syncthreads();
    return found;
  }

  __device__ __forceinline__ void store_diagonal() const
  {
    for (int e = threadIdx.x; e < B * B; e += S::threads) {
      const int r = lower() ? e % B : e / B, c = lower() ? e / B : e % B, row = j * B + r;
      if (c <= r && row < n)
        l(row, j * B + c) = tile(r / tile_edge, c / tile_edge)[tile_at<T>(r % tile_edge, c % tile_edge)];
    }
  }

  /* L(j, j) and its inverted triangles between shared memory and `packed`, as they lie there. */
  __device__ __forceinline__ void pack_diagonal(T *packed) const
  {
    copy_packs(packed, tile(0, 0), S::tile);
    copy_packs(packed + S::tile, inverse(0), B * tile_edge);
  }
  __device__ __forceinline__ void unpack_diagonal(const T *packed) const
  {
    copy_packs(tile(0, 0), packed, S::tile);
    copy_packs(inverse(0), packed + S::tile, B * tile_edge);
    __syncthreads();
  }
  static __device__ __forceinline__ void copy_packs(T *to, const T *from, int count)
  {
    constexpr int size = pack<T>::size;
#pragma unroll 8
    for (int e = threadIdx.x; e < count / size; e += S::threads)
      reinterpret_cast<pack<T> *>(to)[e] = reinterpret_cast<const pack<T> *>(from)[e];
  }

  /* Solves for a tile below the diagonal, two rows of tiles per warp, and stores it. */
  __device__ __forceinline__ void solve(const int *done, int *ready_to, const T *packed) const
  {
    const int lane = threadIdx.x % warp_size, r = threadIdx.x / warp_size * 2;
    tile_part<T> x[2][S::edge];
#pragma unroll
    for (int q = 0; q < 2; q++)
#pragma unroll
      for (int c = 0; c < S::edge; c++) x[q][c] = get(tile(r + q, c));
    if (threadIdx.x == 0) *ready_to = wait_beyond(done + j, j);
    __syncthreads();
    unpack_diagonal(packed);
#pragma unroll
    for (int k = 0; k < S::edge; k++) {
      solve_pair(x[0][k], x[1][k], tile(k, k), inverse(k));
      const own_tile<T> u = {negative(x[0][k])}, v = {negative(x[1][k])};
#pragma unroll
      for (int c = k + 1; c < S::edge; c++) multiply(x[0][c], x[1][c], u, v, shared_tile<T>{tile(c, k)});
    }
#pragma unroll
    for (int q = 0; q < 2; q++)
#pragma unroll
      for (int c = 0; c < S::edge; c++) {
        const int row = i * B + (r + q) * tile_edge + lane / 4, col = j * B + c * tile_edge + lane % 4 * 2;
        if (row < n) {
          l(row, col) = x[q][c].x;
          l(row, col + 1) = x[q][c].y;
        }
      }
  }
};

/* ------------------------------------------------------------------ the kernel */

template <class T, int B>
__global__ void __launch_bounds__(native_shape<T, B>::threads, native_shape<T, B>::resident)
  factor_native(bool lower, batch<T> a, int *info, native_order order, T *diagonals)
{
  __shared__ int64_t claimed;
  __shared__ int ready;
  const int64_t tasks = a.count * ((int64_t)order.tiles * (order.tiles + 1) / 2);
  for (;;) {
    if (threadIdx.x == 0) claimed = (int64_t)atomicAdd(order.claimed, 1ull);
    __syncthreads();
    if (claimed >= tasks) return;
    const native_task task = task_of(order, a.count, claimed);
    const int64_t b = task.b;
    const int n = a.rows(b);
    int *const done = order.done + b * order.tiles;
    if (task.i * B >= n) {
      if (task.i == 0 && threadIdx.x == 0) info[b] = 0;
      __syncthreads();
      continue;
    }
    const int64_t ld = a.leading(b);
    native_tile<T, B> tile = {{a.at(b), lower ? 1 : ld, lower ? ld : 1}, n, task.i, task.j, shared_array<T>()};
    tile.subtract_products(done, &ready);
    T *const packed = diagonals + (b * order.tiles + task.j) * native_shape<T, B>::packed;
    if (task.i == task.j) {
      const int found = tile.factor_diagonal();
      if (threadIdx.x == 0 && task.j == 0)
        info[b] = found;
      else if (threadIdx.x == 0 && found && info[b] == 0)
        info[b] = task.j * B + found;
      tile.pack_diagonal(packed);
    } else {
      tile.solve(done, &ready, packed);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) publish(done + task.i, task.j + 1);
    if (task.i == task.j) { /* nobody waits for these */
      tile.store_diagonal();
      __syncthreads();
    }
  }
}

/* ------------------------------------------------------------------ on the host */

template <class T, int B> int launch_native(batched_ctx *ctx, bool lower, const batch<T> &a, int *info)
{
  using S = native_shape<T, B>;
  const int tiles = a.m > 0 ? (int)ceil_div(a.m, B) : 1;
  const int64_t room = S::resident * multiprocessors(), together = ceil_div(4 * room, tiles);
  const size_t counters = sizeof(unsigned long long) + (size_t)a.count * tiles * sizeof(int);
  const size_t diagonals = (size_t)a.count * tiles * S::packed * sizeof(T);
  T *memory = static_cast<T *>(batched_scratch_push(ctx, diagonals + counters));
  if (!memory) return BATCHED_NO_MEMORY;
  auto *claimed = reinterpret_cast<unsigned long long *>(reinterpret_cast<char *>(memory) + diagonals);
  const native_order order = {claimed, reinterpret_cast<int *>(claimed + 1), tiles,
                              together < a.count ? together : a.count};
  const int64_t tasks = a.count * ((int64_t)tiles * (tiles + 1) / 2);
  int status = batched_fill_zero(ctx, claimed, counters);
  if (!status)
    status = launch(ctx, factor_native<T, B>, tasks < room ? tasks : room, S::threads, S::shared, lower, a, info, order,
                    memory);
  batched_scratch_pop(ctx);
  return status;
}

template <class T> int factor_natively(batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, int *info)
{
  const bool lower = uplo == BATCHED_LOWER;
  if constexpr (has_tensor_tiles<T> && !is_complex<T>)
    if (a.m > 6144) return launch_native<T, 128>(ctx, lower, a, info);
  return launch_native<T, 64>(ctx, lower, a, info);
}

} // namespace batched_cuda::cholesky

#endif
