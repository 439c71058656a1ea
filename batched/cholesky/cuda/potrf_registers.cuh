/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.registers of potrf in s, c and z: a block per matrix, its triangle in the registers of its threads.
 *
 * Right-looking, column by column.  LANES threads of a warp share a column, and each has parts of COLS columns, as in
 * geqrf_registers.cuh, less those above the diagonal of all of them.  A step has one barrier: the threads of the next
 * column publish it in shared memory as it is; all take its pivot's inverse root for themselves.  Columns are scaled
 * when they are written.
 *
 * grid      a block per matrix (grid-stride over the batch)
 * block     WARPS warps; LANES ROWS rows
 * registers some half of ROWS COLS elements of the matrix, and ROWS of a column
 * shared    two columns, and the pivots
 * takes     s, c, z; n <= 256 (c: 192, z: 128); both triangles, uniform and variable
 * memory    the triangle once from and to global memory; info
 * accuracy  of potf2: pivots and their inverses to an ulp
 */
#ifndef BATCHED_CHOLESKY_CUDA_POTRF_REGISTERS_CUH
#define BATCHED_CHOLESKY_CUDA_POTRF_REGISTERS_CUH

#include "batched/cholesky/cuda/shared.cuh"
#include "batched/cuda/access.cuh"

namespace batched_cuda::cholesky
{

template <int LANES, int ROWS, int COLS, int WARPS, class T> struct held_triangle {
  using R = real_of<T>;
  static constexpr int V = pack<T>::size, parts = ROWS / V, chunk = LANES * V; /* rows per part */
  static constexpr int rows = LANES * ROWS, groups = 32 / LANES * WARPS;
  static_assert(ROWS % V == 0 && groups * COLS == rows, "whole packs, a square");
  static constexpr size_t bytes = rows * (2 * sizeof(T) + sizeof(R));
  /* The first part of column slot c that has anything on or below the diagonal. */
  static DEVICE constexpr int top(int c)
  {
    return c * groups / chunk;
  }

  /* Element V q + v of slot c is row q chunk + V lane + v of column c groups + group. */
  T a[COLS][ROWS];
  T *published;
  R *pivots;
  int lane, group;

  __device__ __forceinline__ held_triangle()
      : published(shared_array<T>()), pivots(reinterpret_cast<R *>(published + 2 * rows)), lane(threadIdx.x % LANES),
        group(threadIdx.x / LANES)
  {
  }
  static __device__ __forceinline__ void sync()
  {
    if constexpr (WARPS == 1)
      __syncwarp();
    else
      __syncthreads();
  }
  __device__ __forceinline__ int row(int q) const
  {
    return q * chunk + V * lane;
  }
  static __device__ __forceinline__ bool are_packed(bool lower, const T *p, int64_t ld, int n)
  {
    return V > 1 && lower && reinterpret_cast<uintptr_t>(p) % 16 == 0 && ld % V == 0 && n % V == 0;
  }

  __device__ __forceinline__ void read(bool lower, const T *p, int64_t ld, int n)
  {
    const bool packed = are_packed(lower, p, ld, n);
#pragma unroll
    for (int c = 0; c < COLS; c++) {
      const int j = c * groups + group;
      const int64_t down = lower ? 1 : ld;
      const T *const x = p + j * (lower ? ld : 1);
#pragma unroll
      for (int q = top(c); q < parts; q++) {
        const int i = row(q);
        if (packed && i >= j && i < n) {
          const pack<T> u = *reinterpret_cast<const pack<T> *>(x + i);
#pragma unroll
          for (int v = 0; v < V; v++) a[c][V * q + v] = u.x[v];
        } else {
#pragma unroll
          for (int v = 0; v < V; v++)
            a[c][V * q + v] = i + v >= j && i + v < n ? conj_if(!lower, x[(i + v) * down]) : make<T>(0);
        }
      }
    }
  }

  /* Columns from `ready` on are written as they are. */
  __device__ __forceinline__ void write(bool lower, T *p, int64_t ld, int n, int ready) const
  {
    const bool packed = are_packed(lower, p, ld, n);
#pragma unroll
    for (int c = 0; c < COLS; c++) {
      const int j = c * groups + group;
      if (j >= n) continue;
      const int64_t down = lower ? 1 : ld;
      T *const x = p + j * (lower ? ld : 1);
      const pivot<R, true> d(j < ready ? pivots[j] : R(1));
#pragma unroll
      for (int q = top(c); q < parts; q++) {
        const int i = row(q);
        pack<T> u;
#pragma unroll
        for (int v = 0; v < V; v++)
          u.x[v] = i + v == j && j < ready ? make<T>(d.root) : conj_if(!lower, d.inverse * a[c][V * q + v]);
        if (packed && i >= j && i < n) {
          *reinterpret_cast<pack<T> *>(x + i) = u;
        } else {
#pragma unroll
          for (int v = 0; v < V; v++)
            if (i + v >= j && i + v < n) x[(i + v) * down] = u.x[v];
        }
      }
    }
  }

  /* Column j, in slot c of this group, from its diagonal's part on, to shared memory. */
  template <int c> __device__ __forceinline__ void publish(int j) const
  {
    T *const to = published + j % 2 * rows;
    const int from = j / chunk;
#pragma unroll
    for (int q = top(c); q < parts; q++) {
      if (q < from) continue;
      pack<T> u;
#pragma unroll
      for (int v = 0; v < V; v++) u.x[v] = a[c][V * q + v];
      *reinterpret_cast<pack<T> *>(to + row(q)) = u;
    }
  }

  /* A -= l l^H with the column j = NOW groups + owner, which is published, and its pivot d; what is above the diagonal
   * becomes anything. */
  template <int NOW> __device__ __forceinline__ void step(int owner, int j, R d)
  {
    const T *const column = published + j % 2 * rows;
    const int from = j / chunk;
    const R inverse = pivot<R, true>(d).inverse;
    T x[ROWS], f[COLS];
#pragma unroll
    for (int q = top(NOW); q < parts; q++) {
      if (q < from) continue;
      const pack<T> u = *reinterpret_cast<const pack<T> *>(column + row(q));
#pragma unroll
      for (int v = 0; v < V; v++) x[V * q + v] = u.x[v];
    }
#pragma unroll
    for (int c = NOW; c < COLS; c++) {
      f[c] = -(inverse * (inverse * conj(column[c * groups + group])));
      if (c == NOW) f[c] = select(group > owner, f[c], make<T>(0));
    }
#pragma unroll
    for (int q = top(NOW); q < parts; q++) {
      if (q < from) continue;
#pragma unroll
      for (int v = 0; v < V; v++)
#pragma unroll
        for (int c = NOW; c < COLS; c++)
          if (q >= top(c)) a[c][V * q + v] = mad(x[V * q + v], f[c], a[c][V * q + v]);
    }
    if (threadIdx.x == 0) pivots[j] = d;
  }

  /* Steps of the columns of slots NOW .. up to the first pivot that is not positive; returns how many. */
  template <int NOW = 0> __device__ __forceinline__ int factor(int n)
  {
    if constexpr (NOW < COLS) {
      if (NOW * groups >= n) return n;
      if (group == 0) publish<NOW>(NOW * groups);
#pragma unroll 1
      for (int owner = 0; owner < groups; owner++) {
        const int j = NOW * groups + owner;
        if (j >= n) return n;
        sync();
        const R d = real(published[j % 2 * rows + j]);
        if (!(d > 0)) return j;
        step<NOW>(owner, j, d);
        if (group == owner + 1) publish<NOW>(j + 1);
      }
      return factor<NOW + 1>(n);
    } else {
      return n;
    }
  }
};

template <int LANES, int ROWS, int COLS, int WARPS, int BLOCKS, class T>
static __global__ void __launch_bounds__(32 * WARPS, BLOCKS)
  factor_registers(bool lower, batch<T> a, int *info, int offset)
{
  held_triangle<LANES, ROWS, COLS, WARPS, T> x;
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int n = a.rows(b);
    int bad = 0;
    if (n > 0) {
      x.read(lower, a.at(b), a.leading(b), n);
      const int ready = x.factor(n);
      bad = ready < n ? ready + 1 : 0;
      x.sync();
      x.write(lower, a.at(b), a.leading(b), n, ready);
      x.sync();
    }
    report(info + b, offset == 0, offset, bad);
  }
}

