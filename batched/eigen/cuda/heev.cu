/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Eigenvalues of many small Hermitian matrices: rows cuda.thread (n <= 4, one thread a matrix), cuda.jacobi (n <=
 * 32, in the registers of a part of a warp), cuda.block (any size, one block a matrix), and cuSOLVER's.
 *
 * Beyond n = 4 the columns of A + sigma I, sigma = 1.5 |A|_F, are made orthogonal: that matrix is definite with
 * condition number at most 5, so it is Z diag(w + sigma), and the rotations need not be collected: Z are the columns
 * divided by their norms.
 */
#include "batched/eigen/cuda/shared.cuh"
#include "batched/eigen/cuda/jacobi_ring.cuh"
#include "batched/eigen/cuda/thread.cuh"
#include "batched/eigen/cuda/cusolver.cuh"
#include "batched/eigen/eigen.h"

using namespace batched_cuda;
using namespace batched_cuda::eigen;

/* Element (i, j) from the triangle that counts; x(i, j) gives elements of the whole. */
template <class T, class F> static __device__ __forceinline__ T from_triangle(bool lower, int i, int j, F x)
{
  const bool there = lower ? i >= j : i <= j;
  const T e = there ? x(i, j) : conj(x(j, i));
  return i == j ? make<T>(real(e)) : e;
}

/* ------------------------------------------------------------------ one thread a matrix */

template <class T, int N, bool VECTORS>
static __device__ __forceinline__ int eigen_in_slot(bool lower, int n, T *slot, real_of<T> *values)
{
  using R = real_of<T>;
  T h[N * N], z[N * N];
  R w[N], largest = 0;
  bool good = true;
#pragma unroll
  for (int j = 0; j < N; j++)
#pragma unroll
    for (int i = j; i < N; i++) {
      T e = lower ? slot[i + j * N] : conj(slot[j + i * N]);
      if (i == j) e = make<T>(real(e));
      if (i >= n) e = make<T>(0);
      good = good && is_finite(e);
      largest = fmax(largest, magnitude(e));
      h[i + j * N] = e;
    }
  const power_scale<R> scale(largest, 1);
#pragma unroll
  for (int j = 0; j < N; j++)
#pragma unroll
    for (int i = j; i < N; i++) h[i + j * N] = good ? scale.up(h[i + j * N]) : make<T>(0);
  good = eigen_thread<N, VECTORS>(h, w, z) && good;
#pragma unroll
  for (int j = 0; j < N; j++) {
    if (j >= n) continue;
    const int to = place<N>(w, n, j, false);
    values[to] = good ? scale.down(w[j]) + 0 : R(NAN);
#pragma unroll
    for (int i = 0; i < N; i++)
      if (VECTORS) slot[i + to * N] = good ? z[i + j * N] + make<T>(0) : not_a_number<T>();
  }
  return good ? 0 : n;
}

template <class T, int N, bool VECTORS>
static __global__ __launch_bounds__(thread_block, 1) void heev_thread(batch<T> a, batch<real_of<T>> w, bool lower,
                                                                      int *info)
{
  __shared__ T slots[thread_block * thread_slot<N>];
  __shared__ real_of<T> values[thread_block * N];
  const int t = (int)threadIdx.x;
  for (int64_t first = blockIdx.x * (int64_t)thread_block; first < a.count;
       first += gridDim.x * (int64_t)thread_block) {
    const int many = (int)(a.count - first < thread_block ? a.count - first : thread_block);
    gather<N>(a, first, many, slots);
    __syncthreads();
    if (t < many)
      info[first + t] =
        eigen_in_slot<T, N, VECTORS>(lower, a.cols(first + t), slots + t * thread_slot<N>, values + t * N);
    __syncthreads();
    if (VECTORS) scatter<N>(a, first, many, slots);
    scatter_values<N>(w, first, many, values);
    __syncthreads();
  }
}

template <class T, int N> static int launch_thread(batched_ctx *ctx, const batched_heev_args &h)
{
  auto kernel = h.job == BATCHED_VECTORS ? heev_thread<T, N, true> : heev_thread<T, N, false>;
  return launch(ctx, kernel, ceil_div(h.a.count, thread_block), thread_block, 0, view<T>(h.a), view<real_of<T>>(h.w),
                h.uplo == BATCHED_LOWER, h.info);
}

