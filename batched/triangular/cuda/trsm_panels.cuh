/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.panels of trsm: any order in one kernel.  A warp goes down 32 or 64 columns of X in panels of 32 rows (c:
 * 16, z: 8), a thread per two columns.  A panel is in registers while the products with the rows above are subtracted,
 * and while it is solved for.
 */
#ifndef BATCHED_TRIANGULAR_CUDA_TRSM_PANELS_CUH
#define BATCHED_TRIANGULAR_CUDA_TRSM_PANELS_CUH

#include "batched/triangular/cuda/shared.cuh"

namespace batched_cuda::triangular
{

/* Shared memory: a tile of E, by columns and without gaps, a diagonal one as in shared_layout; the scales of the
 * pivots; and the rows of X that go with the tile. */
template <class T, int N> struct panel_layout {
  static DEVICE constexpr int scales(bool one_tile)
  {
    return one_tile ? shared_layout<T, N>::scales : N * N;
  }
  static DEVICE constexpr int elements(bool one_tile, int group)
  {
    return scales(one_tile) + N + group * (N + 1);
  }
};

/* Rows i0 .. i0 + height - 1 of `cols` columns of X, to and from xs. */
template <class T, int N>
__device__ __forceinline__ void fetch_rows(bool left, const strided<T> &x, int i0, int height, int cols, T *xs)
{
  if (left) {
    for (int k = threadIdx.x; k < N * cols; k += blockDim.x)
      if (k % N < height) start_copy(xs + k / N * (N + 1) + k % N, &x(i0 + k % N, k / N));
  } else {
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
      for (int k = 0; k < height; k++) start_copy(xs + c * (N + 1) + k, &x(i0 + k, c));
  }
}
template <class T, int N>
__device__ __forceinline__ void store_rows(bool left, const strided<T> &x, int i0, int height, int cols, const T *xs)
{
  if (left) {
    for (int k = threadIdx.x; k < N * cols; k += blockDim.x)
      if (k % N < height) x(i0 + k % N, k / N) = xs[k / N * (N + 1) + k % N];
  } else {
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
      for (int k = 0; k < height; k++) x(i0 + k, c) = xs[c * (N + 1) + k];
  }
}

/* The tile of E at (i0, j0), neighbouring threads along a column of A. */
template <class T, int N>
__device__ __forceinline__ void fetch_tile(bool flip, const strided<const T> &e, int i0, int j0, int height, int width,
                                           T *tile)
{
  const bool diagonal = i0 == j0;
  for (int k = threadIdx.x; k < N * N; k += blockDim.x) {
    const int i = flip ? k / N : k % N, j = flip ? k % N : k / N;
    T *const to = tile + (diagonal ? shared_layout<T, N>::element(i, j) : j * N + i);
    if (i < height && j < (diagonal ? i + 1 : width)) start_copy(to, &e(i0 + i, j0 + j));
  }
}

/* y -= E x, and z -= E other, for the columns of a tile; rows in groups of 16, as many as exist. */
template <class T, int N>
__device__ __forceinline__ void subtract_square(bool conjugate, int height, int width, const T *tile, const T *x,
                                                const T *other, T (&y)[N], T (&z)[N])
{
  constexpr int V = pack<T>::size, group = N < 16 ? N : 16;
#pragma unroll(is_complex <T> ? 1 : 2)
  for (int j = 0; j < width; j++) {
    const T xj = -conj_if(conjugate, x[j]), zj = -conj_if(conjugate, other[j]);
#pragma unroll
    for (int i0 = 0; i0 < N; i0 += group) {
      if (i0 >= height) break;
#pragma unroll
      for (int p = i0 / V; p < (i0 + group) / V; p++) {
        const auto c = reinterpret_cast<const pack<T> *>(tile + j * N)[p];
#pragma unroll
        for (int k = 0; k < V; k++) {
          y[p * V + k] = mad(c.x[k], xj, y[p * V + k]);
          z[p * V + k] = mad(c.x[k], zj, z[p * V + k]);
        }
      }
    }
  }
}

/* x = E^-1 x for two right-hand sides. */
template <class T, int N>
__device__ __forceinline__ void substitute_two(int n, bool unit, const T *e, const T *scales, T (&x)[N], T (&z)[N])
{
  using layout = shared_layout<T, N>;
  constexpr int V = pack<T>::size;
#pragma unroll
  for (int j = 0; j < N; j++) {
    if (j >= n) break;
    if (!unit) {
      const reciprocal<T> d = {real(scales[j]), e[layout::element(j, j)]};
      x[j] = d(x[j]);
      z[j] = d(z[j]);
    }
#pragma unroll
    for (int p = (j + 1) / V; p < N / V; p++) {
      const auto c = *reinterpret_cast<const pack<T> *>(e + layout::element(p * V, j));
#pragma unroll
      for (int k = 0; k < V; k++) {
        if (p * V + k <= j) continue;
        x[p * V + k] = mad(-c.x[k], x[j], x[p * V + k]);
        z[p * V + k] = mad(-c.x[k], z[j], z[p * V + k]);
      }
    }
  }
}

/* X = alpha E^-1 X.
 *   algorithm  left-looking by panels of N rows; diagonal tiles by substitution
 *   grid       a warp, which is a block, per 32 or 64 columns of X; a thread per two columns
 *   registers  2 N elements per thread; 255 per thread
 *   shared     a tile of N x N, N scales, N + 1 elements per column of X
 *   takes      any order, all sides, types, uniform and variable
 *   memory     the triangle and, for each panel, the rows of X above it once per 32 or 64 columns
 *   accuracy   of substitution; a row with an extreme pivot is scaled by a power of two first */
template <class T, int N>
__global__ void __launch_bounds__(32, 8)
  solve_in_panels(triangle_form f, int group, int chunks, T alpha, batch<T> a, batch<T> b)
{
  using layout = shared_layout<T, N>;
  const int t = threadIdx.x;
  const bool one_tile = (f.left ? b.m : b.n) <= N;
  T *const tile = shared_array<T>(), *const scales = tile + panel_layout<T, N>::scales(one_tile),
           *const xs = scales + N, *const own = xs + t * (N + 1), *const other = own + group / 2 * (N + 1);
  for (int64_t unit = blockIdx.x; unit < b.count * chunks; unit += gridDim.x) {
    const int64_t m = unit / chunks;
    const int rows = b.rows(m), cols = b.cols(m), n = f.left ? rows : cols, r0 = (int)(unit - m * chunks) * group;
    const int nrhs = min(group, (f.left ? cols : rows) - r0);
    if (n == 0 || nrhs <= 0) continue;
    const int pairs = min(group / 2, nrhs); /* thread t has columns t and t + group / 2 */
    const int tiles = (n + N - 1) / N, edge = (n + tiles - 1) / tiles;
    const auto e = triangle_of<const T>(f, a.at(m), a.leading(m), n);
    strided<T> x = unknowns_of<T>(f, b.at(m), b.leading(m), n);
    x.at += r0 * x.col;
    for (int i0 = 0; i0 < n; i0 += edge) {
      const int height = min(edge, n - i0);
      T y[N], z[N];
      fetch_rows<T, N>(f.left, x, i0, height, nrhs, xs);
      fetch_tile<T, N>(f.flip, e, i0, 0, height, edge, tile);
      wait_copies();
      __syncthreads();
      if (t < pairs) {
#pragma unroll
        for (int k = 0; k < N; k++) {
          y[k] = k < height ? alpha * conj_if(f.conj, own[k]) : T{};
          z[k] = k < height ? alpha * conj_if(f.conj, other[k]) : T{};
        }
      }
      for (int j0 = 0; j0 < i0; j0 += edge) {
        __syncthreads();
        fetch_rows<T, N>(f.left, x, j0, edge, nrhs, xs);
        wait_copies();
        __syncthreads();
        if (t < pairs) subtract_square<T, N>(f.conj, height, edge, tile, own, other, y, z);
        __syncthreads();
        fetch_tile<T, N>(f.flip, e, i0, j0 + edge, height, edge, tile);
      }
      wait_copies();
      __syncthreads();
      for (int k = t; !f.unit && k < height; k += blockDim.x) {
        const auto r = reciprocal_of(tile[layout::element(k, k)]);
        tile[layout::element(k, k)] = r.inverse;
        scales[k] = make<T>(r.scale);
      }
      __syncthreads();
      if (t < pairs) {
        substitute_two<T, N>(height, f.unit, tile, scales, y, z);
#pragma unroll
        for (int k = 0; k < N; k++) {
          if (k >= height) break;
          own[k] = conj_if(f.conj, y[k]);
          other[k] = conj_if(f.conj, z[k]);
        }
      }
      __syncthreads();
      store_rows<T, N>(f.left, x, i0, height, nrhs, xs);
      __syncthreads();
    }
  }
}

template <class T>
static int solve_panels(batched_ctx *ctx, triangle_form f, T alpha, const batch<T> &a, const batch<T> &b)
{
  constexpr int N = sizeof(T) == 16 ? 8 : is_complex<T> ? 16 : 32;
  const int n = f.left ? b.m : b.n, nrhs = f.left ? b.n : b.m;
  const int group = nrhs <= 32 ? 32 : 64, chunks = (int)ceil_div(nrhs, group);
  return launch(ctx, solve_in_panels<T, N>, b.count * chunks, 32,
                panel_layout<T, N>::elements(n <= N, group) * sizeof(T), f, group, chunks, conj_if(f.conj, alpha), a,
                b);
}

} // namespace batched_cuda::triangular

#endif
