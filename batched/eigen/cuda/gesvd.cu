/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Singular values of many small matrices: rows cuda.thread (m, n <= 4, one thread a matrix), cuda.jacobi (min(m, n)
 * <= 32, in the registers of a part of a warp), cuda.block (any size, one block a matrix), and cuSOLVER's.
 *
 * All make the columns of X = A, or of A^H if A is wide, orthogonal by rotations, which V collects: X V = U1
 * diag(s).  Then U = U1 and V^H, or, if A is wide, U = V and U1^H are the vectors asked for.
 */
#include "batched/eigen/cuda/gesvd_lanes.cuh"
#include "batched/eigen/cuda/shared.cuh"
#include "batched/eigen/cuda/thread.cuh"
#include "batched/eigen/cuda/cusolver.cuh"
#include "batched/eigen/eigen.h"

using namespace batched_cuda;
using namespace batched_cuda::eigen;

static int smaller(const batched_gesvd_args &g)
{
  return g.a.m < g.a.n ? g.a.m : g.a.n;
}

static int larger(const batched_gesvd_args &g)
{
  return g.a.m < g.a.n ? g.a.n : g.a.m;
}

/* ------------------------------------------------------------------ one thread a matrix */

/* Column j of the vectors becomes column `to` of a slot, or its row, conjugated. */
template <int N, class T>
static __device__ __forceinline__ void put_column(T *slot, bool transposed, int to, const T (&x)[N * N], int j,
                                                  real_of<T> factor, bool good)
{
#pragma unroll
  for (int i = 0; i < N; i++)
    slot[transposed ? to + i * N : i + to * N] =
      good ? conj_if(transposed, x[i + j * N] * factor) + make<T>(0) : not_a_number<T>();
}

template <class T, int N, bool VECTORS>
static __device__ __forceinline__ int svd_in_slots(int m, int n, T *u, T *vt, real_of<T> *values)
{
  using R = real_of<T>;
  const bool wide = m < n;
  const int rows = wide ? n : m, k = wide ? m : n;
  T x[N * N], v[N * N];
  R s[N], largest = 0;
  bool good = true;
#pragma unroll
  for (int j = 0; j < N; j++)
#pragma unroll
    for (int i = 0; i < N; i++) {
      const T e = wide ? conj(u[j + i * N]) : u[i + j * N];
      good = good && is_finite(e);
      largest = fmax(largest, magnitude(e));
      x[i + j * N] = e;
    }
  const power_scale<R> scale(largest, jacobi_lift<R>);
#pragma unroll
  for (int i = 0; i < N * N; i++) x[i] = good ? scale.up(x[i]) : make<T>(0);
  good = svd_thread<N, VECTORS>(x, v) && good;
  int rank = 0;
#pragma unroll
  for (int j = 0; j < N; j++) {
    s[j] = 0;
#pragma unroll
    for (int i = 0; i < N; i++) s[j] += square(x[i + j * N]);
    rank += s[j] >= jacobi_tiny<R>;
  }
#pragma unroll
  for (int j = 0; j < N; j++) {
    if (j >= k) continue;
    const int to = place<N>(s, k, j, true);
    values[to] = good ? scale.down(sqrt(s[j])) : R(NAN);
    if constexpr (VECTORS) {
      put_column<N>(wide ? vt : u, wide, to, x, j, s[j] >= jacobi_tiny<R> ? 1 / sqrt(s[j]) : R(1), good);
      put_column<N>(wide ? u : vt, !wide, to, v, j, R(1), good);
    }
  }
  if (VECTORS && good && rank < k)
    complete_columns(rows, k, rank, wide ? vt : u, (int64_t)(wide ? N : 1), (int64_t)(wide ? 1 : N), 0, 1);
  return good ? 0 : k;
}

