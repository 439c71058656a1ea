/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.warp of pbtrf: Cholesky's factors of narrow bands, P lanes of a warp per matrix and a row per lane; no
 * barrier beyond the warp.
 *
 * With tiles of P rows, P >= kd, the matrix is block tridiagonal: D_t on the diagonal, S_t below it.  A lane has its
 * row of D_t, S_t and D_{t+1} in registers; the P steps of D_t, right-looking, turn D_t and S_t into columns of L and
 * take their products off D_{t+1}.  The elements of a column reach the other lanes by shuffles.  Columns of ab come and
 * go through shared memory, coalesced, those of tile t + 2 asynchronously while tile t is factored.
 *
 * grid      a block per 32 / P matrices, P = 4, 8 or 16; D = 2 to 16, at least kd
 * block     32 threads; 3 P numbers in registers
 * shared    3 tiles of P (P + 2) numbers per matrix
 * takes     all four types, any n, kd <= 16, uniform and variable
 * reads     one triangle of ab, once; writes it and info (the first minor that is not positive; columns from there on
 *           are no factors)
 * accuracy  |L L^H - A| < 30 n eps |A|; multiplies by reciprocal roots
 */
#ifndef BATCHED_BAND_CUDA_PBTRF_WARP_CUH
#define BATCHED_BAND_CUDA_PBTRF_WARP_CUH

#include "batched/band/cuda/pbtrf.cuh"
#include "batched/cuda/bulk_copy.cuh"

