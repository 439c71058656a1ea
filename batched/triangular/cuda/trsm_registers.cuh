/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.registers of trsm: 16 right-hand sides at a time with a small triangle.  A block of one warp has a matrix;
 * two lanes have a column of X in their registers, every other four rows each, and the triangle is read from shared
 * memory, 16 bytes for all lanes of a half.
 */
#ifndef BATCHED_TRIANGULAR_CUDA_TRSM_REGISTERS_CUH
#define BATCHED_TRIANGULAR_CUDA_TRSM_REGISTERS_CUH

#include <algorithm>

#include "batched/triangular/cuda/shared.cuh"

namespace batched_cuda::triangular
{

/* Shared memory: the triangle, then 16 columns of X. */
template <class T, int N> struct register_layout {
  using triangle = shared_layout<T, N>;
  static constexpr int V = triangle::V, columns = 16, block = 4, own = N / 2;
  static constexpr int ldx = N + V, x = triangle::scales, elements = x + columns * ldx;
  static constexpr int bytes = elements * (int)sizeof(T);
  static constexpr int registers = own * (int)sizeof(T) / 4 + (is_complex<T> ? 48 + 4 * (int)sizeof(T) : 56);
  static constexpr int fitting = std::min(std::min(32, 227 * 1024 / (bytes + 1024)), 65536 / (32 * registers));
  static constexpr int resident = fitting < 12 ? fitting : fitting / 4 * 4; /* as many on each scheduler */
  static_assert(N % (2 * block) == 0);
};

/* Starts to copy the triangle to its place, neighbouring lanes along a column of A; the last 16 rows, or columns, two
 * at a time. */
template <class T, int N>
__device__ __forceinline__ void fetch_triangle(const triangle_form &f, const strided<const T> &e, int n, T *to)
{
  using layout = shared_layout<T, N>;
  const int lane = threadIdx.x;
#pragma unroll
  for (int s = 0; s < N; s += 32) {
    if (s >= n) break;
    constexpr bool pairs = N % 32 > 0 && N % 32 <= 16;
    const bool two = pairs && s + 32 > N;
    const int along = s + (two ? lane % 16 : lane), first = two ? lane / 16 : 0, step = two ? 2 : 1;
    if (!f.flip) {
      const T *from = &e(along, first);
      const int last = along >= n ? 0 : f.unit ? along : along + 1;
#pragma unroll
      for (int j = 0; j < N && j < s + 32; j += step) {
        if (j % 8 == 0 && j >= n) break;
        const int at =
          two && j + 1 < N ? (lane < 16 ? layout::element(0, j) : layout::element(0, j + 1)) : layout::element(0, j);
        if (j + first < last) start_copy(to + at + along, from);
        from += step * e.col;
      }
    } else {
      const T *from = &e(s + first, along);
      T *const column = to + layout::element(0, along);
      const int begin = along >= n ? N : f.unit ? along + 1 : along;
#pragma unroll
      for (int i = s; i < N; i += step) {
        if (i % 8 == 0 && i >= n) break;
        if (i + first >= begin && i + first < n) start_copy(column + i + first, from);
        from += step * e.row;
      }
    }
  }
}

/* Calls act(place in xs, element) for the elements of `cols` columns of X, neighbouring lanes along a column of B. */
template <class T, int N, class Act>
__device__ __forceinline__ void visit_unknowns(bool left, const strided<T> &x, int n, int cols, Act act)
{
  constexpr int ldx = register_layout<T, N>::ldx, columns = register_layout<T, N>::columns;
  const int lane = threadIdx.x;
  if (left) {
#pragma unroll
    for (int s = 0; s < N; s += 32) {
      if (s >= n) break;
      constexpr bool pairs = N % 32 > 0 && N % 32 <= 16;
      const bool two = pairs && s + 32 > N;
      const int i = s + (two ? lane % 16 : lane), first = two ? lane / 16 : 0, step = two ? 2 : 1;
      T *at = &x(i, first);
#pragma unroll
      for (int c = 0; c < columns; c += step, at += step * x.col)
        if (i < n && c + first < cols) act((c + first) * ldx + i, at);
    }
  } else {
    const int c = lane % columns, first = lane / columns;
    T *at = &x(first, c);
#pragma unroll
    for (int i = 0; i < N; i += 2, at += 2 * x.row) {
      if (i % 8 == 0 && i >= n) break;
      if (i + first < n && c < cols) act(c * ldx + i + first, at);
    }
  }
}

/* The diagonal becomes its inverse; a row with an extreme pivot, and that of X, are scaled first. */
template <class T, int N> __device__ __forceinline__ void invert_diagonal(bool unit, int n, T *e, T *xs)
{
  using layout = shared_layout<T, N>;
  for (int k = threadIdx.x; k < n; k += 32) {
    T &at = e[layout::element(k, k)];
    T inverse = make<T>(1);
    if (!unit) {
      const batched_cuda::diagonal<T> d(at);
      inverse = d.inverse;
      if (!d.safe) {
        const auto r = reciprocal_of(at);
        inverse = r.inverse;
        for (int j = 0; j < k; j++) e[layout::element(k, j)] = r.scale * e[layout::element(k, j)];
        for (int c = 0; c < register_layout<T, N>::columns; c++)
          xs[c * register_layout<T, N>::ldx + k] = r.scale * xs[c * register_layout<T, N>::ldx + k];
      }
    }
    at = inverse;
  }
}

/* y = E^-1 y: block p of the lanes of half h are rows 8 p + 4 h on. */
template <class T, int N>
__device__ __forceinline__ void solve_halves(int n, const T *e, T (&y)[register_layout<T, N>::own])
{
  using layout = shared_layout<T, N>;
  constexpr int V = layout::V, W = register_layout<T, N>::block;
  const int lane = threadIdx.x, half = lane / 16;
  const T *const own = e + half * W;
#pragma unroll
  for (int j0 = 0; j0 < N; j0 += W) {
    if (j0 % (2 * W) == 0 && j0 >= n) break;
    const int p0 = j0 / (2 * W) * W, owner = j0 / W % 2;
    T t[W], x[W];
#pragma unroll
    for (int k = 0; k < W; k++) t[k] = y[p0 + k];
#pragma unroll
    for (int k = 0; k < W; k++) {
#pragma unroll
      for (int l0 = k / V * V; l0 < W; l0 += V) {
        const auto d = *reinterpret_cast<const pack<T> *>(e + layout::element(j0 + l0, j0 + k));
#pragma unroll
        for (int l = 0; l < V; l++)
          if (l0 + l == k)
            t[k] = d.x[l] * t[k];
          else if (l0 + l > k)
            t[l0 + l] = mad(-d.x[l], t[k], t[l0 + l]);
      }
      x[k] = -shuffle(t[k], owner * 16 + lane % 16);
    }
    /* the rows below that are the other half's, and then both halves' */
    const auto subtract = [&](T(&to)[W], int p) {
#pragma unroll
      for (int k = 0; k < W; k++)
#pragma unroll
        for (int l0 = 0; l0 < W; l0 += V) {
          const auto c = *reinterpret_cast<const pack<T> *>(own + layout::element(2 * p + l0, j0 + k));
#pragma unroll
          for (int l = 0; l < V; l++) to[l0 + l] = mad(c.x[l], x[k], to[l0 + l]);
        }
    };
    if (owner == 0) {
      T z[W];
#pragma unroll
      for (int k = 0; k < W; k++) z[k] = y[p0 + k];
      subtract(z, p0);
#pragma unroll
      for (int k = 0; k < W; k++) y[p0 + k] = select(half == 0, t[k], z[k]);
    } else {
#pragma unroll
      for (int k = 0; k < W; k++) y[p0 + k] = select(half == 1, t[k], y[p0 + k]);
    }
#pragma unroll
    for (int p = p0 + W; p < N / 2; p += W) {
      T z[W];
#pragma unroll
      for (int k = 0; k < W; k++) z[k] = y[p + k];
      subtract(z, p);
#pragma unroll
      for (int k = 0; k < W; k++) y[p + k] = z[k];
    }
  }
}

/* X = alpha E^-1 X, E of order n <= N.
 *   algorithm  substitution by columns of E; pivots by their inverses
 *   grid       persistent: as many warps, each a block, as are resident; a warp per matrix and 16 columns of X, whose
 *              next triangle arrives while X is stored
 *   registers  N / 2 elements per lane
 *   shared     N (N + V) / 2 elements of E (V to 16 bytes), N + V per column of X
 *   takes      order <= 32, s 48, all sides, types, uniform and variable
 *   memory     the triangle once per 16 columns, X once from and to global memory
 *   accuracy   of substitution; a row with an extreme pivot is scaled by a power of two first */
template <class T, int N>
__global__ void __launch_bounds__(32, register_layout<T, N>::resident)
  solve_in_registers(triangle_form f, int chunks, T alpha, batch<T> a, batch<T> b)
{
  using layout = register_layout<T, N>;
  constexpr int V = layout::V, W = layout::block;
  T *const e = shared_array<T>(), *const xs = e + layout::x;
  T *const own = xs + threadIdx.x % 16 * layout::ldx + threadIdx.x / 16 * W;
  T y[layout::own];
  strided<T> x = {nullptr, 0, 0};
  int n = 0, cols = 0;
  for (int64_t unit = blockIdx.x;; unit += gridDim.x) {
    const bool more = unit < b.count * chunks;
    strided<T> next = x;
    int next_n = 0, next_cols = 0;
    if (more) {
      const int64_t m = chunks == 1 ? unit : unit / chunks;
      const int rows = b.rows(m), width = b.cols(m), c0 = (int)(unit - m * chunks) * layout::columns;
      next_n = f.left ? rows : width;
      next_cols = min(layout::columns, (f.left ? width : rows) - c0);
      if (next_cols <= 0) next_n = 0;
      if (next_n > 0) {
        fetch_triangle<T, N>(f, triangle_of<const T>(f, a.at(m), a.leading(m), next_n), next_n, e);
        next = unknowns_of<T>(f, b.at(m), b.leading(m), next_n);
        next.at += c0 * next.col;
      }
    }
    if (n > 0) {
#pragma unroll
      for (int k = 0; k < layout::own; k += V) {
        pack<T> p;
#pragma unroll
        for (int l = 0; l < V; l++) p.x[l] = conj_if(f.conj, y[k + l]);
        *reinterpret_cast<pack<T> *>(own + 2 * (k / W * W) + k % W) = p;
      }
      __syncwarp();
      visit_unknowns<T, N>(f.left, x, n, cols, [&](int place, T *at) { *at = xs[place]; });
      __syncwarp();
    }
    if (!more) break;
    x = next, n = next_n, cols = next_cols;
    if (n == 0) continue;
    visit_unknowns<T, N>(f.left, x, n, cols, [&](int place, T *at) { start_copy(xs + place, at); });
    wait_copies();
    __syncwarp();
    invert_diagonal<T, N>(f.unit, n, e, xs);
    __syncwarp();
#pragma unroll
    for (int k = 0; k < layout::own; k += V) {
      const auto p = *reinterpret_cast<const pack<T> *>(own + 2 * (k / W * W) + k % W);
#pragma unroll
      for (int l = 0; l < V; l++) y[k + l] = alpha * conj_if(f.conj, p.x[l]);
    }
    solve_halves<T, N>(n, e, y);
    __syncwarp();
  }
}

/* Largest order. */
template <class T> constexpr int registers_order = sizeof(T) == 4 ? 48 : 32;

template <class T>
int solve_registers(batched_ctx *ctx, triangle_form f, int n, T alpha, const batch<T> &a, const batch<T> &b);

} // namespace batched_cuda::triangular

#endif
