/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trsv with A as it is stored, n <= 48: 8, 16 or 32 lanes a matrix, an unknown in each, or three in each of 16.  Column
 * by column, a lane reads the elements of its own rows, so that nothing goes through shared memory, and lanes read
 * neighbours.
 */
#ifndef BATCHED_CUDA_TRSV_COLUMNS_CUH
#define BATCHED_CUDA_TRSV_COLUMNS_CUH

#include "batched/triangular/cuda/triangle.cuh"

namespace batched_cuda::triangular
{

static constexpr int columns_threads = 128;

/* Columns of which a lane holds its P rows at a time: 64 registers of them, or somewhat less. */
template <class T, int W, int P> static DEVICE constexpr int columns_at_once()
{
  int columns = W;
  while (columns * P * (int)sizeof(T) > 256) columns /= 2;
  return columns;
}

/* One matrix, as one of its W lanes sees it: unknowns lane, lane + W, ... */
template <class T, int W, int P> struct column_solver {
  static constexpr int at_once = columns_at_once<T, W, P>();
  int lane, n;
  T y[P] = {}; /* the right-hand side, less the columns of the unknowns found */
  reciprocal<T> d[P];
  const T *from[P]; /* of this lane's rows in the next column */
  int64_t step;
  bool extreme = false; /* has some matrix of the warp a row to be scaled? */

  __device__ __forceinline__ void start(const triangle_form &f, const strided<const T> &e, const strided<T> &x)
  {
    step = e.col;
#pragma unroll
    for (int p = 0; p < P; p++) {
      const int row = lane + W * p;
      d[p] = {1, make<T>(1)};
      from[p] = &e(row, 0);
      if (row < n) {
        y[p] = x(row, 0);
        if (!f.unit) d[p].inverse = e(row, row);
      }
    }
  }

  __device__ __forceinline__ void invert_diagonal()
  {
#pragma unroll
    for (int p = 0; p < P; p++) {
      if (lane + W * p < n) d[p] = reciprocal_of(d[p].inverse);
      extreme = extreme || d[p].scale != 1;
      y[p] = d[p].scale * y[p];
    }
    extreme = __any_sync(0xffffffffu, extreme);
  }

  /* Columns W p0 + c0, ..., of which rows above W p0 are zero, up to column `end`. */
  template <int p0> __device__ __forceinline__ void go_on(bool unit, int c0, int end)
  {
    T column[P][at_once];
#pragma unroll
    for (int k = 0; k < at_once; k++)
#pragma unroll
      for (int p = p0; p < P; p++) {
        if ((p > p0 || lane - c0 > k) && lane + W * p < n) column[p][k] = load_once(from[p]);
        from[p] += step;
      }
    if (p0 == 0 && c0 == 0 && !unit) invert_diagonal(); /* while they are on their way */
    if (extreme) {
#pragma unroll
      for (int k = 0; k < at_once; k++)
#pragma unroll
        for (int p = p0; p < P; p++) column[p][k] = d[p].scale * column[p][k];
    }
#pragma unroll
    for (int k = 0; k < at_once; k++) {
      if (c0 + W * p0 + k >= end) break;
      const T xj = shuffle(y[p0] * d[p0].inverse, c0 + k, W);
#pragma unroll
      for (int p = p0; p < P; p++)
        if (p > p0 || lane - c0 > k) y[p] = mad(-column[p][k], xj, y[p]);
    }
  }

  template <int p0 = 0> __device__ __forceinline__ void solve(bool unit, int end)
  {
#pragma unroll 1
    for (int c0 = 0; c0 < W && c0 + W * p0 < end; c0 += at_once) go_on<p0>(unit, c0, end);
    if constexpr (p0 + 1 < P) solve<p0 + 1>(unit, end);
  }
};

template <class T, int W, int P>
__global__ void __launch_bounds__(columns_threads, (W == 32 || P > 1) && sizeof(T) < 16 ? 5 : 1)
  trsv_columns(triangle_form f, batch<T> a, batch<T> v)
{
  constexpr int groups = columns_threads / W;
  for (int64_t first = (int64_t)blockIdx.x * groups; first < v.count; first += (int64_t)gridDim.x * groups) {
    const int64_t b = first + threadIdx.x / W;
    column_solver<T, W, P> s;
    s.lane = threadIdx.x % W;
    s.n = b < v.count ? v.length(b) : 0;
    strided<const T> e = {nullptr, 0, 0};
    strided<T> x = {nullptr, 0, 0};
    if (s.n > 0) {
      e = triangle_of<const T>(f, a.at(b), a.leading(b), s.n);
      const int64_t inc = v.increment(b);
      x = {v.at(b) + (f.backward ? (s.n - 1) * inc : 0), f.backward ? -inc : inc, 0};
    }
    s.start(f, e, x);
    s.solve(f.unit, a.m);
#pragma unroll
    for (int p = 0; p < P; p++)
      if (s.lane + W * p < s.n) x(s.lane + W * p, 0) = s.y[p] * s.d[p].inverse;
  }
}

/* For vectors of at most 48 elements, and A that is not transposed. */
template <class T> static int trsv_by_columns(batched_ctx *ctx, triangle_form f, const batch<T> &a, const batch<T> &x)
{
  const int n = a.m, lanes = n <= 8 ? 8 : n <= 16 || n > 32 ? 16 : 32;
  const auto kernel = n <= 8    ? trsv_columns<T, 8, 1>
                      : n <= 16 ? trsv_columns<T, 16, 1>
                      : n <= 32 ? trsv_columns<T, 32, 1>
                                : trsv_columns<T, 16, 3>;
  return launch(ctx, kernel, ceil_div(x.count, columns_threads / lanes), columns_threads, 0, f, a, x);
}

} // namespace batched_cuda::triangular

#endif