namespace batched_cuda::band
{

/* A pivot's root and the root's reciprocal. */
template <class R> struct pivot_root {
  R root, inverse;
};
template <class R> __device__ __noinline__ pivot_root<R> root_rarely(R x)
{
  const R root = sqrt(x);
  return {root, 1 / root};
}
template <class R> __device__ __forceinline__ pivot_root<R> root_of(R x)
{
  constexpr R most = sizeof(R) == 4 ? R(0x1p100) : R(0x1p900);
  if (!(x < most && x > 1 / most)) return root_rarely(x);
  const R inverse = inverse_root(x);
  return {x * inverse, inverse};
}

/* One triangle of a band matrix in memory, by columns of ab: number r of the `depth` + 1 of column x that count is
 * at[x * ld + r].  Element (i, j) of L, or of U's transpose, is number i - j of column j or depth - (i - j) of i. */
template <class T> struct definite_band {
  T *at;
  int64_t ld;
  int n, depth;
  bool upper;

  /* True where number r of column x is in the matrix. */
  __device__ __forceinline__ bool has(int x, int r) const
  {
    return x < n && (upper ? depth - r <= x : x + r < n);
  }
};

template <class T> __device__ __forceinline__ definite_band<T> definite_band_of(const pbtrf_call<T> &c, int64_t b)
{
  const int n = b < c.ab.count ? c.ab.cols(b) : 0;
  if (n == 0) return {nullptr, 0, 0, 0, c.upper};
  const int kd = c.kd.at(b), depth = min(kd, n - 1);
  return {c.ab.at(b) + (c.upper ? kd - depth : 0), c.ab.leading(b), n, depth, c.upper};
}

/* Bands of at most D columns on a side, D <= P. */
template <class T, int P, int D> struct warp_cholesky {
  static constexpr int PITCH = P + 2, TILE = P * PITCH; /* an even pitch: rows of U's transpose are PITCH - 1 apart */
  definite_band<T> a;
  T *shared;
  int lane, info;
  T diagonal[P], below[P], next[P];

  __device__ __forceinline__ T *tile(int t) const
  {
    return shared + t % 3 * TILE;
  }
  /* The place of element (i, j) of tile t's block row 0 (D_t) or 1 (S_t), i and j counted from the blocks' corner. */
  __device__ __forceinline__ T &place(int t, int row, int i, int j) const
  {
    const int distance = i - j + row * P;
    return a.upper ? tile(t + row)[i * PITCH + a.depth - distance] : tile(t)[j * PITCH + distance];
  }
  __device__ __forceinline__ bool has(int t, int row, int j) const
  {
    const int distance = lane - j + row * P;
    return distance >= 0 && distance <= a.depth && (t + row) * P + lane < a.n;
  }
  __device__ __forceinline__ void load(int t, int row, T (&x)[P]) const
  {
#pragma unroll
    for (int j = 0; j < P; j++) {
      x[j] = make<T>(row == 0 && lane == j ? 1 : 0);
      if (has(t, row, j)) x[j] = place(t, row, lane, j);
    }
  }
  __device__ __forceinline__ void keep(int t, int row, const T (&x)[P]) const
  {
    const int end = info ? info - 1 : a.n;
#pragma unroll
    for (int j = 0; j < P; j++)
      if (has(t, row, j) && t * P + j < end) place(t, row, lane, j) = x[j];
  }

  /* True where column k of a tile has elements in the next tile's rows. */
  static constexpr __device__ bool reaches(int k)
  {
    return k + D >= P;
  }

  /* Starts to copy tile t's columns. */
  __device__ __forceinline__ void fetch(int t) const
  {
    T *to = tile(t);
#pragma unroll 4
    for (int j = 0; j < P; j++)
      for (int r = lane; r <= a.depth; r += P)
        if (a.has(t * P + j, r)) start_copy(to + j * PITCH + r, a.at + (t * P + j) * a.ld + r);
    copy_commit();
  }
  __device__ __forceinline__ void store(int t) const
  {
    const T *from = tile(t);
#pragma unroll 4
    for (int j = 0; j < P; j++)
      for (int r = lane; r <= a.depth; r += P)
        if (a.has(t * P + j, r)) a.at[(t * P + j) * a.ld + r] = from[j * PITCH + r];
  }

  /* Columns first .. first + P - 1. */
  __device__ __forceinline__ void steps(int first)
  {
#pragma unroll
    for (int k = 0; k < P; k++) {
      const real_of<T> pivot = shuffle(real(diagonal[k]), k, P);
      const pivot_root<real_of<T>> d = root_of(pivot);
      if (!(pivot > 0) && !info) info = first + k + 1;
      diagonal[k] = lane == k ? make<T>(d.root) : d.inverse * diagonal[k];
      if (reaches(k)) below[k] = d.inverse * below[k];
#pragma unroll
      for (int j = k + 1; j < P && j <= k + D; j++) {
        const T l = conj(shuffle(diagonal[k], j, P));
        diagonal[j] = mad(-diagonal[k], l, diagonal[j]);
        if (reaches(k)) below[j] = mad(-below[k], l, below[j]);
      }
#pragma unroll
      for (int j = 0; reaches(k) && j <= k + D - P; j++)
        next[j] = mad(-below[k], conj(shuffle(below[k], j, P)), next[j]);
    }
  }

  __device__ __forceinline__ void factor(int tiles)
  {
    fetch(0);
    fetch(1);
    copy_wait<1>();
    __syncwarp();
    load(0, 0, next);
    for (int t = 0; t < tiles; t++) {
#pragma unroll
      for (int j = 0; j < P; j++) diagonal[j] = next[j];
      fetch(t + 2);
      copy_wait<1>();
      __syncwarp();
      load(t, 1, below);
      load(t + 1, 0, next);
      steps(t * P);
      keep(t, 0, diagonal);
      keep(t, 1, below);
      __syncwarp();
      store(t);
      __syncwarp();
    }
    copy_wait<0>();
  }
};

template <class T, int P, int D> __global__ void __launch_bounds__(32) pbtrf_warp(pbtrf_call<T> c)
{
  constexpr int each = 32 / P;
  for (int64_t first = (int64_t)blockIdx.x * each; first < c.ab.count; first += (int64_t)gridDim.x * each) {
    const int64_t b = first + threadIdx.x / P;
    warp_cholesky<T, P, D> f;
    f.a = definite_band_of(c, b);
    f.shared = shared_array<T>() + threadIdx.x / P * 3 * warp_cholesky<T, P, D>::TILE;
    f.lane = threadIdx.x % P;
    f.info = 0;
    f.factor(((int)__reduce_max_sync(all_lanes, (unsigned)f.a.n) + P - 1) / P);
    if (b < c.ab.count && f.lane == 0) c.info[b] = f.info;
    __syncwarp();
  }
}

/* The largest depth. */
template <class T> int pbtrf_depth(const pbtrf_call<T> &c)
{
  return c.kd.bound < c.ab.n ? c.kd.bound : c.ab.n > 0 ? c.ab.n - 1 : 0;
}

template <class T, int P, int D> int launch_pbtrf_lanes(batched_ctx *ctx, const pbtrf_call<T> &c)
{
  return launch(ctx, pbtrf_warp<T, P, D>, ceil_div(c.ab.count, 32 / P), warp_size,
                32 / P * 3 * sizeof(T) * warp_cholesky<T, P, D>::TILE, c);
}

template <class T> int launch_pbtrf_warp(batched_ctx *ctx, const pbtrf_call<T> &c)
{
  const int depth = pbtrf_depth(c);
  if (depth <= 2) return launch_pbtrf_lanes<T, 4, 2>(ctx, c);
  if (depth <= 4) return launch_pbtrf_lanes<T, 4, 4>(ctx, c);
  if (depth <= 6) return launch_pbtrf_lanes<T, 8, 6>(ctx, c);
  if (depth <= 8) return launch_pbtrf_lanes<T, 8, 8>(ctx, c);
  if (depth <= 10) return launch_pbtrf_lanes<T, 16, 10>(ctx, c);
  if (depth <= 13) return launch_pbtrf_lanes<T, 16, 13>(ctx, c);
  return launch_pbtrf_lanes<T, 16, 16>(ctx, c);
}

} // namespace batched_cuda::band

#endif