template <class T, int N, bool VECTORS>
static __global__ __launch_bounds__(thread_block, 1) void gesvd_thread(batch<T> a, batch<real_of<T>> s, batch<T> u,
                                                                       batch<T> vt, int *info)
{
  __shared__ T slots[(VECTORS ? 2 : 1) * thread_block * thread_slot<N>];
  __shared__ real_of<T> values[thread_block * N];
  T *const more = slots + (VECTORS ? thread_block * thread_slot<N> : 0);
  const int t = (int)threadIdx.x, at = t * thread_slot<N>;
  for (int64_t first = blockIdx.x * (int64_t)thread_block; first < a.count;
       first += gridDim.x * (int64_t)thread_block) {
    const int many = (int)(a.count - first < thread_block ? a.count - first : thread_block);
    gather<N>(a, first, many, slots);
    __syncthreads();
    if (t < many)
      info[first + t] =
        svd_in_slots<T, N, VECTORS>(a.rows(first + t), a.cols(first + t), slots + at, more + at, values + t * N);
    __syncthreads();
    if (VECTORS) {
      scatter<N>(u, first, many, slots);
      scatter<N>(vt, first, many, more);
    }
    scatter_values<N>(s, first, many, values);
    __syncthreads();
  }
}

template <class T, int N> static int launch_thread(batched_ctx *ctx, const batched_gesvd_args &g)
{
  auto kernel = g.job == BATCHED_VECTORS ? gesvd_thread<T, N, true> : gesvd_thread<T, N, false>;
  return launch(ctx, kernel, ceil_div(g.a.count, thread_block), thread_block, 0, view<T>(g.a), view<real_of<T>>(g.s),
                view<T>(g.u), view<T>(g.vt), g.info);
}

static int thread(batched_ctx *ctx, const void *args)
{
  const auto &g = *static_cast<const batched_gesvd_args *>(args);
  return with_type(g.a.type, [&](auto t) {
    using T = decltype(t);
    return larger(g) <= 2   ? launch_thread<T, 2>(ctx, g)
           : larger(g) == 3 ? launch_thread<T, 3>(ctx, g)
                            : launch_thread<T, 4>(ctx, g);
  });
}

static bool fits_thread(const void *args)
{
  return larger(*static_cast<const batched_gesvd_args *>(args)) <= 4;
}

/* ------------------------------------------------------------------ a part of a warp a matrix */

template <class T, int RA, int RV>
static int launch_ring(batched_ctx *ctx, const batched_gesvd_args &g, ring_shape shape)
{
  shape.tile = (g.a.m | 1) * g.a.n;
  const size_t shared = (size_t)ring_warps * (size_t)(shape.mats * shape.tile) * sizeof(T);
  return launch(ctx, gesvd_ring<T, RA, RV>, ceil_div(g.a.count, ring_warps * shape.mats), 32 * ring_warps, shared,
                view<T>(g.a), view<real_of<T>>(g.s), view<T>(g.u), view<T>(g.vt), shape, g.info);
}

/* The rows of a column that a lane holds, for as many registers as there are; 0: does not fit. */
static int class_of(const batched_gesvd_args &g, ring_shape *shape)
{
  static const int both[] = {8, 12, 16, 0}, alone[] = {8, 16, 32, 0}, wide_both[] = {8, 0}, wide_alone[] = {8, 16, 0};
  const bool vectors = g.job == BATCHED_VECTORS, wide = g.a.type == BATCHED_Z;
  return ring_class(vectors ? wide ? wide_both : both
                    : wide  ? wide_alone
                            : alone,
                    vectors, larger(g), smaller(g), shape);
}

static int jacobi(batched_ctx *ctx, const void *args)
{
  const auto &g = *static_cast<const batched_gesvd_args *>(args);
  ring_shape shape;
  const int rows = class_of(g, &shape);
  return with_type(g.a.type, [&](auto t) {
    using T = decltype(t);
    if (g.job == BATCHED_VECTORS) {
      if (rows == 8) return launch_ring<T, 8, 8>(ctx, g, shape);
      if constexpr (sizeof(T) < 16) {
        if (rows == 12) return launch_ring<T, 12, 12>(ctx, g, shape);
        if (rows == 16) return launch_ring<T, 16, 16>(ctx, g, shape);
      }
    } else {
      if (rows == 8) return launch_ring<T, 8, 0>(ctx, g, shape);
      if (rows == 16) return launch_ring<T, 16, 0>(ctx, g, shape);
      if constexpr (sizeof(T) < 16) {
        if (rows == 32) return launch_ring<T, 32, 0>(ctx, g, shape);
      }
    }
    return (int)BATCHED_DOES_NOT_FIT;
  });
}

