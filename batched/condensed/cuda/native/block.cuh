/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a block of native.cuh has of the panel that all blocks work on: how rows and columns are dealt out, the numbers
 * that blocks post to each other (posted.cuh), and a block's own rows of F, X, Y and V (panel.cuh).
 */
#ifndef BATCHED_CONDENSED_CUDA_NATIVE_BLOCK_CUH
#define BATCHED_CONDENSED_CUDA_NATIVE_BLOCK_CUH

#include "batched/condensed/cuda/grid_sums.cuh"
#include "batched/condensed/cuda/panel.cuh"

namespace batched_cuda::condensed
{

/* Rows or columns 0 .. n - 1, dealt out to the blocks by fours: a block has `count` places for its own ones. */
struct dealt {
  static constexpr int each = 4;
  int n, count;

  /* Places of a block, of which some at the end may be beyond n. */
  static DEVICE int places(int n, int blocks)
  {
    return each * ((n + each * blocks - 1) / (each * blocks));
  }
  __device__ explicit dealt(int size) : n(size), count(places(size, (int)gridDim.x))
  {
  }
  __device__ __forceinline__ int index(int place) const
  {
    return (place / each * (int)gridDim.x + (int)blockIdx.x) * each + place % each;
  }
  __device__ __forceinline__ bool has(int index) const
  {
    return index / each % (int)gridDim.x == (int)blockIdx.x;
  }
  /* f(place, index) for the block's own ones from number `first` on, at every `step`th place. */
  template <class F> __device__ __forceinline__ void for_each(int from, int step, int first, F f) const
  {
    for (int k = from; k < count; k += step)
      if (const int i = index(k); i >= first && i < n) f(k, i);
  }
  template <class F> __device__ __forceinline__ void each_thread(int first, F f) const
  {
    for_each(threadIdx.x, native_threads, first, f);
  }
  template <class F> __device__ __forceinline__ void each_warp(int first, F f) const
  {
    for_each(threadIdx.x / 32, native_warps, first, f);
  }
};

/* Rows of a column that a thread has in registers; 0: a column is read twice. */
template <class T> static DEVICE int native_rows(int m)
{
  if (m <= 4 * native_threads) return 4;
  if (m <= 8 * native_threads) return 8;
  return m <= 16 * native_threads && sizeof(T) <= 8 ? 16 : 0;
}

/* True where the reflector is in shared memory: registers don't hold so many rows of it, a column and a sum. */
template <class T> static DEVICE constexpr bool native_stores(int rows)
{
  return rows * sizeof(T) > 64;
}

/* Memory of a panel that all blocks share. */
template <class T> struct native_memory {
  posted<T> *numbers; /* of the sums */
  posted<T> *column;  /* m: the column of the step, before it is a reflector */
  posted<T> *parts;   /* of A v: m for each block */
  T *own;             /* own_elements() of each block; nullptr: in shared memory */

  /* All that is posted. */
  static int64_t posted_numbers(int m, int blocks)
  {
    return grid_sums<T>::posted_numbers(blocks) + (1 + (int64_t)blocks) * m;
  }
  native_memory(posted<T> *memory, T *own_memory, int m, int blocks)
      : numbers(memory), column(memory + grid_sums<T>::posted_numbers(blocks)), parts(column + m), own(own_memory)
  {
  }

  /* F, X and a column, by rows; Y, V and three vectors, by columns; the reflector. */
  static DEVICE int64_t own_elements(int m, int n, int blocks, int width)
  {
    const int held = native_rows<T>(m);
    return (int64_t)dealt::places(m, blocks) * (2 * (width + 1) + 1) +
           (int64_t)dealt::places(n, blocks) * (2 * (width + 1) + 3) +
           (native_stores<T>(held) ? held * native_threads : 0);
  }
};

template <class T> struct native_shared {
  grid_sums_shared<T> sums;
  T sweep[2][native_warps * 4];
};

/* A block's view of the panel that all blocks work on. */
template <class T> struct native_block {
  dense_matrix<T> a, f, x, y, v;
  int m, n, shift;
  dealt rows, cols;
  int pitch;
  T *own_f, *own_x, *own_y, *own_v; /* by places, with one row after the other */
  T *own_column;                    /* by places of rows */
  T *sum;                           /* by places of columns: what the missing updates take from A^H u */
  T *row;                           /* the row of gebrd without what the column takes from it; else v */
  T *z;                             /* A^H u, or the row with that */
  T *u;                             /* the reflector, by rows, if native_stores() */
  posted<T> *column, *parts;
  unsigned column_tag, parts_tag; /* of the step */
  T (*sweep_shared)[native_warps * 4];
  grid_sums<T> sums;

  __device__ native_block(const dense_matrix<T> (&lists)[5], int own_rows, int own_cols, int row_shift, int width,
                          const native_memory<T> &memory, T *own, native_shared<T> &shared, unsigned tag)
      : a(lists[0]), f(lists[1]), x(lists[2]), y(lists[3]), v(lists[4]), m(own_rows), n(own_cols), shift(row_shift),
        rows(m), cols(n), pitch(width + 1), column(memory.column), parts(memory.parts), sweep_shared(shared.sweep),
        sums(memory.numbers, shared.sums, tag)
  {
    own_f = own;
    own_x = own_f + rows.count * pitch;
    own_y = own_x + rows.count * pitch;
    own_v = own_y + cols.count * pitch;
    own_column = own_v + cols.count * pitch;
    sum = own_column + rows.count;
    row = sum + cols.count;
    z = row + cols.count;
    u = z + cols.count;
  }
  /* Elements of the column from row `first` on, in rows threadIdx + 512 k for k = from, ... */
  template <int N> __device__ __forceinline__ void await_column(T (&x)[N], int first, int from) const
  {
    await(x, column_tag, [&](int k) {
      const int r = (int)threadIdx.x + native_threads * (from + k);
      return r >= first && r < m ? column + r : nullptr;
    });
  }
  /* The one in row r. */
  __device__ __forceinline__ T await_element(int r) const
  {
    T x[1];
    await(x, column_tag, [&](int) { return column + r; });
    return x[0];
  }
  /* One that has come. */
  __device__ __forceinline__ T element_of_column(int r) const
  {
    return posted<T>::read(column + r).value();
  }
  __device__ __forceinline__ void post_part(int r, T x) const
  {
    post(parts + (int64_t)blockIdx.x * m + r, x, parts_tag);
  }
  /* A lane's share of row r of A v. */
  __device__ __forceinline__ T share_of_parts(int r) const
  {
    constexpr int N = 5;
    T s = make<T>(0);
    for (int b = threadIdx.x % 32; b < (int)gridDim.x; b += 32 * N) {
      T x[N];
      await(x, parts_tag,
            [&](int k) { return b + 32 * k < (int)gridDim.x ? parts + (b + 32 * k) * (int64_t)m + r : nullptr; });
#pragma unroll
      for (int k = 0; k < N; k++) s += x[k];
    }
    return s;
  }
};

/* Element l of the place's row of a list, 0 from `count` on. */
template <class T> __device__ __forceinline__ T listed(const T *list, int place, int pitch, int l, int count)
{
  return l < count ? list[place * pitch + l] : make<T>(0);
}

} // namespace batched_cuda::condensed

#endif
