/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of a matrix by one block, left-looking, a thread a row.  Rows do not move: a thread knows where its row belongs (its
 * place).  A panel of W columns is in registers, one row of it in each thread.  It is brought up to date with the panels
 * before it, whose L is kept in shared memory without the rows that were finished by then, and is factored with one
 * barrier a column.  What is final is stored; each element is read once and written once.
 */
#ifndef BATCHED_CUDA_LU_SHARED_CUH
#define BATCHED_CUDA_LU_SHARED_CUH

#include "lu_pivot.cuh"

namespace batched_cuda
{

enum { LU_SHARED_THREADS = 512 };

template <class T> constexpr int lu_width = sizeof(T) == 16 ? 8 : 16;

/* Where things are in shared memory, in bytes; for matrices of at most m x n. */
template <class T> struct lu_layout {
  static constexpr int W = lu_width<T>, TRIANGLE = W * (W - 1) / 2;
  int m, n, warps, kept; /* kept: panels whose L is needed by later ones */
  size_t triangles, u, rows, keys, slots, places, counts, bytes;

  DEVICE lu_layout(int m, int n, int warps) : m(m), n(n), warps(warps)
  {
    kept = panels();
    if (n > 0 && (n - 1) / W < kept) kept = (n - 1) / W;
    const int tail = kept > 0 && m > kept * W ? W * (m - kept * W) : 0;
    const size_t elements = kept > 0 ? (size_t)(history(kept - 1) + tail) : 0;
    u = (elements * sizeof(T) + 15) / 16 * 16;
    rows = u + 2 * W * sizeof(shared_row<T, W>);
    keys = rows + 2 * warps * sizeof(shared_row<T, W>);
    counts = keys + 2 * warps * sizeof(pivot_key);
    triangles = (counts + warps * sizeof(int) + 15) / 16 * 16;
    slots = triangles + (size_t)kept * TRIANGLE * sizeof(T);
    places = slots + (size_t)kept * m * sizeof(unsigned short);
    bytes = places + m * sizeof(unsigned short);
  }
  DEVICE int pivots() const
  {
    return m < n ? m : n;
  }
  DEVICE int panels() const
  {
    return (pivots() + W - 1) / W;
  }
  /* The first element of panel K's L; it has m - (K + 1) W rows and W columns. */
  DEVICE int history(int K) const
  {
    return W * (K * m - W * (K * (K + 1) / 2));
  }
};

template <class T> struct shared_lu {
  static constexpr int W = lu_width<T>, G = 4, TRIANGLE = lu_layout<T>::TRIANGLE;
  const lu_layout<T> &at;
  unsigned char *memory;
  int row, place, turn, info;
  T x[W]; /* the current group of G columns, those behind it, those finished */

  __device__ __forceinline__ T *history(int K) const
  {
    return reinterpret_cast<T *>(memory) + at.history(K);
  }
  __device__ __forceinline__ T *triangle(int K) const
  {
    return reinterpret_cast<T *>(memory + at.triangles) + K * TRIANGLE;
  }
  __device__ __forceinline__ unsigned short &slot(int K, int r) const
  {
    return reinterpret_cast<unsigned short *>(memory + at.slots)[K * at.m + r];
  }
  __device__ __forceinline__ shared_row<T, W> *rows_at(size_t offset) const
  {
    return reinterpret_cast<shared_row<T, W> *>(memory + offset);
  }

  /* U of panel K in these columns: the pivot rows' elements, solved with L(K, K) by one warp, a lane a column. */
  __device__ __forceinline__ void solve(int K, int count, shared_row<T, W> *u) const
  {
    const int lane = threadIdx.x;
    if (lane >= W) return;
    const T *l = triangle(K);
    T y[W];
#pragma unroll
    for (int i = 0; i < W; i++) y[i] = i < count ? u[i].x[lane] : make<T>(0);
#pragma unroll
    for (int k = 0; k < W; k++)
#pragma unroll
      for (int i = k + 1; i < W; i++)
        if (i < count) y[i] = mad(-l[i * (i - 1) / 2 + k], y[k], y[i]);
#pragma unroll
    for (int i = 0; i < W; i++)
      if (i < count) u[i].x[lane] = y[i];
  }

  /* Subtracts what panel K does to the columns in registers. */
  __device__ __forceinline__ void apply(int K)
  {
    shared_row<T, W> *u = rows_at(at.u) + W * (turn++ % 2);
    const int left = at.pivots() - K * W, count = left < W ? left : W, i = place - K * W;
    const bool is_pivot = row < at.m && i >= 0 && i < count;
    if (is_pivot) {
#pragma unroll
      for (int c = 0; c < W; c++) u[i].x[c] = x[c];
    }
    __syncthreads();
    solve(K, count, u);
    __syncthreads();
    if (is_pivot) {
#pragma unroll
      for (int c = 0; c < W; c++) x[c] = u[i].x[c];
    } else if (row < at.m && i >= W) {
      const int below = at.m - (K + 1) * W;
      const T *l = history(K) + slot(K, row);
#pragma unroll 2
      for (int k = 0; k < W; k++) {
        const T f = -l[k * below];
#pragma unroll
        for (int c = 0; c < W; c++) x[c] = mad(f, u[k].x[c], x[c]);
      }
    }
  }

  /* Column k, which is x[S], with `groups` groups of columns not finished; returns the row from which the pivot came. */
  template <int S> __device__ __forceinline__ int step(int k, int groups)
  {
    constexpr unsigned all = 0xffffffffu;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, buffer = k % 2 * at.warps;
    pivot_key *keys = reinterpret_cast<pivot_key *>(memory + at.keys) + buffer;
    shared_row<T, W> *rows = rows_at(at.rows) + buffer;
    const pivot_key key = key_of(x[S], place, k, row < at.m);
    const int best = best_lane<32>(key);
    if (lane == (best < 0 ? 0 : best)) {
      keys[warp] = key;
#pragma unroll
      for (int c = 0; c < W; c++)
        if (c / G < groups) rows[warp].x[c] = x[c];
    }
    __syncthreads();
    pivot_key of_warp = {0, 0, INT_MAX};
    if (lane < at.warps) of_warp = keys[lane];
    const int winner = best_lane<32>(of_warp), from = __shfl_sync(all, of_warp.row, winner);
    const T *u = rows[winner].x;
    const T d = u[S];
    if (is_bad_pivot(d) && !info) info = k + 1;
    if (place == from)
      place = k;
    else if (place == k)
      place = from;
    if (row >= at.m || place <= k) return from;
    if (d != make<T>(0)) x[S] = divide(x[S], d);
    const T l = -x[S];
#pragma unroll
    for (int q = 0; q < W / G; q++)
      if (q < groups) {
#pragma unroll
        for (int c = q * G; c < (q + 1) * G; c++)
          if (c > S) x[c] = mad(l, u[c], x[c]);
      }
    return from;
  }
  template <int S> __device__ __forceinline__ void steps(int k0, int last, int groups, int first, int *ipiv)
  {
    if constexpr (S < G) {
      if (k0 + S < last) {
        const int from = step<S>(k0 + S, groups);
        if (threadIdx.x == 0) ipiv[k0 + S] = first + from + 1;
      }
      steps<S + 1>(k0, last, groups, first, ipiv);
    }
  }
  __device__ __forceinline__ void factor(int j0, int first, int *ipiv)
  {
    const int last = at.pivots() < j0 + W ? at.pivots() : j0 + W;
#pragma unroll 1
    for (int g = 0; g < W / G; g++) {
      steps<0>(j0 + g * G, last, W / G - g, first, ipiv);
      T done[G];
#pragma unroll
      for (int c = 0; c < G; c++) done[c] = x[c];
#pragma unroll
      for (int c = 0; c < W - G; c++) x[c] = x[c + G];
#pragma unroll
      for (int c = 0; c < G; c++) x[W - G + c] = done[c];
    }
  }

  /* Panel J's L: the triangle of its pivot rows, and the rows below, those of a warp side by side. */
  __device__ __forceinline__ void keep(int J)
  {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, i = place - J * W;
    int *counts = reinterpret_cast<int *>(memory + at.counts);
    const bool active = row < at.m && i >= W;
    const unsigned actives = __ballot_sync(0xffffffffu, active);
    if (lane == 0) counts[warp] = __popc(actives);
    __syncthreads();
    int s = __popc(actives & ((1u << lane) - 1));
    for (int w = 0; w < warp; w++) s += counts[w];
    if (active) {
      slot(J, row) = (unsigned short)s;
      T *l = history(J) + s;
#pragma unroll
      for (int c = 0; c < W; c++) l[c * (at.m - (J + 1) * W)] = x[c];
    } else if (row < at.m && i > 0) {
#pragma unroll
      for (int c = 0; c < W - 1; c++)
        if (c < i) triangle(J)[i * (i - 1) / 2 + c] = x[c];
    }
  }

  /* The L of rows that were not finished in their panels, in the order of the places. */
  __device__ __forceinline__ void store_history(T *a, int ld) const
  {
    unsigned short *places = reinterpret_cast<unsigned short *>(memory + at.places);
    if (row < at.m) places[place] = (unsigned short)row;
    __syncthreads();
    for (int K = 0; K < at.kept && row < at.m && row >= (K + 1) * W; K++) {
      const T *l = history(K) + slot(K, places[row]);
#pragma unroll
      for (int c = 0; c < W; c++) a[row + (int64_t)(K * W + c) * ld] = l[c * (at.m - (K + 1) * W)];
    }
  }

  __device__ __forceinline__ void run(T *a, int ld, int first, int *ipiv)
  {
    for (int J = 0; J * W < at.n; J++) {
      const int j0 = J * W;
#pragma unroll
      for (int c = 0; c < W; c++) x[c] = row < at.m && j0 + c < at.n ? a[row + (int64_t)(j0 + c) * ld] : make<T>(0);
      for (int K = 0; K < J && K < at.panels(); K++) apply(K);
      if (j0 < at.pivots()) factor(j0, first, ipiv);
      if (J < at.kept) keep(J);
      const bool last = j0 + W >= at.pivots();
      if (row < at.m && (last || place < j0 + W)) {
#pragma unroll
        for (int c = 0; c < W; c++)
          if (j0 + c < at.n) a[place + (int64_t)(j0 + c) * ld] = x[c];
      }
    }
    store_history(a, ld);
  }
};

/* Pivots and info count rows of the caller's matrix, in which these blocks start at row and column `first`. */
template <class T>
__global__ void __launch_bounds__(LU_SHARED_THREADS)
  getrf_shared(batch<T> a, int first, int *__restrict__ ipiv, int npivots, int *__restrict__ info)
{
  unsigned char *memory = shared_array<unsigned char>();
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = a.cols(b);
    int found = 0;
    if (m > 0 && n > 0) {
      const lu_layout<T> layout(m, n, (int)blockDim.x / 32);
      shared_lu<T> lu{layout, memory, (int)threadIdx.x, (int)threadIdx.x, 0, 0, {}};
      lu.run(a.at(b), a.leading(b), first, ipiv + b * npivots + first);
      found = lu.info;
      __syncthreads();
    }
    if (threadIdx.x == 0 && first == 0) info[b] = found;
    if (threadIdx.x == 0 && first > 0 && found && info[b] == 0) info[b] = first + found;
  }
}

static inline int lu_threads(int m)
{
  return m < 1 ? 32 : (m + 31) / 32 * 32;
}

/* Can one block factor such a matrix? */
template <class T> bool fits_lu_shared(int m, int n)
{
  if (m > LU_SHARED_THREADS) return false;
  return lu_layout<T>(m, n, lu_threads(m) / 32).bytes <= most_shared();
}

template <class T>
int launch_getrf_shared(batched_ctx *ctx, const batch<T> &a, int first, int *ipiv, int npivots, int *info)
{
  const int threads = lu_threads(a.m);
  const size_t bytes = lu_layout<T>(a.m, a.n, threads / 32).bytes;
  return launch(ctx, getrf_shared<T>, a.count, threads, bytes, a, first, ipiv, npivots, info);
}

} // namespace batched_cuda

#endif
