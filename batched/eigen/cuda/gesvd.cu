/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of gesvd.
 *   cuda.thread        m, n <= 4, a thread per matrix: thread.cuh
 *   cuda.lanes         m, n <= 32, as registers allow, a part of a warp per matrix: gesvd_lanes.cuh
 *   cuda.shared        any m and n, a block per matrix: shared.cuh
 *   cuda.composed      any m and n, by gebrd, bdsdc or bdsqr, and unmbr: batched/eigen/gesvd_composed.c
 *   cuda.composed_qr   tall or wide, by QR first: batched/eigen/gesvd_composed_qr.c
 *   cuda.two_stage     any m and n, as cuda.composed by way of a band: batched/eigen/gesvd_composed.c
 *   cuda.blocked_jacobi  to 8192 rows and columns, small values to relative accuracy:
 *                      batched/eigen/gesvd_blocked_jacobi.c, blocked_jacobi.cu
 *   vendor.cusolver    m, n <= 32, uniform: cusolver.cu
 * These files have the contracts; the kernels of cuda.thread and cuda.shared are here.  The first three make the
 * columns of X = A, or of A^H if A is wide, orthogonal by rotations (one-sided Jacobi), which V collects: X V = U1
 * diag(s).  The vectors are U1 and V^H, or, if A is wide, V and U1^H.
 */
#include "batched/condensed/condensed.h"
#include "batched/eigen/cuda/cusolver.cuh"
#include "batched/eigen/cuda/gesvd_lanes.cuh"
#include "batched/eigen/cuda/shared.cuh"
#include "batched/eigen/cuda/thread.cuh"
#include "batched/eigen/jacobi_steps.h"

namespace batched_cuda::eigen
{
namespace
{

int smaller(const batched_gesvd_args &g)
{
  return g.a.m < g.a.n ? g.a.m : g.a.n;
}

int larger(const batched_gesvd_args &g)
{
  return g.a.m < g.a.n ? g.a.n : g.a.m;
}

/* ------------------------------------------------------------------ cuda.thread */

/* Writes column j of the vectors to column `to` of a slot, or, conjugated, to its row. */
template <int N, class T>
__device__ __forceinline__ void put_column(T *slot, bool transposed, int to, const T (&x)[N * N], int j,
                                           real_of<T> factor, bool good)
{
#pragma unroll
  for (int i = 0; i < N; i++)
    slot[transposed ? to + i * N : i + to * N] =
      good ? conj_if(transposed, x[i + j * N] * factor) + make<T>(0) : not_a_number<T>();
}

/* The matrix of slot u: values, vectors in u and vt, and info. */
template <class T, int N, bool VECTORS>
__device__ __forceinline__ int svd_in_slots(int m, int n, T *u, T *vt, real_of<T> *values)
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

/* Blocks of 64 threads: matrices through slots in shared memory, one per thread, with vectors two; x and v in
 * registers. */
template <class T, int N, bool VECTORS>
__global__ __launch_bounds__(thread_block, 1) void gesvd_thread(batch<T> a, batch<real_of<T>> s, batch<T> u,
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

template <class T, int N> int launch_thread(batched_ctx *ctx, const batched_gesvd_args &g)
{
  auto kernel = g.job == BATCHED_VECTORS ? gesvd_thread<T, N, true> : gesvd_thread<T, N, false>;
  return launch(ctx, kernel, ceil_div(g.a.count, thread_block), thread_block, 0, view<T>(g.a), view<real_of<T>>(g.s),
                view<T>(g.u), view<T>(g.vt), g.info);
}

int thread(batched_ctx *ctx, const batched_gesvd_args &g)
{
  return with_type(g.a.type, [&](auto t) {
    using T = decltype(t);
    return larger(g) <= 2   ? launch_thread<T, 2>(ctx, g)
           : larger(g) == 3 ? launch_thread<T, 3>(ctx, g)
                            : launch_thread<T, 4>(ctx, g);
  });
}

bool fits_thread(const batched_gesvd_args &g)
{
  return larger(g) <= 4;
}

/* ------------------------------------------------------------------ cuda.lanes */

bool fits_lanes(const batched_gesvd_args &g)
{
  ring_shape shape;
  return gesvd_class(g, &shape) > 0;
}
int lanes(batched_ctx *ctx, const batched_gesvd_args &g)
{
  return with_type(g.a.type, [&](auto t) { return launch_gesvd_lanes<decltype(t)>(ctx, g); });
}

/* ------------------------------------------------------------------ cuda.shared */

/* A block per matrix, of 64 to 512 threads. */
template <class T>
__global__ __launch_bounds__(block_most_threads, 1) void gesvd_shared(block_shape shape, T *scratch, batch<T> a,
                                                                      batch<real_of<T>> s, batch<T> u, batch<T> vt,
                                                                      int *info)
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

int shared(batched_ctx *ctx, const batched_gesvd_args &g)
{
  return with_type(g.a.type, [&](auto t) {
    using T = decltype(t);
    return launch_block<T>(ctx, gesvd_shared<T>, g.a.count, larger(g), smaller(g), g.job == BATCHED_VECTORS,
                           view<T>(g.a), view<real_of<T>>(g.s), view<T>(g.u), view<T>(g.vt), g.info);
  });
}

/* ------------------------------------------------------------------ cuda.composed */

/* Reductions may have no kernels. */
bool fits_composed(const batched_gesvd_args &)
{
  return batched_gebrd_cuda[0].name && batched_unmbr_cuda[0].name;
}

int composed(batched_ctx *ctx, const batched_gesvd_args &g)
{
  return batched_gesvd_composed(ctx, &g);
}

/* ------------------------------------------------------------------ cuda.composed_qr */

bool fits_composed_qr(const batched_gesvd_args &g)
{
  return batched_gesvd_fits_qr(&g);
}

int composed_qr(batched_ctx *ctx, const batched_gesvd_args &g)
{
  return batched_gesvd_composed_qr(ctx, &g);
}

/* ------------------------------------------------------------------ cuda.two_stage */

int two_stage(batched_ctx *ctx, const batched_gesvd_args &g)
{
  return batched_gesvd_two_stage(ctx, &g);
}

/* ------------------------------------------------------------------ cuda.blocked_jacobi */

bool fits_blocked_jacobi(const batched_gesvd_args &g)
{
  return batched_gesvd_fits_blocked_jacobi(&g);
}

int blocked_jacobi(batched_ctx *ctx, const batched_gesvd_args &g)
{
  return batched_gesvd_blocked_jacobi(ctx, &g);
}

} // namespace
} // namespace batched_cuda::eigen

using namespace batched_cuda;
using namespace batched_cuda::eigen;

const batched_variant batched_gesvd_cuda[] = {
  row<fits_thread, nullptr, thread>("cuda.thread"),
  row<fits_lanes, nullptr, lanes>("cuda.lanes"),
  row<fits_composed_qr, batched_by_table, composed_qr>("cuda.composed_qr"),
  row<fits_composed, batched_by_table, composed>("cuda.composed"),
  row<nullptr, nullptr, shared>("cuda.shared"),
  row<nullptr, batched_by_table, two_stage>("cuda.two_stage"),
  row<fits_blocked_jacobi, never, blocked_jacobi>("cuda.blocked_jacobi"),
  row<gesvd_vendor_fits, never, gesvd_vendor>("vendor.cusolver"),
  BATCHED_LAST_ROW,
};
