/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.window of pbtrf: Cholesky's factors of wider bands, a block per matrix, whose columns pass through a window
 * in shared memory; blocked, as LAPACK's pbtrf, right-looking.  In row cuda.panels (pbtrf_panels.cuh) they stay in
 * global memory.
 *
 * A panel is NB columns of up to NB + kd rows, a row per thread, in registers: a step publishes its column, not yet
 * scaled, to all threads, which take its product off the columns right of it; one barrier.  The panel's rows below its
 * triangle, X, stand in shared memory once more, without the band's slant, and the kd columns behind the panel lose
 * X X^H in tiles of 4 x 4 in registers.  The window is a ring of kd + 2 NB columns of ab, of which the next NB arrive
 * asynchronously while a panel is factored.
 *
 * grid      a block per matrix
 * block     kd + NB threads, rounded up to whole warps
 * shared    the window, (kd + 2) (kd + 2 NB) numbers, X of kd NB, two columns of NB
 * takes     all four types, any n, kd as shared memory allows (d: 147), uniform and variable
 * reads     one triangle of ab, once; writes it and info (the first minor that is not positive; columns from there on
 *           are no factors)
 * accuracy  |L L^H - A| < 30 n eps |A|; multiplies by reciprocal roots
 */
#ifndef BATCHED_BAND_CUDA_PBTRF_WINDOW_CUH
#define BATCHED_BAND_CUDA_PBTRF_WINDOW_CUH

#include "batched/band/cuda/pbtrf_warp.cuh"

namespace batched_cuda::band
{

/* Numbers of shared memory for bands of this depth, and where they are. */
template <int NB> struct definite_window {
  int columns, ld, tiles, pitch; /* of the ring; of a column of it; of X, 4 rows each; of a column of X */

  /* An even ld: rows of U's transpose are ld - 1 apart. */
  DEVICE explicit definite_window(int depth)
      : columns(depth + 2 * NB), ld((depth + 2) / 2 * 2), tiles((depth + 7) / 8 * 2), pitch(4 * tiles)
  {
  }
  DEVICE int64_t size() const
  {
    return (int64_t)columns * ld + NB * pitch + 2 * NB;
  }
};

/* in_place: the columns stay in ab, no ring. */
template <class T, int NB, bool in_place> struct window_cholesky {
  definite_band<T> a;
  definite_window<NB> w;
  T *ring, *x, *published; /* X by columns */
  int first, start, info;  /* the window's first column, and its place in the ring */

  __device__ __forceinline__ window_cholesky(const definite_band<T> &a, T *shared)
      : a(a), w(a.depth), ring(shared), x(ring + (in_place ? 0 : w.columns * w.ld)), published(x + NB * w.pitch),
        first(0), start(0), info(0)
  {
  }
  __device__ __forceinline__ T *column(int j) const
  {
    if constexpr (in_place) return a.at + j * a.ld;
    const int at = start + j - first;
    return ring + (at < w.columns ? at : at - w.columns) * w.ld;
  }
  __device__ __forceinline__ T &element(int i, int j) const
  {
    return a.upper ? column(i)[a.depth - (i - j)] : column(j)[i - j];
  }

  /* f(number of the ring, number of ab) for columns from .. to - 1, a warp per column. */
  template <class F> __device__ __forceinline__ void each(int from, int to, F f) const
  {
    for (int j = from + (int)threadIdx.x / 32; j < min(to, a.n); j += blockDim.x / 32) {
      T *column = this->column(j);
      for (int r = threadIdx.x % 32; r <= a.depth; r += 32)
        if (a.has(j, r)) f(column[r], a.at[j * a.ld + r]);
    }
  }
  __device__ __forceinline__ void fetch(int from, int to) const
  {
    each(from, to, [](T &here, T &there) { start_copy(&here, &there); });
    copy_commit();
  }
  __device__ __forceinline__ void store(int from, int to) const
  {
    each(from, to, [](T &here, T &there) { there = here; });
  }

  /* Columns first .. first + NB - 1, of which each thread has a row; a barrier at its end. */
  __device__ __forceinline__ void factor_panel()
  {
    const int row = threadIdx.x, i = first + row;
    T l[NB];
#pragma unroll
    for (int c = 0; c < NB; c++) {
      const bool inside = row >= c && row - c <= a.depth && i < a.n;
      l[c] = make<T>(row == c ? 1 : 0);
      if (inside) l[c] = element(i, first + c);
    }
#pragma unroll
    for (int c = 0; c < NB; c++) {
      T *to = published + c % 2 * NB;
      if (row >= c && row < NB) to[row] = l[c];
      __syncthreads();
      const real_of<T> pivot = real(to[c]);
      const pivot_root<real_of<T>> d = root_of(pivot);
      if (!(pivot > 0) && !info) info = first + c + 1;
      l[c] = row == c ? make<T>(d.root) : d.inverse * l[c];
      const T scaled = d.inverse * l[c];
#pragma unroll
      for (int q = c + 1; q < NB; q++) l[q] = mad(-scaled, conj(to[q]), l[q]);
    }
    const int end = info ? info - 1 : a.n;
#pragma unroll
    for (int c = 0; c < NB; c++) {
      if (row >= c && row - c <= a.depth && i < a.n && first + c < end) element(i, first + c) = l[c];
      if (row >= NB && row - NB < w.pitch) x[c * w.pitch + row - NB] = l[c];
    }
    __syncthreads();
  }

  /* The columns behind the panel lose X X^H.  Tiles (i, j), i >= j, of an even number of rows: a rectangle of one row
   * more and half the columns, in which those of the right half stand above the diagonal. */
  __device__ __forceinline__ void update()
  {
    const int half = w.tiles / 2;
    for (int e = threadIdx.x; e < (w.tiles + 1) * half; e += blockDim.x) {
      const int c = e / (w.tiles + 1), r = e % (w.tiles + 1);
      const int i0 = 4 * (r > c ? r - 1 : half + c), j0 = 4 * (r > c ? c : half + r);
      T sum[4][4];
#pragma unroll
      for (int i = 0; i < 4; i++) {
#pragma unroll
        for (int j = 0; j < 4; j++) sum[i][j] = make<T>(0);
      }
#pragma unroll 4
      for (int k = 0; k < NB; k++) {
        T left[4], right[4];
#pragma unroll
        for (int v = 0; v < 4; v++) left[v] = x[k * w.pitch + i0 + v], right[v] = conj(x[k * w.pitch + j0 + v]);
#pragma unroll
        for (int i = 0; i < 4; i++) {
#pragma unroll
          for (int j = 0; j < 4; j++) sum[i][j] = mad(left[i], right[j], sum[i][j]);
        }
      }
#pragma unroll
      for (int j = 0; j < 4; j++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
          const int row = first + NB + i0 + i, col = first + NB + j0 + j;
          if (row >= col && i0 + i < a.depth && row < a.n) {
            T &y = element(row, col);
            y = y - sum[i][j];
          }
        }
      }
    }
  }