static bool fits_jacobi(const void *args)
{
  ring_shape shape;
  return class_of(*static_cast<const batched_gesvd_args *>(args), &shape) > 0;
}

/* ------------------------------------------------------------------ one block a matrix */

template <class T>
static __global__ __launch_bounds__(block_most_threads, 1) void gesvd_block(block_shape shape, T *scratch, batch<T> a,
                                                                            batch<real_of<T>> s, batch<T> u,
                                                                            batch<T> vt, int *info)
{
  using R = real_of<T>;
  jacobi_block<T> g(shape, scratch);
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = a.cols(b), rows = m < n ? n : m, k = m < n ? m : n;
    const bool wide = m < n;
    const int64_t ld = a.leading(b);
    const T *const from = k > 0 ? a.at(b) : nullptr;
    g.load(rows, k, [&](int i, int j) { return wide ? conj(from[j + i * ld]) : from[i + j * ld]; });
    const power_scale<R> scale(g.largest, jacobi_lift<R>);
    g.scale(scale);
    const bool good = g.orthogonalize() && g.finite;
    g.sort(true);
    if (threadIdx.x == 0) info[b] = good ? 0 : k;
    for (int j = (int)threadIdx.x; j < k; j += (int)blockDim.x)
      s.at(b)[g.place[j] * (int64_t)s.increment(b)] = good ? scale.down(sqrt(g.norm2[j])) : R(NAN);
    if (g.vectors && k > 0) {
      T *const pu = u.at(b), *const pvt = vt.at(b), *const l = wide ? pvt : pu, *const r = wide ? pu : pvt;
      const int64_t ldu = u.leading(b), ldvt = vt.leading(b); /* l, r: left and right vectors of X */
      const int64_t lrow = wide ? ldvt : 1, lcol = wide ? 1 : ldu, rrow = wide ? 1 : ldvt, rcol = wide ? ldu : 1;
      g.each_element(rows, k, [&](int i, int j) {
        const R over = g.norm2[j] >= jacobi_tiny<R> ? 1 / sqrt(g.norm2[j]) : R(1);
        l[i * lrow + g.place[j] * lcol] =
          good ? conj_if(wide, g.x[i + (int64_t)j * g.ld] * over) + make<T>(0) : not_a_number<T>();
      });
      g.each_element(k, k, [&](int i, int j) {
        r[i * rrow + g.place[j] * rcol] =
          good ? conj_if(!wide, g.v[i + (int64_t)j * k]) + make<T>(0) : not_a_number<T>();
      });
      int rank = 0;
      for (int j = 0; j < k; j++) rank += g.norm2[j] >= jacobi_tiny<R>;
      __syncthreads();
      if (good && rank < k && threadIdx.x < 32) complete_columns(rows, k, rank, l, lrow, lcol, (int)threadIdx.x, 32);
    }
    __syncthreads();
  }
}

static int block(batched_ctx *ctx, const void *args)
{
  const auto &g = *static_cast<const batched_gesvd_args *>(args);
  return with_type(g.a.type, [&](auto t) {
    using T = decltype(t);
    return launch_block<T>(ctx, gesvd_block<T>, g.a.count, larger(g), smaller(g), g.job == BATCHED_VECTORS,
                           view<T>(g.a), view<real_of<T>>(g.s), view<T>(g.u), view<T>(g.vt), g.info);
  });
}

const batched_variant batched_gesvd_cuda[] = {
  {"cuda.thread", fits_thread, nullptr, thread},
  {"cuda.lanes", fits_jacobi, nullptr, jacobi},
  {"cuda.shared", nullptr, nullptr, block},
  {"vendor.cusolver", gesvd_vendor_fits, never, gesvd_vendor},
  BATCHED_LAST_ROW,
};
