/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tile (i, j) of the matrix, as a block of potrf_native.cuh makes it: subtract_products(), then factor_diagonal()
 * where i = j, else solve().
 */
#ifndef BATCHED_CHOLESKY_CUDA_NATIVE_TILE_CUH
#define BATCHED_CHOLESKY_CUDA_NATIVE_TILE_CUH

#include "batched/cuda/access.cuh"
#include "batched/cuda/progress.cuh"
#include "batched/cholesky/cuda/native/operands.cuh"

namespace batched_cuda::cholesky
{

/* 16 bytes to shared memory in the background, the first `bytes` of them from global memory and zeros behind. */
__device__ __forceinline__ void copy_async_16(unsigned to, const void *from, int bytes)
{
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

template <class T, int B> struct native_tile {
  using S = native_shape<T, B>;
  strided<T> l; /* the matrix whose lower triangle is factored: A, or A^T where the upper one is stored */
  bool wide;    /* pairs of elements in a column lie at 16 bytes */
  int n, i, j;  /* the order; the tile */
  T *memory;    /* shared */

  __device__ __forceinline__ T *tile(int r, int c) const
  {
    return memory + (r * S::edge + c) * tile_size;
  }
  /* Tile (r, c) of L(j, j), and the inverses of its diagonal tiles. */
  __device__ __forceinline__ T *packed() const
  {
    return memory + (S::ring > S::tile ? S::ring : S::tile);
  }
  __device__ __forceinline__ T *packed(int r, int c) const
  {
    return packed() + (r * (r + 1) / 2 + c) * tile_size;
  }
  __device__ __forceinline__ T *inverse(int c) const
  {
    return packed() + S::triangle + c * tile_size;
  }
  __device__ __forceinline__ bool lower() const
  {
    return l.row == 1;
  }

  /* Fetches slice s of L(i, :) and, below the diagonal, of L(j, :) to a stage of the ring. */
  __device__ __forceinline__ void fetch(int s, int stage) const
  {
    T *const to = memory + stage * S::slice;
#pragma unroll
    for (int half = 0; half < 2; half++)
      if (half == 0 || i != j) {
        const int first = (half ? j : i) * B;
        if constexpr (S::by_columns)
          fetch_columns(to + half * S::part, first, n - first, s * S::depth);
        else
          fetch_tiles(to + half * S::part, first, n - first, s * S::depth);
      }
  }
  /* A thread has one row and every other column of a slice, or, where rows are contiguous, one column and some rows. */
  __device__ __forceinline__ void fetch_tiles(T *to, int first, int left, int column) const
  {
    if (lower()) {
      const int r = threadIdx.x % B, k = threadIdx.x / B;
      const T *from = &l(first + (r < left ? r : 0), column + k);
      T *const place = to + r / tile_edge * tile_size;
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
      T *const place = to + k / tile_edge * S::edge * tile_size;
#pragma unroll
      for (int c = 0; c < B; c += step) {
        const int r = c + r0;
        copy_async(shared_address(place + r / tile_edge * tile_size + tile_at<T>(r % tile_edge, k % tile_edge)),
                   &l(first + (r < left ? r : 0), column + k), r < left);
      }
    }
  }
  /* The same to whole columns: two rows of every fourth column where these are aligned, or one of every other one; or,
   * where rows are contiguous, a warp has 8 rows of 4 columns at a time. */
  __device__ __forceinline__ void fetch_columns(T *to, int first, int left, int column) const
  {
    if (wide) {
      const int r = threadIdx.x % (B / 2) * 2, k = threadIdx.x / (B / 2), bytes = min(max(left - r, 0), 2) * sizeof(T);
      const T *from = &l(first + (bytes ? r : 0), column + k);
#pragma unroll
      for (int c = 0; c < S::depth; c += 4) {
        copy_async_16(shared_address(to + (c + k) * S::height + r), from, bytes);
        from += 4 * l.col;
      }
    } else if (lower()) {
      const int r = threadIdx.x % B, k = threadIdx.x / B;
      const T *from = &l(first + (r < left ? r : 0), column + k);
#pragma unroll
      for (int c = 0; c < S::depth; c += 2) {
        copy_async(shared_address(to + (c + k) * S::height + r), from, r < left);
        from += 2 * l.col;
      }
    } else {
      const int r0 = threadIdx.x / warp_size * tile_edge + threadIdx.x % warp_size / 4, k = threadIdx.x % 4;
#pragma unroll
      for (int c = 0; c < B; c += S::warps * tile_edge) {
        const int r = c + r0;
        const T *const from = &l(first + (r < left ? r : 0), column + k);
#pragma unroll
        for (int q = 0; q < S::depth; q += 4)
          copy_async(shared_address(to + (q + k) * S::height + r), from + q, r < left);
      }
    }
  }

  /* A lane's part of C = A(i, j), rows and columns past the end those of the identity. */
  template <int R, int C> __device__ __forceinline__ void load(tile_part<T> (&c)[R][C], int r0, int c0) const
  {
    const int lane = threadIdx.x % warp_size;
#pragma unroll
    for (int q = 0; q < R; q++)
#pragma unroll
      for (int p = 0; p < C; p++) {
        const int row = i * B + (r0 + q) * tile_edge + lane / 4, col = j * B + (c0 + p) * tile_edge + lane % 4 * 2;
        const auto element = [&](T &x, int k) {
          x = make<T>(row == k && row >= n ? 1 : 0);
          if constexpr (S::by_columns)
            load_if(row < n && k <= row, &l(row, k), x);
          else if (row < n && k <= row)
            x = l(row, k);
        };
        element(c[q][p].x, col);
        element(c[q][p].y, col + 1);
      }
  }

  /* C -= the products of a slice; triangle: above the diagonal they are left out. */
  template <bool triangle = false, int R, int C>
  __device__ __forceinline__ void subtract_slice(tile_part<T> (&c)[R][C], const T *a, const T *b, int r0, int c0) const
  {
#pragma unroll
    for (int k = 0; k < S::depth / tile_edge; k++) {
      if constexpr (S::by_columns) {
        const int lane = threadIdx.x % warp_size, at = (k * tile_edge + lane % 4) * S::height + lane / 4;
        const T *const x = a + at + r0 * tile_edge, *const y = b + at + c0 * tile_edge;
        T right[C][2];
#pragma unroll
        for (int p = 0; p < C; p++) {
          right[p][0] = -y[p * tile_edge];
          right[p][1] = -y[p * tile_edge + 4 * S::height];
        }
#pragma unroll
        for (int q = 0; q < R; q += 2) {
          const T left[4] = {x[q * tile_edge], x[(q + 1) * tile_edge], x[q * tile_edge + 4 * S::height],
                             x[(q + 1) * tile_edge + 4 * S::height]};
#pragma unroll
          for (int p = 0; p < C; p++) {
            if (triangle && c0 + p > r0 + q + 1) continue;
            T d[4] = {c[q][p].x, c[q][p].y, c[q + 1][p].x, c[q + 1][p].y};
            multiply_16x8x8(d, left, right[p]);
            c[q][p].x = d[0], c[q][p].y = d[1], c[q + 1][p].x = d[2], c[q + 1][p].y = d[3];
          }
        }
      } else {
#pragma unroll
        for (int q = 0; q < R; q += 2)
#pragma unroll
          for (int p = 0; p < C; p++)
            multiply(c[q][p], c[q + 1][p], shared_tile<T>{a + (k * S::edge + r0 + q) * tile_size},
                     shared_tile<T>{a + (k * S::edge + r0 + q + 1) * tile_size},
                     shared_tile<T>{b + (k * S::edge + c0 + p) * tile_size});
      }
    }
  }

  /* C = A(i, j) - L(i, :) L(j, :)^H to shared memory.  done: of the matrix; ready: shared.  Also fetches L(j, j) if
   * it is there already, and says so. */
  __device__ __forceinline__ bool subtract_products(const int *done, int *ready_to, const T *diagonal) const
  {
    const int warp = threadIdx.x / warp_size;
    const int r0 = warp % S::warps_m * S::rows, c0 = warp / S::warps_m * S::columns;
    const bool adds = !S::by_columns; /* products are added to -C */
    const bool works = i * B + r0 * tile_edge < n && (i != j || c0 < r0 + S::rows);
    tile_part<T> c[S::rows][S::columns];
    load(c, r0, c0);
    if (adds)
#pragma unroll
      for (int q = 0; q < S::rows; q++)
#pragma unroll
        for (int p = 0; p < S::columns; p++) c[q][p] = negative(c[q][p]);
    if (threadIdx.x == 0) {
      const int own = j > 0 ? wait_beyond(done + i, 0) : 0;
      const int other = i == j ? own : j > 0 ? wait_beyond(done + j, 0) : published(done + j);
      ready_to[0] = min(own, other);
      ready_to[1] = i != j && other > j;
    }
    __syncthreads();
    int ready = ready_to[0];
    const bool fetched = ready_to[1];
    if (fetched) fetch_diagonal(diagonal);
    const int slices = j * (B / S::depth);
    const auto request = [&](int s) {
      if (s < slices) {
        const int k = s / (B / S::depth);
        if (k >= ready) {
          if (threadIdx.x == 0) *ready_to = min(wait_beyond(done + i, k), wait_beyond(done + j, k));
          __syncthreads();
          ready = *ready_to;
        }
        fetch(s, s % S::stages);
      }
      copy_commit();
    };
    for (int s = 0; s < S::stages - 1; s++) request(s);
#pragma unroll 1
    for (int s = 0; s < slices; s++) {
      copy_wait<S::stages - 2>();
      __syncthreads();
      request(s + S::stages - 1);
      const T *const a = memory + s % S::stages * S::slice;
      if (works) subtract_slice(c, a, i == j ? a : a + S::part, r0, c0);
    }
    copy_wait<0>();
    __syncthreads();
#pragma unroll
    for (int q = 0; q < S::rows; q++)
#pragma unroll
      for (int p = 0; p < S::columns; p++)
        if (i != j || c0 + p <= r0 + q)
          put(i == j ? packed(r0 + q, c0 + p) : tile(r0 + q, c0 + p), adds ? negative(c[q][p]) : c[q][p]);
    __syncthreads();
    return fetched;
  }

  /* Tile rows r and r + 1 of column c: -= those of column k times row c of it. */
  __device__ __forceinline__ void update_pair(int r, int c, int k) const
  {
    const bool two = r + 1 < S::edge;
    tile_part<T> x = negative(get(packed(r, c))), y = two ? negative(get(packed(r + 1, c))) : x;
    multiply(x, y, tile_operand<T>{packed(r, k)}, tile_operand<T>{packed(two ? r + 1 : r, k)},
             tile_operand<T>{packed(c, k)});
    put(packed(r, c), negative(x));
    if (two) put(packed(r + 1, c), negative(y));
  }

  /* x, y = (x, y) L^-H for a triangle L and its inverse, with a step of refinement. */
  static __device__ __forceinline__ void solve_pair(tile_part<T> &x, tile_part<T> &y, const T *triangle,
                                                    const T *inverse_at)
  {
    const tile_operand<T> lower = {triangle}, inverse = {inverse_at};
    tile_part<T> u, v;
    multiply(u, v, own_tile<T>{x}, own_tile<T>{y}, inverse);
    multiply(x, y, own_tile<T>{negative(u)}, own_tile<T>{negative(v)}, lower);
    multiply(u, v, own_tile<T>{x}, own_tile<T>{y}, inverse);
    x = u, y = v;
  }

  /* L(j, j) in shared memory; the first bad pivot in warp 0. */
  __device__ __forceinline__ int factor_diagonal() const
  {
    if constexpr (S::by_columns)
      return factor_by_blocks();
    else
      return factor_by_tiles();
  }
  /* By 8 columns at a time. */
  __device__ __forceinline__ int factor_by_tiles() const
  {
    const int warp = threadIdx.x / warp_size;
    int found = warp == 0 ? factor_triangle(packed(0, 0), inverse(0)) : 0;
#pragma unroll 1
    for (int k = 0; k + 1 < S::edge; k++) {
      __syncthreads();
      for (int r = k + 1 + 2 * warp; r < S::edge; r += 2 * S::warps) {
        const bool two = r + 1 < S::edge;
        tile_part<T> x = get(packed(r, k)), y = two ? get(packed(r + 1, k)) : x;
        solve_pair(x, y, packed(k, k), inverse(k));
        put(packed(r, k), x);
        if (two) put(packed(r + 1, k), y);
      }
      __syncthreads();
      if (warp == 0) {
        update_pair(k + 1, k + 1, k);
        __syncwarp();
        const int here = factor_triangle(packed(k + 1, k + 1), inverse(k + 1));
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

  /* By 32 columns at a time, whose diagonal block one warp factors in registers. */
  __device__ __forceinline__ int factor_by_blocks() const
  {
    const int warp = threadIdx.x / warp_size;
    int found = warp == 0 ? factor_block_of(0) : 0;
#pragma unroll 1
    for (int k = 0; k + block_edge < S::edge; k += block_edge) {
      const int next = k + block_edge;
      __syncthreads();
#pragma unroll 1
      for (int r = next + 2 * warp; r < S::edge; r += 2 * S::warps) {
        tile_part<T> x[2][block_edge];
#pragma unroll
        for (int q = 0; q < 2; q++)
#pragma unroll
          for (int c = 0; c < block_edge; c++) x[q][c] = get(packed(r + q, k + c));
        solve_rows<block_edge>(
          x, [&](int a, int b) { return packed(k + a, k + b); }, inverse(k));
#pragma unroll
        for (int q = 0; q < 2; q++)
#pragma unroll
          for (int c = 0; c < block_edge; c++) put(packed(r + q, k + c), x[q][c]);
      }
      __syncthreads();
      if (warp == 0) {
        const int here = factor_block_of(next);
        if (here && !found) found = next * tile_edge + here;
      } else {
        int turn = 0;
        for (int c = next; c < S::edge; c++)
          for (int r = max(c, next + block_edge); r < S::edge; r += 2)
            if (turn++ % (S::warps - 1) == warp - 1)
              for (int kk = k; kk < next; kk++) update_pair(r, c, kk);
      }
    }
    __syncthreads();
    return found;
  }
  /* Brings the block of 4 x 4 tiles at (k, k) up to date and factors it, by one warp. */
  __device__ __forceinline__ int factor_block_of(int k) const
  {
    tile_triangle<block_edge> d;
    const lane_place own;
#pragma unroll
    for (int q = 0; q < block_edge; q++)
#pragma unroll
      for (int c = 0; c <= q; c++) own.read(packed(k + q, k + c), d.x[tile_triangle<block_edge>::at(q, c)]);
#pragma unroll 1
    for (int m = max(k - block_edge, 0); m < k; m++)
#pragma unroll
      for (int h = 0; h < block_edge; h += 2) {
        left_tiles left;
        double upper[2], lower[2];
        own.read(packed(k + h, m), upper);
        own.read(packed(k + h + 1, m), lower);
        left.x[0] = upper[0], left.x[1] = lower[0], left.x[2] = upper[1], left.x[3] = lower[1];
#pragma unroll
        for (int c = 0; c <= h + 1; c++) {
          double right[2], rest[2] = {0, 0};
          own.read_negative(packed(k + c, m), right);
          double(&above)[2] = c <= h ? d.x[tile_triangle<block_edge>::at(h, c <= h ? c : h)] : rest;
          double(&below)[2] = d.x[tile_triangle<block_edge>::at(h + 1, c)];
          double both[4] = {above[0], above[1], below[0], below[1]};
          multiply_16x8x8(both, left.x, right);
          above[0] = both[0], above[1] = both[1], below[0] = both[2], below[1] = both[3];
        }
      }
    return factor_block(d, inverse(k), [&](int q, int c) { return packed(k + q, k + c); });
  }

  __device__ __forceinline__ void store_diagonal() const
  {
    for (int e = threadIdx.x; e < B * B; e += S::threads) {
      const int r = lower() ? e % B : e / B, c = lower() ? e / B : e % B, row = j * B + r;
      if (c <= r && row < n)
        l(row, j * B + c) = packed(r / tile_edge, c / tile_edge)[staged_at<T>(r % tile_edge, c % tile_edge)];
    }
  }

  /* L(j, j) and its inverted triangles from shared memory to `diagonal`, and back. */
  __device__ __forceinline__ void pack_diagonal(T *diagonal) const
  {
    constexpr int size = pack<T>::size;
#pragma unroll 4
    for (int e = threadIdx.x; e < S::packed / size; e += S::threads)
      reinterpret_cast<pack<T> *>(diagonal)[e] = reinterpret_cast<const pack<T> *>(packed())[e];
  }
  __device__ __forceinline__ void fetch_diagonal(const T *diagonal) const
  {
    constexpr int size = pack<T>::size;
#pragma unroll 4
    for (int e = threadIdx.x; e < S::packed / size; e += S::threads)
      copy_async_16(shared_address(packed() + e * size), diagonal + e * size, 16);
  }

  /* x = x L^-H for two rows of N tiles; triangle(r, c): tile (r, c) of L; inverse: those of its diagonal. */
  template <int N, class F>
  static __device__ __forceinline__ void solve_rows(tile_part<T> (&x)[2][N], const F &triangle, const T *inverse)
  {
#pragma unroll
    for (int k = 0; k < N; k++) {
      solve_pair(x[0][k], x[1][k], triangle(k, k), inverse + k * tile_size);
      const own_tile<T> u = {negative(x[0][k])}, v = {negative(x[1][k])};
#pragma unroll
      for (int c = k + 1; c < N; c++) multiply(x[0][c], x[1][c], u, v, tile_operand<T>{triangle(c, k)});
    }
  }

  /* Solves for a tile below the diagonal, two rows of tiles per warp, and stores it; fetched: L(j, j) is here. */
  __device__ __forceinline__ void solve(bool fetched, const int *done, const T *diagonal) const
  {
    const int r = threadIdx.x / warp_size * 2;
    if (!fetched) {
      if (threadIdx.x == 0) wait_beyond(done + j, j);
      __syncthreads();
      fetch_diagonal(diagonal);
      copy_commit();
    }
    tile_part<T> x[2][S::edge];
#pragma unroll
    for (int q = 0; q < 2; q++)
#pragma unroll
      for (int c = 0; c < S::edge; c++) x[q][c] = get(tile(r + q, c));
    if (!fetched) {
      copy_wait<0>();
      __syncthreads();
    }
    if (i * B + r * tile_edge >= n) return;
    solve_below(x);
    store_rows(x, r);
  }
  /* x = x L(j, j)^-H, L(j, j) in shared memory. */
  __device__ __forceinline__ void solve_below(tile_part<T> (&x)[2][S::edge]) const
  {
    solve_rows<S::edge>(
      x, [&](int a, int b) { return packed(a, b); }, inverse(0));
  }
  /* Two rows of tiles from r on. */
  __device__ __forceinline__ void store_rows(const tile_part<T> (&x)[2][S::edge], int r) const
  {
    const int lane = threadIdx.x % warp_size;
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

} // namespace batched_cuda::cholesky

#endif
