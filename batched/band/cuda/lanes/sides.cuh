/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The right-hand sides of a matrix of lanes.cuh, or none: how they pass through shared memory, are eliminated beside
 * the matrix, and are solved with U.
 */
#ifndef BATCHED_BAND_CUDA_LANES_SIDES_CUH
#define BATCHED_BAND_CUDA_LANES_SIDES_CUH

#include "batched/band/cuda/gbtrf.cuh"
#include "batched/band/cuda/lanes/pivot.cuh"
#include "batched/cuda/bulk_copy.cuh"

namespace batched_cuda::band
{

enum { LANES_CHUNK = 8, LANES_CHUNKS = 4 };

/* No right-hand sides. */
template <class T, int KL, int G> struct lanes_no_sides {
  enum { EXIST = false };
  __device__ __forceinline__ void begin()
  {
  }
  __device__ __forceinline__ void eliminate(int, const lanes_choice<T, KL> &)
  {
  }
  __device__ __forceinline__ void load(int) const
  {
  }
  __device__ __forceinline__ void store(int) const
  {
  }
};

/* Those of a matrix: lane l has numbers l + r G, rows k to k + KL while A is factored, and k to k - G + 1 while U is
 * solved with; rows pass through shared memory as columns of A do. */
template <class T, int KL, int G, int R> struct lanes_sides {
  enum { EXIST = true, ROWS = LANES_CHUNK * LANES_CHUNKS, PITCH = ROWS + 1 };
  T *ring, *b, *y; /* y: what elimination makes of b, n numbers for each */
  int64_t ldb;
  int n, nrhs, lane;
  T x[R][KL + 1], v[R][G];

  __device__ __forceinline__ bool has(int r) const
  {
    return lane + r * G < nrhs;
  }
  __device__ __forceinline__ T &at(int r, int row) const
  {
    return ring[(lane + r * G) * PITCH + (row & (ROWS - 1))];
  }
  __device__ __forceinline__ T row(int r, int i) const
  {
    return has(r) ? at(r, i) : make<T>(0);
  }
  /* f(element of the ring, row, right-hand side) for all rows of a chunk. */
  template <class F> __device__ __forceinline__ void each(int number, F f) const
  {
#pragma unroll
    for (int turn = 0; turn < LANES_CHUNK / G; turn++) {
      const int i = number * LANES_CHUNK + turn * G + lane;
      T *element = ring + (i & (ROWS - 1));
#pragma unroll 4
      for (int j = 0; j < nrhs; j++, element += PITCH) f(*element, i, j);
    }
  }
  __device__ __forceinline__ void load_from(const T *from, int64_t ld, int number) const
  {
    each(number, [&](T &element, int i, int j) { copy_or_clear(element, from + i + j * ld, i >= 0 && i < n); });
  }
  __device__ __forceinline__ void store_to(T *to, int64_t ld, int number) const
  {
    each(number, [&](T &element, int i, int j) {
      if (i < n) to[i + j * ld] = element;
    });
  }
  __device__ __forceinline__ void load(int number) const
  {
    load_from(b, ldb, number);
  }
  __device__ __forceinline__ void store(int number) const
  {
    store_to(y, n, number);
  }

  __device__ __forceinline__ void begin()
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
#pragma unroll
      for (int i = 0; i <= KL; i++) x[r][i] = row(r, i);
    }
  }
  __device__ __forceinline__ void eliminate(int k, const lanes_choice<T, KL> &choice)
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      const T coming = row(r, k + KL + 1);
      exchange_rows<T, KL>(x[r], choice.p);
      if (has(r)) at(r, k) = x[r][0];
      eliminate_rows<T, KL>(x[r], choice.l, coming);
    }
  }

  /* The last rows before row `end`. */
  __device__ __forceinline__ void begin_back(int end)
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
#pragma unroll
      for (int c = 0; c < G; c++) v[r][c] = row(r, end - 1 - c);
    }
  }
  /* Unknown k, where u[-c] is U(k - c, k): by the inverse of the diagonal, or where that is not safe by a division. */
  template <bool IS_SAFE> __device__ __forceinline__ void solve(int k, const T *u, T inverse)
  {
    T above[G];
#pragma unroll
    for (int c = 0; c < G; c++) above[c] = u[-c];
    const diagonal<T> by(above[0], inverse);
#pragma unroll
    for (int r = 0; r < R; r++) {
      const T coming = row(r, k - G),
              quotient = IS_SAFE || by.safe ? mad(v[r][0], inverse, make<T>(0)) : by.solve(v[r][0]),
              value = IS_SAFE || k < n ? quotient : make<T>(0);
#pragma unroll
      for (int c = 1; c < G; c++) v[r][c - 1] = mad(-above[c], value, v[r][c]);
      v[r][G - 1] = coming;
      if (has(r)) at(r, k) = value;
    }
  }
};

} // namespace batched_cuda::band

#endif
