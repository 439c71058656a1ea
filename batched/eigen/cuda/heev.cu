/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of heev.
 *   cuda.thread       n <= 4, a thread per matrix, cyclic Jacobi: thread.cuh
 *   cuda.lanes        n <= 32, a part of a warp per matrix, one-sided Jacobi: heev_lanes.cuh
 *   cuda.lanes_halves n <= 32, the same with two lanes to a pair of columns: heev_lanes.cuh
 *   cuda.lanes_qr     n <= 64, with vectors: reduction, QL, and their product: heev_lanes_qr.cu
 *   cuda.shared       any n, a block per matrix, one-sided Jacobi: shared.cuh
 *   cuda.composed     any n, by hetrd, stedc and unmtr: batched/eigen/heev_composed.c
 *   cuda.two_stage    any n, as cuda.composed by way of a band: batched/eigen/heev_two_stage.c
 *   vendor.cusolver   n <= 32, uniform: cusolver.cu
 *   vendor.xsyev      any n, uniform: cusolver.cu
 * These files have the contracts; the kernels of cuda.thread and cuda.shared are here.  One-sided Jacobi makes the
 * columns of A + sigma I orthogonal, see heev_lanes.cuh.
 */
#include "batched/condensed/condensed.h"
#include "batched/eigen/cuda/cusolver.cuh"
#include "batched/eigen/cuda/heev_lanes.cuh"
#include "batched/eigen/cuda/heev_lanes_qr.cuh"
#include "batched/eigen/cuda/shared.cuh"
#include "batched/eigen/cuda/thread.cuh"

namespace batched_cuda::eigen
{
namespace
{

/* Element (i, j) of a matrix of which one triangle counts; x(i, j) gives its elements. */
template <class T, class F> __device__ __forceinline__ T from_triangle(bool lower, int i, int j, F x)
{
  const bool there = lower ? i >= j : i <= j;
  const T e = there ? x(i, j) : conj(x(j, i));
  return i == j ? make<T>(real(e)) : e;
}

/* ------------------------------------------------------------------ cuda.thread */

/* The matrix of a slot: values, vectors in its place, and info. */
template <class T, int N, bool VECTORS>
__device__ __forceinline__ int eigen_in_slot(bool lower, int n, T *slot, real_of<T> *values)
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

/* Blocks of 64 threads: matrices through slots in shared memory, one per thread; h, w and, with vectors, z in
 * registers. */
template <class T, int N, bool VECTORS>
__global__ __launch_bounds__(thread_block, 1) void heev_thread(batch<T> a, batch<real_of<T>> w, bool lower, int *info)
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

template <class T, int N> int launch_thread(batched_ctx *ctx, const batched_heev_args &h)
{
  auto kernel = h.job == BATCHED_VECTORS ? heev_thread<T, N, true> : heev_thread<T, N, false>;
  return launch(ctx, kernel, ceil_div(h.a.count, thread_block), thread_block, 0, view<T>(h.a), view<real_of<T>>(h.w),
                h.uplo == BATCHED_LOWER, h.info);
}

int thread(batched_ctx *ctx, const batched_heev_args &h)
{
  return with_type(h.a.type, [&](auto t) {
    using T = decltype(t);
    return h.a.n <= 2   ? launch_thread<T, 2>(ctx, h)
           : h.a.n == 3 ? launch_thread<T, 3>(ctx, h)
                        : launch_thread<T, 4>(ctx, h);
  });
}

bool fits_thread(const batched_heev_args &h)
{
  return h.a.n <= 4;
}

/* ------------------------------------------------------------------ cuda.lanes, cuda.lanes_halves */

bool fits_lanes(const batched_heev_args &h)
{
  return h.a.n >= 1 && h.a.n <= 32;
}
int lanes(batched_ctx *ctx, const batched_heev_args &h)
{
  return with_type(h.a.type, [&](auto t) { return launch_heev_lanes<decltype(t)>(ctx, h, 1); });
}
int lanes_halves(batched_ctx *ctx, const batched_heev_args &h)
{
  return with_type(h.a.type, [&](auto t) { return launch_heev_lanes<decltype(t)>(ctx, h, 2); });
}

/* ------------------------------------------------------------------ cuda.shared */

/* A block per matrix, of 64 to 512 threads. */
template <class T>
__global__ __launch_bounds__(block_most_threads, 1) void heev_shared(block_shape shape, T *scratch, batch<T> a,
                                                                     batch<real_of<T>> w, bool lower, bool vectors,
                                                                     int *info)
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

int shared(batched_ctx *ctx, const batched_heev_args &h)
{
  return with_type(h.a.type, [&](auto t) {
    using T = decltype(t);
    return launch_block<T>(ctx, heev_shared<T>, h.a.count, h.a.n, h.a.n, false, view<T>(h.a), view<real_of<T>>(h.w),
                           h.uplo == BATCHED_LOWER, h.job == BATCHED_VECTORS, h.info);
  });
}

/* ------------------------------------------------------------------ cuda.composed */

/* Reductions may have no kernels. */
bool fits_composed(const batched_heev_args &)
{
  return batched_hetrd_cuda[0].name && batched_unmtr_cuda[0].name;
}

int composed(batched_ctx *ctx, const batched_heev_args &h)
{
  return batched_heev_composed(ctx, &h);
}

/* ------------------------------------------------------------------ cuda.two_stage */

int two_stage(batched_ctx *ctx, const batched_heev_args &h)
{
  return batched_heev_two_stage(ctx, &h);
}

} // namespace
} // namespace batched_cuda::eigen

using namespace batched_cuda;
using namespace batched_cuda::eigen;

const batched_variant batched_heev_cuda[] = {
  row<fits_thread, nullptr, thread>("cuda.thread"),
  row<fits_lanes, nullptr, lanes>("cuda.lanes"),
  row<fits_lanes, batched_by_table, lanes_halves>("cuda.lanes_halves"),
  row<fits_lanes_qr, batched_by_table, lanes_qr>("cuda.lanes_qr"),
  row<fits_composed, batched_by_table, composed>("cuda.composed"),
  row<nullptr, nullptr, shared>("cuda.shared"),
  row<nullptr, batched_by_table, two_stage>("cuda.two_stage"),
  row<heev_vendor_fits, never, heev_vendor>("vendor.cusolver"),
  row<heev_xsyev_fits, never, heev_xsyev>("vendor.xsyev"),
  BATCHED_LAST_ROW,
};