static int thread(batched_ctx *ctx, const void *args)
{
  const auto &h = *static_cast<const batched_heev_args *>(args);
  return with_type(h.a.type, [&](auto t) {
    using T = decltype(t);
    return h.a.n <= 2   ? launch_thread<T, 2>(ctx, h)
           : h.a.n == 3 ? launch_thread<T, 3>(ctx, h)
                        : launch_thread<T, 4>(ctx, h);
  });
}

static bool fits_thread(const void *args)
{
  return static_cast<const batched_heev_args *>(args)->a.n <= 4;
}

/* ------------------------------------------------------------------ a part of a warp a matrix */

template <class T, int ROWS>
static __global__ __launch_bounds__(32 * ring_warps,
                                    ring_blocks<T, ROWS, 0>) void heev_ring(batch<T> a, batch<real_of<T>> w, bool lower,
                                                                            bool vectors, ring_shape shape, int *info)
{
  using R = real_of<T>;
  const int warp = (int)threadIdx.x / 32, ld = a.n | 1;
  int lane = (int)threadIdx.x & 31;
  ring_lane me(shape, lane);
  T *tiles = shared_array<T>() + warp * shape.mats * shape.tile, *tile = tiles + me.group * shape.tile;
  const int64_t first = (blockIdx.x * (int64_t)ring_warps + warp) * shape.mats;
  if (first < a.count) {
    const int mats = (int)(a.count - first < shape.mats ? a.count - first : shape.mats);
    int64_t b = first + me.group;
    int n = me.mask != 0 && me.group < mats ? a.cols(b) : 0;
    load_hermitian(a, lower, first, mats, shape.tile, tiles);
    __syncwarp();

    ring<T, ROWS, 0, true> g;
    g.idx = me.pair;
    g.idy = shape.pairs + me.pair;
    R largest = 0;
    bool good = true;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const int i = me.part * ROWS + r;
      g.x[r] = i < n && g.idx < n ? tile[i + g.idx * ld] : make<T>(0);
      g.y[r] = i < n && g.idy < n ? tile[i + g.idy * ld] : make<T>(0);
      good = good && is_finite(g.x[r]) && is_finite(g.y[r]);
      largest = fmax(largest, fmax(magnitude(g.x[r]), magnitude(g.y[r])));
    }
    good = (__ballot_sync(all_lanes, !good) & me.mask) == 0;
    const power_scale<R> scale(group_max(largest, me), 1);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      g.x[r] = good ? scale.up(g.x[r]) : make<T>(0);
      g.y[r] = good ? scale.up(g.y[r]) : make<T>(0);
    }
    g.norms(shape.parts);
    const R norm2 = group_sum(g.xx + g.yy, me, shape.parts), sigma = norm2 > 0 ? R(1.5) * sqrt(norm2) : R(1);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const int i = me.part * ROWS + r;
      if (i == g.idx && i < n) g.x[r] += make<T>(sigma);
      if (i == g.idy && i < n) g.y[r] += make<T>(sigma);
    }

    good = g.orthogonalize(shape, me, jacobi_tolerance<R>(a.n)) && good;
    recompute(lane);
    me = ring_lane(shape, lane);
    tile = tiles + me.group * shape.tile;
    b = first + me.group;
    n = me.mask != 0 && me.group < mats ? a.cols(b) : 0;

    int to_x, to_y;
    const R far = R(4) * sigma; /* columns that are not there come last */
    g.places(shape, me, g.idx < n ? g.xx : far * far, g.idy < n ? g.yy : far * far, &to_x, &to_y);
    if (n > 0 && me.part == 0) {
      R *values = w.at(b);
      const int64_t inc = w.increment(b);
      if (g.idx < n) values[to_x * inc] = good ? scale.down(sqrt(g.xx) - sigma) : R(NAN);
      if (g.idy < n) values[to_y * inc] = good ? scale.down(sqrt(g.yy) - sigma) : R(NAN);
    }
    if (me.mask != 0 && me.group < mats && me.pair == 0 && me.part == 0) info[b] = good ? 0 : n;
    if (vectors) {
      const R over_x = g.idx < n ? 1 / sqrt(g.xx) : R(0), over_y = g.idy < n ? 1 / sqrt(g.yy) : R(0);
      __syncwarp();
#pragma unroll
      for (int r = 0; r < ROWS; r++) {
        const int i = me.part * ROWS + r;
        if (i < n && g.idx < n) tile[i + to_x * ld] = good ? g.x[r] * over_x + make<T>(0) : not_a_number<T>();
        if (i < n && g.idy < n) tile[i + to_y * ld] = good ? g.y[r] * over_y + make<T>(0) : not_a_number<T>();
      }
      __syncwarp();
      store_tiles(a, first, mats, shape.tile, tiles);
    }
    __syncwarp();
  }
}