template <class T>
constexpr int registers_order = sizeof(T) == 4  ? 256
                                : is_complex<T> ? (sizeof(T) == 8 ? 192 : 128)
                                                : 0;

template <class T>
static int factor_by_registers(const batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, int *info, int offset)
{
#define GO(lanes, rows, cols, warps, blocks) \
  if (a.m <= lanes * rows) \
    return launch(ctx, factor_registers<lanes, rows, cols, warps, blocks, T>, a.count, 32 * warps, \
                  held_triangle<lanes, rows, cols, warps, T>::bytes, uplo == BATCHED_LOWER, a, info, offset);
  if constexpr (std::is_same_v<T, float>) {
    GO(4, 8, 4, 1, 24)
    GO(4, 12, 6, 1, 20)
    GO(4, 16, 8, 1, 16)
    GO(8, 12, 6, 4, 5)
    GO(8, 16, 4, 8, 3)
    GO(8, 20, 5, 8, 2)
    GO(8, 24, 6, 8, 2)
    GO(8, 32, 8, 8, 1)
  } else if constexpr (std::is_same_v<T, complex<float>>) {
    GO(4, 8, 4, 1, 20)
    GO(8, 6, 6, 2, 10)
    GO(8, 8, 8, 2, 8)
    GO(8, 12, 3, 8, 3)
    GO(8, 16, 4, 8, 2)
    GO(16, 12, 6, 16, 1)
  } else if constexpr (std::is_same_v<T, complex<double>>) {
    GO(8, 4, 4, 2, 8)
    GO(8, 6, 6, 2, 7)
    GO(8, 8, 4, 4, 3)
    GO(8, 12, 3, 8, 1)
    GO(16, 8, 4, 16, 1)
  }
#undef GO
  return BATCHED_DOES_NOT_FIT;
}

} // namespace batched_cuda::cholesky

#endif
