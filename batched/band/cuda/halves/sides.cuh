/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The right-hand sides of a matrix of halves.cuh, or none: how they are fetched, eliminated beside the matrix, and
 * solved with U.
 */
#ifndef BATCHED_BAND_CUDA_HALVES_SIDES_CUH
#define BATCHED_BAND_CUDA_HALVES_SIDES_CUH

#include "batched/band/cuda/gbtrf_warp.cuh"

namespace batched_cuda::band
{

/* Steps between which columns are copied, and how many steps early. */
enum { HALVES_CHUNK = 4, HALVES_AHEAD = 2 * HALVES_CHUNK };

/* No right-hand sides. */
template <class T> struct halves_no_sides {
  static constexpr int numbers = 0;

  __device__ __forceinline__ void load_first(int)
  {
  }
  __device__ __forceinline__ void fetch(int, int) const
  {
  }
  __device__ __forceinline__ void publish(int)
  {
  }
  __device__ __forceinline__ void eliminate(int, int, bool, T)
  {
  }
  __device__ __forceinline__ void store(int) const
  {
  }
};

/* A matrix's right-hand sides: while A is factored, numbers half, half + 2, ... of a lane's row; afterwards all of row
 * i, i % 32 = lane. */
template <class T, int R> struct halves_sides {
  enum { MOST = 2 * R, COMING = 16, LINES = 2 * HALVES_CHUNK, BLOCK = 8, RING = 4 * BLOCK, PITCH = 19 };
  static constexpr int numbers = (COMING + LINES) * MOST, back_numbers = RING * (PITCH + MOST);
  T *coming, *lines; /* rows of B to come, and eliminated ones */
  T *b, *y;          /* y: what elimination makes of b, n numbers for each */
  int64_t ldb;
  int n, nrhs, lane, half;
  T x[R];

  __device__ __forceinline__ halves_sides(T *shared, T *b, int64_t ldb, T *y, int n, int nrhs)
      : coming(shared), lines(shared + COMING * MOST), b(b), y(y), ldb(ldb), n(n), nrhs(nrhs), lane(threadIdx.x),
        half(threadIdx.x / 16)
  {
  }
  __device__ __forceinline__ void load_first(int row)
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int j = half + 2 * r;
      x[r] = row < n && j < nrhs ? b[row + j * ldb] : make<T>(0);
    }
  }
  /* f(row, right-hand side) for `rows` of them (a power of two) from `first` on. */
  template <class F> __device__ __forceinline__ void each(int first, unsigned rows, F f) const
  {
    for (unsigned e = lane; e < (unsigned)(rows * nrhs); e += 32) f(first + (int)(e % rows), (int)(e / rows));
  }
  /* Starts to copy rows from `first` on; those before `least` are not needed. */
  __device__ __forceinline__ void fetch(int first, int least) const
  {
    each(first, HALVES_CHUNK, [&](int i, int j) {
      if (i >= least && i < n) start_copy(coming + (i & (COMING - 1)) * MOST + j, b + i + j * ldb);
    });
  }
  __device__ __forceinline__ void publish(int k)
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      lines[(k & (LINES - 1)) * MOST + half + 2 * r] = x[r];
      x[r] = make<T>(0);
    }
  }
  /* next: the row that a chosen lane, whose l is -1, goes on with. */
  __device__ __forceinline__ void eliminate(int k, int next, bool chosen, T l)
  {
    const T *from = (chosen ? coming + (next & (COMING - 1)) * MOST : lines + (k & (LINES - 1)) * MOST) + half;
#pragma unroll
    for (int r = 0; r < R; r++) x[r] = mad(-l, from[2 * r], x[r]);
  }
  /* Rows of the chunk that begins with row k. */
  __device__ __forceinline__ void store(int k) const
  {
    each(k, HALVES_CHUNK, [&](int i, int j) {
      if (i < n) y[i + (int64_t)j * n] = lines[(i & (LINES - 1)) * MOST + j];
    });
  }

  /* Starts to copy columns last to last - 7 of U, and the rows of y that enter behind them. */
  __device__ __forceinline__ void fetch_back(const band_matrix<T> &a, T *columns, T *rows, int last) const
  {
    const T *from = &a(last - lane, last);
#pragma unroll
    for (int s = 0; s < BLOCK; s++) {
      const int k = last - s;
      if (lane <= a.kv && lane <= k && k < n) start_copy(columns + (k & (RING - 1)) * PITCH + lane, from);
      from -= a.col + 1;
    }
    each(last - RING - BLOCK + 1, BLOCK, [&](int i, int j) {
      if (i >= 0) start_copy(rows + (i & (RING - 1)) * MOST + j, y + i + (int64_t)j * n);
    });
    copy_commit();
  }
  /* Columns last to last - 7 of U, where `u` is the lane's element of the first, `behind` columns before its row's. */
  template <bool IS_SAFE, int N>
  __device__ __forceinline__ void subtract(const T *u, int behind, int kv, int last, const diagonal<T> &by,
                                           T (&v)[N]) const
  {
#pragma unroll(IS_SAFE ? BLOCK : 1)
    for (int s = 0; s < BLOCK; s++) {
      const bool above = behind > s && behind <= s + kv && last - s < n;
      const T element = above ? u[-s * (PITCH + 1)] : make<T>(0);
#pragma unroll
      for (int j = 0; j < N; j++) {
        const T value = shuffle(IS_SAFE ? v[j] * by.inverse : by.solve(v[j]), (last - s) & 31);
        if (above) v[j] = mad(-element, value, v[j]);
      }
    }
#pragma unroll
    for (int j = 0; j < N; j++) v[j] = behind >= BLOCK ? v[j] : IS_SAFE ? v[j] * by.inverse : by.solve(v[j]);
  }
  /* U X = Y for N right-hand sides, at least nrhs. */
  template <int N> __device__ __forceinline__ void solve_upper_for(const band_matrix<T> &a, T *shared) const
  {
    T *columns = shared, *rows = shared + RING * PITCH, v[N];
    int last = (n - 1) | (BLOCK - 1), row = last - ((last - lane) & 31);
#pragma unroll
    for (int j = 0; j < N; j++) v[j] = row >= 0 && row < n && j < nrhs ? y[row + (int64_t)j * n] : make<T>(0);
    for (int ahead = 0; ahead < 3; ahead++) fetch_back(a, columns, rows, last - ahead * BLOCK);
    for (; last >= 0; last -= BLOCK) {
      copy_wait<2>();
      __syncwarp();
      fetch_back(a, columns, rows, last - 3 * BLOCK);
      const int behind = last - row; /* columns of this block until that of the lane's row */
      const bool ends = behind < BLOCK;
      const T *u = columns + (last & (RING - 1)) * PITCH + behind;
      const diagonal<T> by(ends && row < n ? u[-behind * (PITCH + 1)] : make<T>(1));
      if (__any_sync(all_lanes, !by.safe))
        subtract<false>(u, behind, a.kv, last, by, v);
      else
        subtract<true>(u, behind, a.kv, last, by, v);
      if (ends) {
#pragma unroll
        for (int j = 0; j < N; j++) {
          if (row < n && j < nrhs) b[row + j * ldb] = v[j];
          v[j] = row >= 32 && j < nrhs ? rows[(row & (RING - 1)) * MOST + j] : make<T>(0);
        }
        row -= 32;
      }
    }
    copy_wait<0>();
  }
  __device__ __forceinline__ void solve_upper(const band_matrix<T> &a, T *shared) const
  {
    if constexpr (R == 1) {
      if (nrhs == 1)
        solve_upper_for<1>(a, shared);
      else
        solve_upper_for<2>(a, shared);
    } else {
      if (nrhs <= 4)
        solve_upper_for<4>(a, shared);
      else
        solve_upper_for<MOST>(a, shared);
    }
  }
};

} // namespace batched_cuda::band

#endif
