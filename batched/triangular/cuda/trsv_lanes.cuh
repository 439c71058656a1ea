/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.lanes of trsv: part of a warp per matrix, one unknown per lane, or three, in two kernels.  op(A) = A,
 * n <= 48: each lane reads its own rows column by column, straight into registers.  A transposed, n <= 16: the matrix
 * is transposed in shared memory.
 */
#ifndef BATCHED_TRIANGULAR_CUDA_TRSV_LANES_CUH
#define BATCHED_TRIANGULAR_CUDA_TRSV_LANES_CUH

#include "batched/triangular/cuda/triangle.cuh"

namespace batched_cuda::triangular
{

static constexpr int lanes_threads = 128;

/* ------------------------------------------------------------------ A as it is stored */

/* Columns whose P rows a lane holds at a time: in at most 64 registers. */
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
  T y[P] = {}; /* the right-hand side minus the columns of the unknowns found so far */
  reciprocal<T> d[P];
  const T *from[P]; /* this lane's rows of the next column */
  int64_t step;
  bool extreme = false; /* does a row of the warp's matrices have to be scaled? */

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
    extreme = __any_sync(all_lanes, extreme);
  }

  /* Columns W p0 + c0, ..., up to column `end`; their rows above W p0 are zero. */
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
    if (p0 == 0 && c0 == 0 && !unit) invert_diagonal(); /* while the loads are in flight */
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

/* x = E^-1 x, E not transposed.
 *   algorithm  substitution by columns
 *   grid       a block of 128 threads per 128 / W matrices, W lanes each, P unknowns per lane
 *   registers  up to 64 for elements of A; no shared memory
 *   takes      n <= 48, op(A) = A, all types, uniform and variable
 *   memory     the triangle and x once from, x once to global memory; lanes read neighbours
 *   accuracy   of substitution; a row with an extreme pivot is scaled by a power of two first */
template <class T, int W, int P>
__global__ void __launch_bounds__(lanes_threads, (W == 32 || P > 1) && sizeof(T) < 16 ? 5 : 1)
  solve_columns_in_lanes(triangle_form f, batch<T> a, batch<T> v)
{
  constexpr int groups = lanes_threads / W;
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

template <class T> static int solve_columns(batched_ctx *ctx, triangle_form f, const batch<T> &a, const batch<T> &x)
{
  const int n = a.m, lanes = n <= 8 ? 8 : n <= 16 || n > 32 ? 16 : 32;
  const auto kernel = n <= 8    ? solve_columns_in_lanes<T, 8, 1>
                      : n <= 16 ? solve_columns_in_lanes<T, 16, 1>
                      : n <= 32 ? solve_columns_in_lanes<T, 32, 1>
                                : solve_columns_in_lanes<T, 16, 3>;
  return launch(ctx, kernel, ceil_div(x.count, lanes_threads / lanes), lanes_threads, 0, f, a, x);
}

/* ------------------------------------------------------------------ A transposed */

/* A matrix on its way into registers: this lane's row or column of it, and element of the right-hand side. */
template <class T, int W> struct arriving_system {
  int n;
  T *x; /* this lane's unknown */
  T e[W], rhs;

  __device__ __forceinline__ void load(const triangle_form &f, const batch<T> &a, const batch<T> &v, int64_t b,
                                       int lane)
  {
    n = b < v.count ? v.length(b) : 0;
    if (lane >= n) return;
    const auto triangle = triangle_of<const T>(f, a.at(b), a.leading(b), n);
    /* neighbouring lanes along a column of A */
    const T *from = f.flip ? &triangle(0, lane) : &triangle(lane, 0);
    const int64_t step = f.flip ? triangle.row : triangle.col;
#pragma unroll
    for (int k = 0; k < W; k++) {
      if (k < n && (f.flip ? k >= lane : k <= lane)) e[k] = *from;
      from += step;
    }
    x = v.at(b) + (int64_t)(f.backward ? n - 1 - lane : lane) * v.increment(b);
    rhs = conj_if(f.conj, *x);
  }
};

/* x = E^-1 x, A transposed or not.
 *   algorithm  substitution by columns; shared memory turns rows of A into columns
 *   grid       persistent blocks of 128 threads, W lanes per matrix, the next matrix prefetched into registers
 *   registers  W elements of A per lane
 *   shared     W (W + 1) elements per matrix
 *   takes      n <= 16, all types, uniform and variable
 *   memory     the triangle and x once from, x once to global memory
 *   accuracy   of substitution; a row with an extreme pivot is scaled by a power of two first */
template <class T, int W>
__global__ void __launch_bounds__(lanes_threads) solve_turned_in_lanes(triangle_form f, batch<T> a, batch<T> v)
{
  constexpr int ld = W + 1, groups = lanes_threads / W;
  const int lane = threadIdx.x % W, group = threadIdx.x / W, of_warp = threadIdx.x / 32 * (32 / W);
  T *const tile = shared_array<T>() + group * W * ld, *const to = f.flip ? tile + lane * ld : tile + lane;
  const int step = f.flip ? 1 : ld;
  arriving_system<T, W> next = {};
  next.load(f, a, v, (int64_t)blockIdx.x * groups + group, lane);
  for (int64_t first = (int64_t)blockIdx.x * groups; first + of_warp < v.count; first += (int64_t)gridDim.x * groups) {
    const int n = next.n;
    T *const own = next.x, x = next.rhs;
#pragma unroll
    for (int k = 0; k < W; k++) to[k * step] = next.e[k];
    __syncwarp();
    next.load(f, a, v, first + (int64_t)gridDim.x * groups + group, lane);
    reciprocal<T> d = {1, make<T>(1)};
    if (!f.unit && lane < n) d = reciprocal_of(tile[lane * ld + lane]);
    T y = d.scale * x;
#pragma unroll
    for (int j = 0; j < W; j++) {
      if (j >= a.m) break;
      const T yj = shuffle(y * d.inverse, j, W);
      if (lane > j && lane < n) y = mad(-(d.scale * tile[j * ld + lane]), yj, y);
    }
    if (lane < n) *own = conj_if(f.conj, y * d.inverse);
    __syncwarp();
  }
}

template <class T, int W>
static int launch_turned(batched_ctx *ctx, triangle_form f, const batch<T> &a, const batch<T> &x)
{
  constexpr int groups = lanes_threads / W;
  int resident = 4;
  const size_t shared = groups * W * (W + 1) * sizeof(T);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, solve_turned_in_lanes<T, W>, lanes_threads, shared);
  const int64_t blocks = ceil_div(x.count, groups), most = multiprocessors() * (resident > 0 ? resident : 1);
  return launch(ctx, solve_turned_in_lanes<T, W>, blocks < most ? blocks : most, lanes_threads, shared, f, a, x);
}

template <class T> static int solve_turned(batched_ctx *ctx, triangle_form f, const batch<T> &a, const batch<T> &x)
{
  return a.m <= 8 ? launch_turned<T, 8>(ctx, f, a, x) : launch_turned<T, 16>(ctx, f, a, x);
}

} // namespace batched_cuda::triangular

#endif