  __device__ __forceinline__ void factor()
  {
    int loaded = a.depth + NB;
    fetch(0, loaded);
    copy_wait<0>();
    __syncthreads();
    while (first < a.n) {
      fetch(loaded, loaded + NB);
      loaded += NB;
      factor_panel();
      if (!info) update();
      store(first, first + NB);
      if (info) break;
      copy_wait<0>();
      __syncthreads();
      first += NB;
      start += NB;
      if (start >= w.columns) start -= w.columns;
    }
    copy_wait<0>();
    __syncthreads();
  }
  __device__ __forceinline__ void factor_in_place()
  {
    for (; first < a.n && !info; first += NB) {
      factor_panel();
      if (!info) update();
      __syncthreads();
    }
  }
};

template <class T, int NB> __global__ void pbtrf_window(pbtrf_call<T> c)
{
  for (int64_t b = blockIdx.x; b < c.ab.count; b += gridDim.x) {
    window_cholesky<T, NB, false> f(definite_band_of(c, b), shared_array<T>());
    if (f.a.n > 0) f.factor();
    if (threadIdx.x == 0) c.info[b] = f.info;
  }
}

enum { DEFINITE_PANEL = 16 };

template <class T> bool window_can_factor(const pbtrf_call<T> &c)
{
  const int64_t bytes =
    definite_window<DEFINITE_PANEL>(pbtrf_depth(c) < 1000 ? pbtrf_depth(c) : 1000).size() * sizeof(T);
  return bytes <= (int64_t)most_shared();
}

template <class T> int launch_pbtrf_window(batched_ctx *ctx, const pbtrf_call<T> &c)
{
  const int depth = pbtrf_depth(c);
  return launch(ctx, pbtrf_window<T, DEFINITE_PANEL>, c.ab.count, (depth + DEFINITE_PANEL + 31) / 32 * 32,
                definite_window<DEFINITE_PANEL>(depth).size() * sizeof(T), c);
}

} // namespace batched_cuda::band

#endif
