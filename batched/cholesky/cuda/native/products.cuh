/* SPDX-License-Identifier: BSD-3-Clause
 *
 * C = A(i, j) - sum over k < j of L(i, k) L(j, k)^H for a tile of potrf_native.cuh: slices of L stream through a ring
 * in shared memory, each as soon as the tile that it is a part of is done; C is in registers, in the end in shared
 * memory.
 */
#ifndef BATCHED_CHOLESKY_CUDA_NATIVE_PRODUCTS_CUH
#define BATCHED_CHOLESKY_CUDA_NATIVE_PRODUCTS_CUH

#include "batched/cuda/predicated.cuh"
#include "batched/cuda/progress.cuh"
#include "batched/cholesky/cuda/native/view.cuh"

namespace batched_cuda::cholesky
{

template <class T, int B> struct native_products : native_view<T, B> {
  using base = native_view<T, B>;
  using S = native_shape<T, B>;
  using W = typename S::sum;
  using base::base;
  using base::fetch_diagonal, base::i, base::j, base::l, base::lower, base::memory, base::n, base::packed, base::tile;

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
  /* The same to whole columns: two rows of every fourth column, in shifted columns all but the first and the last row;
   * or, where rows are contiguous, a warp has 8 rows of 4 columns at a time. */
  __device__ __forceinline__ void fetch_columns(T *to, int first, int left, int column) const
  {
    if (lower()) {
      const int k = threadIdx.x / (B / 2), down = base::shift(k), r = threadIdx.x % (B / 2) * 2 + down;
      const int bytes = min(max(left - r, 0), 2) * sizeof(T), row = bytes ? r : down;
      const T *from = &l(first + row, column + k);
#pragma unroll
      for (int c = 0; c < S::depth; c += 4) {
        T *const place = to + (c + k) * S::height + down;
        if (r < B - 1) {
          copy_async_16(shared_address(place + r), from, bytes);
        } else {
          copy_async(shared_address(place + r), from, r < left);
          copy_async(shared_address(place), from - row, true);
        }
        from += 4 * l.col;
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
  template <int R, int C> __device__ __forceinline__ void load(tile_part<W> (&c)[R][C], int r0, int c0) const
  {
    const int lane = threadIdx.x % warp_size;
#pragma unroll
    for (int q = 0; q < R; q++)
#pragma unroll
      for (int p = 0; p < C; p++) {
        const int row = i * B + (r0 + q) * tile_edge + lane / 4, col = j * B + (c0 + p) * tile_edge + lane % 4 * 2;
        const auto element = [&](W &x, int k) {
          x = make<W>(row == k && row >= n ? 1 : 0);
          if constexpr (S::by_columns)
            load_if(row < n && k <= row, &l(row, k), x);
          else if (row < n && k <= row)
            x = convert<W>(l(row, k));
        };
        element(c[q][p].x, col);
        element(c[q][p].y, col + 1);
      }
  }

  /* C -= the products of a slice; triangle: above the diagonal they are left out. */
  template <bool triangle = false, int R, int C>
  __device__ __forceinline__ void subtract_slice(tile_part<W> (&c)[R][C], const T *a, const T *b, int r0, int c0) const
  {
#pragma unroll
    for (int k = 0; k < S::depth / tile_edge; k++) {
      if constexpr (S::by_columns) {
        const int lane = threadIdx.x % warp_size;
        const int at = (k * tile_edge + lane % 4) * S::height + lane / 4 + base::shift(lane % 4);
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
            multiply(c[q][p], c[q + 1][p], tile_operand<T>{a + (k * S::edge + r0 + q) * tile_size},
                     tile_operand<T>{a + (k * S::edge + r0 + q + 1) * tile_size},
                     tile_operand<T>{b + (k * S::edge + c0 + p) * tile_size});
      }
    }
  }

  /* C = A(i, j) - L(i, :) L(j, :)^H to shared memory.  done: of the matrix; ready: shared.  Also fetches L(j, j) if
   * it is there already, and says so. */
  __device__ __forceinline__ bool subtract_products(const int *done, int *ready_to, const W *diagonal) const
  {
    const int warp = threadIdx.x / warp_size;
    const int r0 = warp % S::warps_m * S::rows, c0 = warp / S::warps_m * S::columns;
    const bool adds = !S::by_columns; /* products are added to -C */
    const bool works = i * B + r0 * tile_edge < n && (i != j || c0 < r0 + S::rows);
    tile_part<W> c[S::rows][S::columns];
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
      for (int p = 0; p < S::columns; p++) {
        const tile_part<W> x = adds ? negative(c[q][p]) : c[q][p];
        if (i != j)
          put(tile(r0 + q, c0 + p), x);
        else if (c0 + p <= r0 + q)
          put(packed(r0 + q, c0 + p), x);
      }
    __syncthreads();
    return fetched;
  }
};

} // namespace batched_cuda::cholesky

#endif