template <class T, int ROWS> static int launch_ring(batched_ctx *ctx, const batched_heev_args &h, ring_shape shape)
{
  shape.tile = (h.a.n | 1) * h.a.n;
  const size_t shared = (size_t)ring_warps * (size_t)(shape.mats * shape.tile) * sizeof(T);
  return launch(ctx, heev_ring<T, ROWS>, ceil_div(h.a.count, ring_warps * shape.mats), 32 * ring_warps, shared,
                view<T>(h.a), view<real_of<T>>(h.w), h.uplo == BATCHED_LOWER, h.job == BATCHED_VECTORS, shape, h.info);
}

static int jacobi(batched_ctx *ctx, const void *args)
{
  static const int classes[] = {8, 16, 24, 32, 0}, wide_classes[] = {8, 16, 0};
  const auto &h = *static_cast<const batched_heev_args *>(args);
  const int n = h.a.n;
  return with_type(h.a.type, [&](auto t) {
    using T = decltype(t);
    ring_shape shape;
    const int rows = ring_class(sizeof(T) < 16 ? classes : wide_classes, false, n, n, &shape);
    if (rows == 8) return launch_ring<T, 8>(ctx, h, shape);
    if (rows == 16) return launch_ring<T, 16>(ctx, h, shape);
    if constexpr (sizeof(T) < 16) {
      if (rows == 24) return launch_ring<T, 24>(ctx, h, shape);
      if (rows == 32) return launch_ring<T, 32>(ctx, h, shape);
    }
    return (int)BATCHED_DOES_NOT_FIT;
  });
}

static bool fits_jacobi(const void *args)
{
  const int n = static_cast<const batched_heev_args *>(args)->a.n;
  return n >= 1 && n <= 32;
}

/* ------------------------------------------------------------------ one block a matrix */

template <class T>
static __global__ __launch_bounds__(block_most_threads, 1) void heev_block(block_shape shape, T *scratch, batch<T> a,
                                                                           batch<real_of<T>> w, bool lower,
                                                                           bool vectors, int *info)
{
  using R = real_of<T>;
  jacobi_block<T> g(shape, scratch);
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int n = a.cols(b);
    const int64_t ld = a.leading(b);
    T *const z = n > 0 ? a.at(b) : nullptr;
    g.load(n, n,
           [&](int i, int j) { return from_triangle<T>(lower, i, j, [&](int p, int q) { return z[p + q * ld]; }); });
    const power_scale<R> scale(g.largest, 1);
    g.scale(scale);
    const R norm2 = g.frobenius2(), sigma = norm2 > 0 ? R(1.5) * sqrt(norm2) : R(1);
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) g.x[i + (int64_t)i * g.ld] += make<T>(sigma);
    __syncthreads();
    const bool good = g.orthogonalize() && g.finite;
    g.sort(false);
    if (threadIdx.x == 0) info[b] = good ? 0 : n;
    for (int j = (int)threadIdx.x; j < n; j += (int)blockDim.x)
      w.at(b)[g.place[j] * (int64_t)w.increment(b)] = good ? scale.down(sqrt(g.norm2[j]) - sigma) : R(NAN);
    if (vectors)
      g.each_element(n, n, [&](int i, int j) {
        z[i + g.place[j] * ld] =
          good ? g.x[i + (int64_t)j * g.ld] * (1 / sqrt(g.norm2[j])) + make<T>(0) : not_a_number<T>();
      });
    __syncthreads();
  }
}

static int block(batched_ctx *ctx, const void *args)
{
  const auto &h = *static_cast<const batched_heev_args *>(args);
  return with_type(h.a.type, [&](auto t) {
    using T = decltype(t);
    return launch_block<T>(ctx, heev_block<T>, h.a.count, h.a.n, h.a.n, false, view<T>(h.a), view<real_of<T>>(h.w),
                           h.uplo == BATCHED_LOWER, h.job == BATCHED_VECTORS, h.info);
  });
}

const batched_variant batched_heev_cuda[] = {
  {"cuda.thread", fits_thread, nullptr, thread},
  {"cuda.lanes", fits_jacobi, nullptr, jacobi},
  {"cuda.shared", nullptr, nullptr, block},
  {"vendor.cusolver", heev_vendor_fits, never, heev_vendor},
  BATCHED_LAST_ROW,
};
